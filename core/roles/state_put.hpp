#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/transport/messages.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// A path state that a worker puts to stores: to which of them it is under way, and what they have answered. The
/// coordinator may take stores off the list of those that are to have it, or add some.
class StatePut {
 public:
  explicit StatePut(Transport& transport) : transport_(transport) {}

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

 private:
  Transport& transport_;
  std::optional<PutPathState> put_;
  std::map<NodeId, bool> answers_;  ///< by store: accepted
  std::set<NodeId> sent_to_;        ///< and not lost, or answered
};

}  // namespace dipaco
