#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/compute/compute.hpp"
#include "core/roles/put_times.hpp"
#include "core/transport/messages.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// A path state that a worker puts to stores: to which of them it is under way, what they have answered, and how long
/// that took. The coordinator may take stores off the list of those that are to have it, or add some.
class StatePut {
 public:
  StatePut(Transport& transport, const Compute& clock) : transport_(transport), clock_(clock) {}

  void begin(Epoch epoch, PathStateBody state);
  /// Takes an answer; not one to another put.
  void answered(const Stored& stored);
  /// What was under way to the store is lost.
  void lost(NodeId store);
  /// Sends the state to those of the stores that have not answered and that it is not under way to.
  void send(const std::vector<NodeId>& stores);
  /// Whether it is not under way to one of them.
  bool unsent(const std::vector<NodeId>& stores) const;
  /// Whether a store has refused it.
  bool refused() const;
  /// Whether each of them has it, or has refused it.
  bool all_answered(const std::vector<NodeId>& stores) const;
  /// Answers that are still to come do not count.
  void end() { put_.reset(); }
  /// How long a put of such a state may take, from its sending to the last store's answer. By the last puts that were
  /// sent to all of their stores at once, of which none was lost; nullopt: there was none yet.
  std::optional<PutTimes::Range> lasting(const PathStateBody& state) const;

 private:
  Transport& transport_;
  const Compute& clock_;
  std::optional<PutPathState> put_;
  std::map<NodeId, bool> answers_;  ///< by store: accepted
  std::set<NodeId> sent_to_;        ///< and not lost, or answered
  std::optional<Seconds> sent_at_;  ///< to all of these at once; unset once that is measured
  PutTimes times_;
};

}  // namespace dipaco
