#include "core/roles/message_check.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/plan/job_cost.hpp"
#include "core/plan/regions.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

/// What there is in a run.
class Existence {
 public:
  explicit Existence(const RunPlan& plan) : plan_(plan) {}

  bool path(PathId id) const { return index(id) >= 0 && index(id) < plan_.topology.paths(); }
  bool version(std::int32_t version) const { return version >= 0 && version <= plan_.timetable.end(); }
  bool version(PathId id, std::int32_t of) const { return path(id) && version(of); }
  bool task(TaskId task) const {
    return path(task.path) && number(task.outer_step) >= 0 && plan_.timetable.trains(task.path, task.outer_step);
  }
  bool inner_steps(std::int32_t steps) const { return steps >= 0 && steps < plan_.config.inner.steps; }
  /// Of a task, of which so many are done.
  bool length(std::int32_t steps, std::int32_t done) const { return steps > done && steps <= plan_.config.inner.steps; }
  /// Whole, made by the outer step before, or, with `inner` steps, in the middle of one.
  bool state(PathId id, std::int32_t version, std::int32_t inner = 0) const {
    return inner == 0 ? version > 0 && task({id, OuterStep{version - 1}})
                      : inner_steps(inner) && task({id, OuterStep{version}});
  }
  bool module(ModuleId module) const {
    return module.level >= 0 && module.level < plan_.topology.levels() && module.expert >= 0 &&
           module.expert < plan_.topology.level(module.level).experts;
  }
  bool shared(ModuleId id) const { return module(id) && !plan_.topology.path_specific(id); }
  /// Without rounds, each contribution may make a version of its own.
  bool shared(ModuleId id, Version of) const {
    if (!shared(id)) return false;
    const bool global = plan_.topology.is_global(id);  // no more differences come than contributions
    const std::int64_t through = global ? plan_.topology.paths() : std::ssize(plan_.topology.paths_through(id));
    const std::int64_t each = plan_.policy.rounds ? 1 : through;
    const bool named = plan_.policy.rounds || of == Version{0} ? of.owner == 0 : of.owner > 0;
    return named && of.number >= 0 && of.number <= each * plan_.timetable.end();
  }
  bool shared(ModuleId module, PathId of) const {
    return shared(module) && path(of) && plan_.topology.module(of, module.level) == module;
  }
  /// The path goes through the module; or what is no path merges into it.
  bool contributes(ModuleId id, PathId by, OuterStep step) const {
    return shared(id, by) || (shared(id) && merges_into(plan_, by, id) && number(step) >= 0);
  }
  const RunPlan& plan() const { return plan_; }
  /// It names all shared modules of the path; where they are scored, global parts in place of regional ones.
  bool base(PathId id, const Base& of, bool scored = false) const {
    if (!path(id)) return false;
    for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
      ModuleId module = plan_.topology.module(id, l);
      if (plan_.topology.path_specific(module)) continue;
      if (scored) module = plan_.topology.whole(module);
      const auto named = std::ranges::find(of, module, &BaseVersion::module);
      if (named == of.end() || !shared(module, named->version)) return false;
    }
    return true;
  }
  /// Behind the first: those that messages are about.
  bool phase(std::int32_t phase) const { return phase > 0 && phase < plan_.timetable.phases(); }
  bool documents(std::int32_t in_phase, std::int32_t first, std::int32_t count) const {
    return phase(in_phase) && first >= 0 && count >= 0 && count <= routed_documents(plan_) - first;
  }
  /// A score for each document that is scored for the router; none where an earlier process has computed them.
  bool scores(const Evaluated& of) const {
    if (of.purpose != Purpose::routing) return true;
    const std::int32_t in_phase = plan_.timetable.phase_of(OuterStep{of.version});
    const auto* const each = of.by_document.data.get();
    return phase(in_phase) && plan_.timetable.begin(in_phase) == OuterStep{of.version} &&
           (each == nullptr || each->size() == router_documents(plan_));
  }
  /// Of a run that exchanges gradients (`yes`), or outer gradients.
  bool gradients(bool yes) const { return exchanges_gradients(plan_) == yes; }
  bool a_number_a_path(std::size_t count) const { return count == static_cast<std::size_t>(plan_.topology.paths()); }

 private:
  const RunPlan& plan_;
};

template <class Items, class Holds>
bool all(const Items& items, const Holds& holds) {
  return std::all_of(items.begin(), items.end(), holds);
}

bool is_known(const Existence& run, const HeldState& m) { return run.state(m.path, m.version, m.inner_steps); }
bool is_known(const Existence& run, const SettledPath& m) { return run.version(m.path, number(m.outer_step)); }
bool is_known(const Existence& run, const Dropped& m) { return run.task({m.path, m.outer_step}); }
bool is_known(const Existence& run, const Applied& m) { return run.task({m.path, m.outer_step}); }
bool is_known(const Existence& run, const BaseVersion& m) { return run.shared(m.module, m.version); }
bool is_known(const Existence& run, const Owner& m) { return run.shared(m.module); }
bool is_known(const Existence& run, const PathVersion& m) { return run.version(m.path, m.version); }
template <class Item>
bool is_known(const Existence& run, const std::vector<Item>& items) {
  return all(items, [&](const Item& item) { return is_known(run, item); });
}
/// Contributions to the module, by paths through it, or by what merges into it.
template <class Item>
bool give(const Existence& run, ModuleId module, const std::vector<Item>& items) {
  return all(items, [&](const Item& item) {
    return run.contributes(module, item.path, item.outer_step) &&
           (!is_path(run.plan(), item.path) || is_known(run, item));
  });
}
bool is_known(const Existence& run, const HeldModule& m) {
  return run.shared(m.module, m.version) && give(run, m.module, m.settled) && give(run, m.module, m.dropped);
}
bool is_known(const Existence& run, const OwnModule& m) {
  return run.shared(m.module, m.version) && give(run, m.module, m.settled);
}
/// A copy of a module: PutModule, ModuleCopy.
template <class Copy>
bool is_whole(const Existence& run, const Copy& m) {
  return run.shared(m.module, m.version) && give(run, m.module, m.update.applied) &&
         give(run, m.module, m.update.dropped) && give(run, m.module, m.settled);
}
/// Of measurements nothing exists beforehand, but time does not run backwards.
bool is_known(const Existence& /*run*/, const MeasuredWay& m) {
  return std::isfinite(m.seconds_a_byte) && m.seconds_a_byte > 0;
}
bool is_known(const Existence& run, const Released& m) { return run.version(m.version) && is_known(run, m.best); }
bool is_known(const Existence& run, const PathStateBody& m) { return run.state(m.path, m.version, m.inner_steps); }

// One for each kind of message, in their order.

bool is_known(const Existence& run, const Hello& m) {
  const bool at_none = m.task.path == PathId{-1};
  return (at_none || run.task(m.task)) && is_known(run, m.states) && is_known(run, m.modules);
}
bool is_known(const Existence& /*run*/, const WhoIsThere& /*m*/) { return true; }
bool is_known(const Existence& run, const OwnModules& m) {
  return is_known(run, m.modules) && is_known(run, m.released);
}
bool is_known(const Existence& run, const Owners& m) { return is_known(run, m.owners); }
bool is_known(const Existence& run, const Task& m) {
  const bool where = run.task(m.id) && run.inner_steps(m.first_inner_step) && is_known(run, m.owners);
  return where && (m.again || (run.length(m.inner_steps, m.first_inner_step) && run.base(m.id.path, m.base)));
}
bool is_known(const Existence& run, const FetchModule& m) { return run.shared(m.module, m.version); }
bool is_known(const Existence& run, const FetchThroughCache& m) { return is_known(run, m.wanted); }
bool is_known(const Existence& run, const FetchFailed& m) { return run.shared(m.module, m.version); }
bool is_known(const Existence& run, const ModuleValues& m) { return run.shared(m.module, m.version); }
bool is_known(const Existence& run, const FetchPathState& m) { return run.state(m.path, m.version, m.inner_steps); }
bool is_known(const Existence& run, const PathState& m) { return is_known(run, m.state); }
bool is_known(const Existence& run, const PutPathState& m) { return is_known(run, m.state); }
bool is_known(const Existence& run, const Stored& m) { return run.state(m.path, m.version, m.inner_steps); }
bool is_known(const Existence& run, const CopyPathState& m) { return run.state(m.path, m.version); }
bool is_known(const Existence& run, const Committed& m) { return is_known(run, m.state) && is_known(run, m.ways); }
bool is_known(const Existence& run, const OuterGradient& m) {
  return run.shared(m.module, m.task.path) && run.task(m.task) && run.shared(m.module, m.base);
}
bool is_known(const Existence& run, const RelayedGradient& m) { return is_known(run, m.gradient); }
bool is_known(const Existence& run, const GradientSum& m) {
  const bool tasks =
      all(m.tasks, [&](const SummedTask& each) { return run.shared(m.module, each.task.path) && run.task(each.task); });
  return tasks && run.shared(m.module, m.base);
}
bool is_known(const Existence& run, const GradientTaken& m) {
  return all(m.lacking, [&](const TaskId& task) { return run.task(task); });
}
bool is_known(const Existence& run, const FetchPathModule& m) {
  return run.gradients(false) && run.shared(m.module, m.path) && run.state(m.path, m.version);
}
bool is_known(const Existence& run, const PathModule& m) {
  return run.gradients(false) && run.shared(m.module, m.path) && run.state(m.path, m.version);
}
bool is_known(const Existence& run, const PutModule& m) { return is_whole(run, m); }
bool is_known(const Existence& run, const ModuleStored& m) { return run.shared(m.module, m.version); }
bool is_known(const Existence& run, const FetchModuleCopy& m) { return run.shared(m.module); }
bool is_known(const Existence& run, const ModuleCopy& m) { return is_whole(run, m); }
bool is_known(const Existence& run, const ModuleReady& m) {
  return run.shared(m.module, m.version) && give(run, m.module, m.settled) && give(run, m.module, m.dropped) &&
         is_known(run, m.ways);
}
bool is_known(const Existence& run, const GradientsLost& m) {
  return run.shared(m.module, m.task.path) && run.task(m.task) && run.shared(m.module, m.base);
}
bool is_known(const Existence& run, const QueryPath& m) { return run.version(m.path, number(m.outer_step)); }
bool is_known(const Existence& run, const PathStatus& m) { return run.version(m.path, number(m.outer_step)); }
bool is_known(const Existence& run, const TaskDone& m) {
  return (m.id.path == PathId{-1} || run.task(m.id)) && std::isfinite(m.computing) && is_known(run, m.ways);
}
bool is_known(const Existence& run, const Evaluate& m) {
  return run.version(m.path, m.version) && is_known(run, m.owners) && run.base(m.path, m.base, true);
}
bool is_known(const Existence& run, const Evaluated& m) { return run.version(m.path, m.version) && run.scores(m); }
bool is_known(const Existence& run, const FitRouter& m) { return run.phase(m.phase); }
bool is_known(const Existence& run, const RouterFitted& m) { return run.phase(m.phase); }
bool is_known(const Existence& run, const RouteDocuments& m) { return run.documents(m.phase, m.first, m.count); }
bool is_known(const Existence& run, const DocumentsRouted& m) { return run.documents(m.phase, m.first, 1); }
bool is_known(const Existence& run, const FetchShard& m) { return run.phase(m.phase) && run.path(m.path); }
bool is_known(const Existence& run, const ShardDocuments& m) { return run.phase(m.phase) && run.path(m.path); }
bool is_known(const Existence& run, const ShardSizes& m) {
  return run.phase(m.phase) && run.a_number_a_path(m.sizes.size());
}
bool is_known(const Existence& run, const Release& m) { return is_known(run, m.released); }
bool is_known(const Existence& run, const Finish& m) {
  return run.version(m.version) && is_known(run, m.paths) && is_known(run, m.best) && is_known(run, m.modules);
}
bool is_known(const Existence& run, const Finished& m) {
  // A store's are of a path's own modules, too.
  return all(m.hashes, [&](const OwnedHash& of) { return run.module(of.module); }) &&
         all(m.best, [&](const HeldModule& of) { return run.module(of.module) && run.version(number(of.version)); });
}
bool is_known(const Existence& /*run*/, const Goodbye& /*m*/) { return true; }
bool is_known(const Existence& run, const StateRefused& m) { return run.task(m.task); }
bool is_known(const Existence& run, const KeepVersions& m) { return run.shared(m.module, m.newest); }
bool is_known(const Existence& /*run*/, const HowFar& /*m*/) { return true; }
bool is_known(const Existence& /*run*/, const Movement& m) {
  return all(m.under_way, [](const UnderWay& of) { return static_cast<std::size_t>(of.kind) < kMessageKinds; });
}
bool is_known(const Existence& run, const MakeGradients& m) {
  return run.gradients(true) && run.task(m.task) && is_known(run, m.owners) && run.base(m.task.path, m.base) &&
         all(m.modules, [&](ModuleId module) { return run.shared(module, m.task.path); });
}
bool is_known(const Existence& run, const GradientsMade& m) {
  return run.gradients(true) && run.task(m.task) && is_known(run, m.sent_to);
}
bool is_known(const Existence& run, const NobodyElse& m) {
  return run.shared(m.module, m.version) && all(m.tasks, [&](const TaskId& task) { return run.task(task); });
}
bool is_known(const Existence& run, const GradientDoubted& m) {
  return run.shared(m.module, m.task.path) && run.task(m.task);
}
/// A regional part, and a version of it.
bool is_regional(const Existence& run, ModuleId part, std::int32_t version) {
  return run.module(part) && run.plan().topology.is_regional(part) && run.shared(part, {version, version > 0 ? 1 : 0});
}
bool is_known(const Existence& run, const RegionDifference& m) {
  return is_regional(run, m.part, m.merged) && m.versions > 0 && m.base >= 0;
}
bool is_known(const Existence& run, const GlobalParameters& m) {
  return is_regional(run, m.part, m.merged) && run.shared(run.plan().topology.whole(m.part), m.version);
}
bool is_known(const Existence& run, const LastDifference& m) {
  return is_regional(run, m.part, number(m.version)) && run.shared(m.part, m.version);
}
// A transport's own: no role gets one.
bool is_known(const Existence& /*run*/, const AskForTurn& /*m*/) { return false; }
bool is_known(const Existence& /*run*/, const Turn& /*m*/) { return false; }
bool is_known(const Existence& /*run*/, const TurnOver& /*m*/) { return false; }
// Those of a preflight name nothing of a run, where nobody hears them.
bool is_known(const Existence& /*run*/, const Attend& /*m*/) { return true; }
bool is_known(const Existence& /*run*/, const MeasureLink& /*m*/) { return true; }
bool is_known(const Existence& /*run*/, const Probe& /*m*/) { return true; }
bool is_known(const Existence& /*run*/, const ProbeArrived& /*m*/) { return true; }
bool is_known(const Existence& /*run*/, const LinkMeasured& /*m*/) { return true; }

}  // namespace

bool exists_in(const RunPlan& plan, const Message& message) {
  const Existence run(plan);
  return std::visit([&](const auto& body) { return is_known(run, body); }, message.body);
}

}  // namespace dipaco
