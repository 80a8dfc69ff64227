#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/outer/outer_gradient.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"
#include "core/state/module_files.hpp"

namespace dipaco {

/// Adds outer gradients as they arrive, in any order, and steps a module once all its paths' are in (§3.3). A version
/// leaves its executor once it is durable: in the executor's storage and at the stores that the coordinator named.
class Executor {
 public:
  Executor(const RunPlan& plan, Seams seams, const NodeSelf& self);
  void run();

 private:
  /// One module that is this executor's.
  struct Module {
    Epoch epoch = 0;
    NodeId source{-1};            ///< store that it is taken from; -1: it was here
    std::int32_t version = -1;    ///< -1: under way from `source`
    bool out = false;             ///< `version` may be given to others
    Values parameters;            ///< of `version`
    std::vector<float> velocity;  ///< empty where nothing is learned
    double norm = 0;              ///< of the outer gradient that made `version`
    OuterAccumulator sum{0};
    std::map<PathId, double> weights;  ///< alpha of Eq. 2-3, of the paths through it, at outer step `version`
    std::map<PathId, NodeId>
        received;  ///< paths whose outer gradient for version + 1 is in, and who sent it; -1: a store
    std::map<PathId, NodeId> remaking;  ///< paths whose outer gradient is to be made again, and the store to ask
    std::set<std::pair<NodeId, std::int32_t>> waiting;  ///< who asked for a version that is not out yet
    std::set<NodeId> receivers;                         ///< to whom `version` is pushed once it is out
    std::vector<NodeId> copies;                         ///< stores that must have a version before it is out
    std::set<NodeId> unstored;                          ///< of these, who have not acknowledged `version`
    std::set<NodeId> supplied;                          ///< of these, who have all earlier versions that are kept
    std::int32_t announced = 0;                         ///< newest version that was out, as far as is known
  };
  /// What was asked of a store, or put to it, and has not been answered.
  struct Errand {
    NodeId store{-1};
    ModuleId module;
    PathId path{-1};            ///< of an outer gradient to be made again; -1: the module itself
    std::int32_t version = -1;  ///< that is put; -1: fetched
    friend auto operator<=>(const Errand&, const Errand&) = default;
  };

  void receive_one();
  void handle(NodeId from, Message message);
  void say(Hello& hello) const;

  // Ownership (executor_modules.cpp).
  void take(const OwnModules& own);
  void begin(const OwnModule& own);
  void load(ModuleId module, std::int32_t version);
  void take_copy(NodeId from, const ModuleCopy& copy);
  ModuleState state_of(const Module& mine) const;
  void put_copies(ModuleId module, Module& mine);
  void stored(NodeId from, const ModuleStored& answer);
  void publish_if_durable(ModuleId module, Module& mine);
  void finish(const Finish& request);

  // Outer steps (executor.cpp).
  void take_early();
  bool knows_sizes(std::int32_t outer_step) const;
  std::vector<PathId> contributors(ModuleId module, std::int32_t outer_step) const;
  void weigh(ModuleId module, Module& mine) const;
  void add(ModuleId module, TaskId task, const GradientValues& difference, NodeId from);
  /// Whether this version has values that are to be made here and now.
  bool computes(ModuleId module, std::int32_t version) const;
  void step(ModuleId module, Module& mine);
  void serve(NodeId from, const FetchModule& fetch);
  void make_again(const GradientsLost& lost);
  void add_from_store(const PathModule& after);

  // What stores owe (executor_modules.cpp).
  bool errands_unsent() const;
  void run_errands();

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  ModuleFiles files_;
  std::map<ModuleId, Module> modules_;
  std::map<std::int32_t, std::vector<double>> sizes_;    ///< |D_i| by phase, [P]
  std::vector<std::pair<NodeId, OuterGradient>> early_;  ///< of modules or phases that are not known here yet
  std::set<Errand> sent_;                                ///< errands under way
  bool told_ = false;                                    ///< what it owns
  bool finished_ = false;
};

}  // namespace dipaco
