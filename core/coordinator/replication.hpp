#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Has stores send each other path states, where fewer than run.replicas have one that is needed.
class Replication {
 public:
  Replication(RunState& run, const Evaluations& evaluations) : run_(run), evaluations_(evaluations) {}

  /// Where fewer stores than there could be have a state of the path that is needed, one that has it sends it to
  /// another. A state that its worker still puts is left alone.
  void replicate(PathId path);
  /// Does so for each path.
  void replicate_all();
  /// The store has this state, whoever sent it.
  void arrived(const HeldState& state, NodeId store);
  /// A store is lost. What was sent by another one is sent twice, at worst.
  void store_lost() { copying_.clear(); }

 private:
  void copy(PathId path, std::int32_t version);

  RunState& run_;
  const Evaluations& evaluations_;
  std::map<std::pair<PathId, std::int32_t>, NodeId> copying_;  ///< states that a store is sent by another
};

}  // namespace dipaco
