#pragma once

#include <optional>
#include <set>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Gives jobs to evaluators, or where none serves, to free workers; and knows who of them is free. Gradients are made
/// again by workers alone: they are made for inner steps.
class JobGiving {
 public:
  explicit JobGiving(RunState& run) : run_(run) {}

  /// Whether jobs go before tasks. Evaluations wait for workers that have no task. Once the next of their kind is due
  /// they go first: what they need is kept for them; and training waits for a re-sharding. Early stopping's are due at
  /// each version.
  bool overdue() const;
  /// Gives out what waits, as long as there are nodes for it.
  void give();
  /// Asks a node that is late how far it is, and gives its job to another where nothing moves there. Whoever is late
  /// keeps what it is at: what comes second changes nothing. The late one is free once it has said hello, which it does
  /// behind its computation, or in the middle of gathering, which that ends.
  void expire_leases();
  /// The store was lost, or has come back: what waits for it is asked of one that is there.
  void move(NodeId store);
  /// Frees who did it. Who else is at it was given it when its first node was lost, which has woken: the second need
  /// not end it.
  void done(NodeId node, const Job& job);
  /// An evaluator without a job has said hello.
  void evaluator_up(NodeId node);
  /// A worker or evaluator has a notice. It is given nothing more, until it says hello anew; its job goes to another.
  void leaves(NodeId node);
  /// The node is lost: another does its job.
  void lost(NodeId node);

 private:
  std::optional<NodeId> take_node(const Job& job);
  bool send(NodeId node, const Job& job);
  bool send_evaluation(NodeId node, const Job& job);
  bool send_gradients(NodeId node, const Job& job);
  Base base_of(const Job& job) const;
  void lease(NodeId node, const Job& job, NodeId store, Flops cost);
  void release(NodeId node);

  RunState& run_;
  std::set<NodeId> idle_evaluators_;  ///< of evaluator nodes only
};

}  // namespace dipaco
