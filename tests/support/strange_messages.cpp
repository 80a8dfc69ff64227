#include "tests/support/strange_messages.hpp"

#include <limits>

namespace dipaco {
namespace {

using Numbers = std::vector<std::int32_t>;
constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kSmallest = std::numeric_limits<std::int32_t>::min();

/// Puts them together. Behind each name: what this run does not have, but where it says otherwise.
class Strange {
 public:
  explicit Strange(const RunPlan& plan)
      : steps(static_cast<std::int32_t>(plan.config.outer.steps)),
        tau(static_cast<std::int32_t>(plan.config.inner.steps)),
        bad_phases{kSmallest, 0, plan.timetable.phases(), kLargest},
        bad_versions{kSmallest, -1, steps + 1, kLargest},
        bad_states{kSmallest, -1, 0, steps + 1, kLargest},
        bad_steps{kSmallest, -1, steps, kLargest},
        bad_inner{kSmallest, -1, tau, kLargest},
        phase_begin(number(plan.timetable.begin(1))) {
    const std::int32_t levels = plan.topology.levels();
    for (const std::int32_t path : {kSmallest, -2, plan.topology.paths(), kLargest}) bad_paths.push_back(PathId{path});
    bad_modules = {{kSmallest, 0},
                   {-1, 0},
                   {levels, 0},
                   {kLargest, 0},
                   {0, kSmallest},
                   {0, -1},
                   {0, plan.topology.level(0).experts},
                   {0, kLargest}};
    bad_shared = bad_modules;
    bad_shared.push_back({levels - 1, 0});  // a path's own
    const ModuleId shared = plan.topology.module(PathId{0}, 0);
    bad_of_path = bad_shared;  // one that path 0 does not go through
    bad_of_path.push_back({0, shared.expert == 0 ? 1 : 0});
    good = shared;
    for (std::int32_t l = 0; l < levels; ++l) {
      const ModuleId module = plan.topology.module(PathId{0}, l);
      if (!plan.topology.path_specific(module)) base.push_back({module, Version{0}});
    }
  }

  template <class Bad, class Make>
  void each(const std::vector<Bad>& values, const Make& make) {
    for (const Bad& value : values) all.emplace_back(make(value));
  }

  std::vector<Body> all;
  std::int32_t steps, tau;
  std::vector<PathId> bad_paths;
  Numbers bad_phases, bad_versions, bad_states, bad_steps, bad_inner;
  std::vector<ModuleId> bad_modules, bad_shared, bad_of_path;
  ModuleId good;
  Base base;  ///< a good one, of path 0
  std::int32_t phase_begin;
};

constexpr PathId kPath{0};

HeldState held(PathId path, std::int32_t version, std::int32_t inner) {
  return {.path = path, .version = version, .inner_steps = inner, .epoch = 1};
}
PathStateBody state(PathId path, std::int32_t version, std::int32_t inner) {
  return {.path = path, .version = version, .inner_steps = inner};
}

/// `make` of a path, a version and inner steps.
template <class Make>
void add_states(Strange& s, const Make& make) {
  s.each(s.bad_paths, [&](PathId path) { return make(path, 1, 0); });
  s.each(s.bad_states, [&](std::int32_t version) { return make(kPath, version, 0); });
  s.each(s.bad_inner, [&](std::int32_t inner) { return make(kPath, 1, inner); });
  s.each(s.bad_steps, [&](std::int32_t version) { return make(kPath, version, 1); });
}

/// `make` of a shared module and a version.
template <class Make>
void add_modules(Strange& s, const Make& make) {
  s.each(s.bad_shared, [&](ModuleId module) { return make(module, Version{1}); });
  s.each(s.bad_versions, [&](std::int32_t version) { return make(s.good, Version{version}); });
}

/// `make` of a module, a path and a number of `bad`.
template <class Make>
void add_of_paths(Strange& s, const Numbers& bad, const Make& make) {
  s.each(s.bad_of_path, [&](ModuleId module) { return make(module, kPath, 1); });
  s.each(s.bad_paths, [&](PathId path) { return make(s.good, path, 1); });
  s.each(bad, [&](std::int32_t number) { return make(s.good, kPath, number); });
}

/// `make` of a path and a number of `bad`.
template <class Make>
void add_paths(Strange& s, const Numbers& bad, const Make& make) {
  s.each(s.bad_paths, [&](PathId path) { return make(path, 1); });
  s.each(bad, [&](std::int32_t number) { return make(kPath, number); });
}

TaskId task(PathId path, std::int32_t outer_step) { return {path, OuterStep{outer_step}}; }

void add_to_coordinator(Strange& s) {
  add_states(s, [](auto... of) { return Hello{.role = Role::store, .states = {held(of...)}}; });
  add_modules(s, [](auto... of) { return Hello{.role = Role::executor, .modules = {{of..., 1}}}; });
  add_paths(s, s.bad_steps, [](auto... of) { return Hello{.role = Role::worker, .task = task(of...)}; });
  add_states(s, [](auto... of) { return Committed{held(of...)}; });
  add_modules(s, [](auto... of) { return ModuleReady{of..., 1}; });
  add_paths(s, s.bad_steps, [](auto... of) { return StateRefused{task(of...), 1, NodeId{3}}; });
  add_of_paths(s, s.bad_steps, [](ModuleId m, PathId p, std::int32_t t) { return GradientsLost{m, task(p, t)}; });
  add_of_paths(s, s.bad_steps, [](ModuleId m, PathId p, std::int32_t t) { return GradientDoubted{m, task(p, t), 1}; });
  add_paths(s, s.bad_versions, [](PathId p, std::int32_t t) { return PathStatus{p, OuterStep{t}, 1}; });
  add_paths(s, s.bad_steps, [](auto... of) { return TaskDone{.id = task(of...), .epoch = 1}; });
  s.all.emplace_back(TaskDone{.id = task(kPath, 1), .epoch = 1, .computing = std::numeric_limits<double>::quiet_NaN()});
  const auto no_kind = static_cast<MessageKind>(kMessageKinds);
  s.all.emplace_back(Movement{1, 2, {{NodeId{2}, true, no_kind, Bytes{2}, Bytes{1}}}});
  add_paths(s, s.bad_versions, [](auto... of) { return Evaluated{of..., Purpose::progress}; });
  const Numbers other{0, s.phase_begin + 1};
  s.each(other, [](std::int32_t version) { return Evaluated{kPath, version, Purpose::routing}; });
  s.each(s.bad_phases, [](std::int32_t phase) { return RouterFitted{phase, "router"}; });
  s.each(s.bad_phases, [](std::int32_t phase) { return DocumentsRouted{.phase = phase}; });
  s.each(Numbers{kSmallest, -1, kLargest},
         [](std::int32_t first) { return DocumentsRouted{.phase = 1, .first = first}; });
  s.all.emplace_back(GradientsMade{task(kPath, 1), true, {}});  // no gradients are exchanged
  for (const Body& of_transports : {Body(AskForTurn{kCoordinator}), Body(Turn{kCoordinator}), Body(TurnOver{})})
    s.all.push_back(of_transports);
  s.each(s.bad_phases, [](std::int32_t phase) { return FetchShard{phase, kPath}; });
  s.each(s.bad_paths, [](PathId path) { return FetchShard{1, path}; });
  s.each(s.bad_modules, [](ModuleId module) { return Finished{{{module, "hash"}}, {}}; });
  s.each(s.bad_modules, [](ModuleId module) { return Finished{{}, {{module, Version{1}, 0}}}; });
  s.each(s.bad_versions, [&](std::int32_t version) { return Finished{{}, {{s.good, Version{version}, 0}}}; });
}

void add_to_workers(Strange& s) {
  s.each(s.bad_shared, [](ModuleId module) { return Owners{{{module, NodeId{2}, 9}}}; });
  const auto whole = [&s](TaskId id) { return Task{.id = id, .epoch = 9, .inner_steps = s.tau, .base = s.base}; };
  const auto changed = [&whole](auto Task::*member, auto value) {
    Task one = whole(task(kPath, 1));
    one.*member = value;
    return one;
  };
  add_paths(s, s.bad_steps, [&](auto... of) { return whole(task(of...)); });
  s.each(s.bad_inner, [&](std::int32_t inner) { return changed(&Task::first_inner_step, inner); });
  s.each(Numbers{kSmallest, -1, 0, s.tau + 1, kLargest},
         [&](std::int32_t length) { return changed(&Task::inner_steps, length); });
  s.each(s.bad_shared, [&](ModuleId m) { return changed(&Task::owners, std::vector<Owner>{{m, NodeId{2}, 9}}); });
  add_modules(s, [](auto... of) { return ModuleValues{of..., 9, {}}; });
  add_modules(s, [](auto... of) { return FetchFailed{of...}; });
  add_modules(s, [](auto... of) { return FetchThroughCache{{of...}, NodeId{3}}; });
  add_states(s, [](auto... of) { return PathState{state(of...)}; });
  add_states(s, [](auto... of) { return Stored{of..., 1, true, NodeId{1}}; });
  add_paths(s, s.bad_versions, [](auto... of) { return Evaluate{of..., Purpose::progress}; });
  s.all.emplace_back(changed(&Task::base, Base{}));
  s.all.emplace_back(Evaluate{kPath, 1, Purpose::progress});
  s.all.emplace_back(MakeGradients{task(kPath, 1), NodeId{1}, {}, {}, {}});  // no gradients are exchanged
  s.each(s.bad_shared, [](ModuleId m) {
    return Evaluate{kPath, 1, Purpose::progress, NodeId{1}, {{m, NodeId{2}, 9}}};
  });
  s.each(s.bad_phases, [](std::int32_t phase) { return FitRouter{.phase = phase}; });
  s.each(s.bad_phases, [](std::int32_t phase) { return RouteDocuments{phase, 0, 1, "router"}; });
  for (const auto& [first, count] : {std::pair(-1, 1), {0, -1}, {0, kLargest}, {kLargest, kLargest}, {kSmallest, 1}}) {
    s.all.emplace_back(RouteDocuments{1, first, count, "router"});
  }
  s.each(s.bad_phases, [](std::int32_t phase) { return ShardDocuments{.phase = phase, .path = kPath}; });
  s.each(s.bad_paths, [](PathId path) { return ShardDocuments{.phase = 1, .path = path}; });
}

void add_to_executors(Strange& s) {
  add_modules(s, [](ModuleId m, Version v) { return OwnModules{{{m, 9, v, NodeId{1}, {}}}, {}}; });
  add_paths(s, s.bad_versions, [](auto... of) { return OwnModules{{}, {0, {{of...}}}}; });
  add_modules(s, [](auto... of) { return FetchModule{of...}; });
  add_of_paths(s, s.bad_steps, [](ModuleId m, PathId p, std::int32_t t) {
    return OuterGradient{m, {p, OuterStep{t}}, Version{0}, 1, {}};
  });
  add_of_paths(s, s.bad_steps, [](ModuleId m, PathId p, std::int32_t t) {
    return RelayedGradient{{m, {p, OuterStep{t}}, Version{0}, 1, {}}, NodeId{3}, 1};
  });
  add_of_paths(s, s.bad_steps, [](ModuleId m, PathId p, std::int32_t t) {
    return GradientSum{m, Version{0}, 1, {{{p, OuterStep{t}}, 1}}, {}, 1};
  });
  add_of_paths(s, s.bad_states, [](auto... of) { return PathModule{of..., {}}; });
  add_modules(s, [](auto... of) { return ModuleStored{of..., 9, false}; });
  add_modules(s, [](auto... of) { return ModuleCopy{of..., 9, true, {}, {}, {}, {}}; });
  add_modules(s, [](auto... of) { return KeepVersions{of..., {}}; });
  add_modules(s, [](auto... of) { return NobodyElse{of..., 9, {}}; });
  s.each(s.bad_phases, [](std::int32_t phase) { return ShardSizes{phase, {1, 1, 1, 1}}; });
  s.all.emplace_back(ShardSizes{1, {1, 1, 1}});
}

void add_to_stores(Strange& s) {
  add_states(s, [](auto... of) { return FetchPathState{of..., true}; });
  add_states(s, [](auto... of) { return PutPathState{9, NodeId{6}, state(of...)}; });
  add_paths(s, s.bad_states, [](auto... of) { return CopyPathState{of..., NodeId{1}}; });
  add_of_paths(s, s.bad_states, [](auto... of) { return FetchPathModule{of...}; });
  add_modules(s, [](auto... of) { return PutModule{of..., 9, {}, {}, {}, {}}; });
  add_paths(s, s.bad_steps, [](auto... of) { return GradientTaken{1, false, {task(of...)}}; });
  s.each(s.bad_shared, [](ModuleId module) { return FetchModuleCopy{module, 9}; });
  s.each(s.bad_shared, [](ModuleId module) { return RegionDifference{module, 0, 0, 1, 9, {}}; });
  s.each(s.bad_shared, [](ModuleId module) { return GlobalParameters{module, 0, Version{0}, {}}; });
  s.each(s.bad_shared, [](ModuleId module) { return LastDifference{module, Version{0}}; });
  add_paths(s, s.bad_versions, [](PathId p, std::int32_t t) { return QueryPath{p, OuterStep{t}, 9}; });
  s.each(s.bad_versions, [](std::int32_t version) { return Release{{version, {}}}; });
  add_paths(s, s.bad_versions, [](auto... of) { return Release{{0, {{of...}}}}; });
  s.each(s.bad_versions, [](std::int32_t version) { return Finish{version, {}, {}}; });
  add_paths(s, s.bad_versions, [](auto... of) { return Finish{1, {{of...}}, {}}; });
  add_paths(s, s.bad_versions, [](auto... of) { return Finish{1, {}, {{of...}}}; });
}

}  // namespace

std::vector<Body> strange_messages(const RunPlan& plan) {
  Strange strange(plan);
  add_to_coordinator(strange);
  add_to_workers(strange);
  add_to_executors(strange);
  add_to_stores(strange);
  return std::move(strange.all);
}

}  // namespace dipaco
