#pragma once

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/gradient_doubts.hpp"
#include "core/coordinator/known/deadlocks.hpp"
#include "core/coordinator/known/kept_bases.hpp"
#include "core/coordinator/known/owner_places.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/model_collection.hpp"

namespace dipaco {

/// Gives shared modules to executors, tells all who must know, and takes new versions in.
class ModuleOwners {
 public:
  ModuleOwners(RunState& run, OuterGradientDoubts& doubts, Evaluations& evaluations, ModelCollection& model)
      : run_(run),
        doubts_(doubts),
        evaluations_(evaluations),
        model_(model),
        deadlocks_(run),
        places_(run),
        bases_(run) {}

  /// A version of a module is out, if it is its owner who says so: paths that waited for it go on.
  void ready(NodeId from, const ModuleReady& message);
  /// An executor says hello. It is told which modules are its own.
  void executor_up(NodeId node, const Hello& hello);
  /// Gives each module that has no owner one, once all have been heard of whom an earlier incarnation knew.
  void settle();
  /// What an earlier incarnation told executors of copies is not known: settle() tells all of them again.
  void forget_told() { told_ = false; }
  /// Where all paths wait for their modules, and these for contributions that nobody will give.
  Deadlocks& deadlocks() { return deadlocks_; }

 private:
  void note(const ModuleReady& message);
  void send_owners(const Ownership::Changes& changes);
  void tell(const std::vector<Owner>& owners);
  void send_list(NodeId executor);

  RunState& run_;
  OuterGradientDoubts& doubts_;
  Evaluations& evaluations_;
  ModelCollection& model_;
  Deadlocks deadlocks_;
  OwnerPlaces places_;
  KeptBases bases_;
  bool told_ = true;  ///< executors know what is theirs, by this incarnation
};

}  // namespace dipaco
