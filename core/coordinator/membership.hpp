#pragma once

#include <optional>
#include <string>

#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/known/run_state.hpp"
#include "core/coordinator/model_collection.hpp"
#include "core/coordinator/module_owners.hpp"
#include "core/coordinator/state_refusals.hpp"
#include "core/coordinator/tasks.hpp"

namespace dipaco {

/// Takes nodes in that say hello, tells the other parts who has come and who is lost, and begins the run once enough
/// are there.
class Membership {
 public:
  /// Whom it concerns who is there.
  struct Concerned {
    Tasks& tasks;
    ModuleOwners& modules;
    JobGiving& jobs;
    ModelCollection& model;
    const StateRefusals& refusals;
  };
  Membership(RunState& run, const Concerned& to) : run_(run), to_(to) {}

  /// A node says hello. @throws ConfigError where it runs something else; DataError where all have come, and a version
  /// is nowhere that the journal names
  void hello(NodeId node, const Hello& hello);
  /// A node is lost. One that an earlier incarnation knew is lost even if it has not said hello to this one.
  void lost(NodeId node);
  /// Asks all whom an earlier incarnation knew to say hello: the run goes on.
  void call_all();
  /// Begins the run, or goes on without those that do not come, once it is time for that.
  void start_if_late();
  /// When start_if_late() is to be called at the latest; nullopt: nobody is waited for.
  std::optional<Seconds> late_at() const;

 private:
  void welcome_worker(NodeId node, const Hello& hello);
  void welcome_store(NodeId node, const Hello& hello);
  void start_when_ready();

  RunState& run_;
  Concerned to_;
  std::optional<std::string> arithmetic_;  ///< of the first node that said hello
};

}  // namespace dipaco
