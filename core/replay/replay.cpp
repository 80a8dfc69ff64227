#include "core/replay/replay.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/plan/regions.hpp"
#include "core/replay/needed_versions.hpp"
#include "core/replay/region_differences.hpp"
#include "core/roles/modules/outer_stepper.hpp"
#include "core/roles/task_work.hpp"
#include "core/state/order.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

constexpr Epoch kAnyEpoch = 1;

/// Nobody else is there.
class NobodyThere : public Transport {
 public:
  NodeId self() const override { return NodeId{0}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId /*to*/, Message /*message*/) override {}
  std::optional<Incoming> receive(Seconds /*timeout*/) override { return std::nullopt; }
};

class Replay {
 public:
  Replay(const RunPlan& plan, RunOrder order) : plan_(plan), order_(std::move(order)) {
    count_uses();
    for (std::int32_t p = 0; p < plan.topology.paths(); ++p) states_.push_back(start_state(plan, PathId{p}));
    for (const ModuleId module : plan.topology.modules()) {
      if (!plan.topology.path_specific(module)) modules_[module] = at_start(module);
    }
    for (const auto& [path, tasks] : order_.tasks) count_.all += std::ssize(tasks);
  }

  /// @returns whether all of the order is done; false where nothing more of it can be
  bool run(const ReplayProgress& progress) {
    for (bool any = true; any;) {
      any = false;
      for (const auto& [path, tasks] : order_.tasks) any = train(path, tasks, progress) || any;
      for (const auto& [module, versions] : order_.versions) any = step(module, versions) || any;
    }
    return count_.done == count_.all && std::ranges::all_of(order_.versions, [this](const auto& of_module) {
             return number(modules_.at(of_module.first).version) == std::ssize(of_module.second);
           });
  }

  ReplayEnd end() const {
    std::map<ModuleId, std::string> hashes;
    ReplayEnd end{.tasks = count_.done};
    for (const auto& [module, mine] : modules_) {
      if (!plan_.topology.is_regional(module)) hashes[module] = hash_hex(floats_of(mine.parameters));
      end.versions += number(mine.version);
    }
    for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
      const auto parameters = own_parameters(plan_, states_[static_cast<std::size_t>(p)]);
      for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
        const ModuleId module = plan_.topology.module(PathId{p}, l);
        if (!plan_.topology.path_specific(module)) continue;
        hashes[module] = hash_hex(plan_.layout.part(std::span<const float>(parameters), l));
      }
    }
    end.parameters_hash = hash_hex(lines_of(hashes));
    return end;
  }

 private:
  struct Count {
    std::int64_t done = 0;
    std::int64_t all = 0;
  };

  OwnedModule at_start(ModuleId module) {
    OwnedModule mine{};
    mine.parameters = start_module(plan_, module);
    mine.velocity =
        make_values(start_velocity(plan_, module), velocity_factor(plan_, module) * mine.parameters.charged);
    mine.sum = stepper_.empty_sum(module, mine.parameters);
    versions_.put({module, Version{0}}, mine.parameters);
    return mine;
  }

  /// How often each version is needed: by tasks that begin with it, and by their contributions.
  void count_uses() {
    for (const auto& [path, tasks] : order_.tasks) {
      for (const OrderedTask& task : tasks) {
        for (const auto& [module, version] : task.base) versions_.need({module, version});
      }
    }
    for (const auto& [module, versions] : order_.versions) {
      for (const OrderedVersion& version : versions) {
        for (const TaskId& applied : version.applied) {
          if (merges_into(plan_, applied.path, module)) {
            if (plan_.topology.is_regional(module)) versions_.need(global_version(module, applied));
            continue;
          }
          const auto of_path = order_.tasks.find(applied.path);
          if (of_path == order_.tasks.end()) continue;  // the order's end is lacking
          const std::vector<OrderedTask>& tasks = of_path->second;
          const auto step = static_cast<std::size_t>(number(applied.outer_step));
          if (step < tasks.size()) versions_.need({module, version_in(tasks[step].base, module)});
        }
      }
    }
  }

  bool are_there(const Base& base) const {
    return std::ranges::all_of(base, [&](const BaseVersion& part) {
      return versions_.has({part.module, part.version});
    });
  }

  /// The path's tasks whose bases are there. @returns whether there was one
  bool train(PathId path, const std::vector<OrderedTask>& tasks, const ReplayProgress& progress) {
    bool any = false;
    PathStateBody& state = states_[static_cast<std::size_t>(index(path))];
    while (state.version < std::ssize(tasks)) {
      const OrderedTask& next = tasks[static_cast<std::size_t>(state.version)];
      if (!are_there(next.base)) break;
      state = trained(next, std::move(state));
      any = true;
      ++count_.done;
      if (progress) progress(count_.done, count_.all);
    }
    return any;
  }

  /// The state after the task; what it gives to modules waits for them.
  PathStateBody trained(const OrderedTask& ordered, PathStateBody before) {
    Supplies supplies(plan_, nobody_, compute_);
    supplies.modules.request(ordered.base);  // everyone has the prepared start
    for (const auto& [module, version] : ordered.base) {
      if (version > Version{0})
        supplies.modules.arrived({module, version, kAnyEpoch, versions_.get({module, version})});
    }
    const Task task{.id = ordered.id, .epoch = kAnyEpoch, .inner_steps = ordered.length, .base = ordered.base};
    TaskWork work(plan_, archive_, {task, std::move(before)}, supplies);
    work.run(compute_, std::nullopt);
    PathStateBody after = work.take_state();
    for (const auto& [module, version] : ordered.base) {
      const auto part = plan_.layout.part(floats_of(work.given()), module.level);
      given_[{module, ordered.id.path}] = {
          module,
          ordered.id,
          version,
          ordered.length,
          make_gradient(plan_, module.level, floats_of(versions_.get({module, version})), part),
          kAnyEpoch};
      versions_.used({module, version});
    }
    return after;
  }

  /// The module's versions whose contributions are there. @returns whether there was one
  bool step(ModuleId module, const std::vector<OrderedVersion>& versions) {
    OwnedModule& mine = modules_.at(module);
    const auto before = number(mine.version);
    while (number(mine.version) < std::ssize(versions)) {
      const OrderedVersion& next = versions[static_cast<std::size_t>(number(mine.version))];
      if (!std::ranges::all_of(next.applied, [&](const TaskId& task) { return is_given(module, task); })) break;
      make(module, mine, next);
    }
    return number(mine.version) > before;
  }

  /// The version of its global part that a regional part merges with.
  NeededVersions::Key global_version(ModuleId part, const TaskId& merge) const {
    return {plan_.topology.whole(part), Version{number(merge.outer_step)}};
  }

  bool is_given(ModuleId module, const TaskId& task) const {
    if (merges_into(plan_, task.path, module)) {
      if (plan_.topology.is_regional(module)) return versions_.has(global_version(module, task));
      return differences_.find(module, task) != nullptr;
    }
    const auto found = given_.find({module, task.path});
    return found != given_.end() && found->second.task == task;
  }

  void make(ModuleId module, OwnedModule& mine, const OrderedVersion& next) {
    stepper_.weigh(module, mine);
    for (const TaskId& task : next.applied) {
      merges_into(plan_, task.path, module) ? merge(module, mine, task) : add(module, mine, task);
    }
    mine.contributions.only_those_in_hand();
    mine.epoch = next.version.owner;
    const auto due = plan_.policy.step->step(stepper_.view(mine, Seconds(0)));
    require(due.has_value(), next, "would not be made of these contributions alone");
    stepper_.step(module, mine, due->scale);
    require(mine.version == next.version, next, "has another number");
    const bool global = plan_.topology.is_global(module);
    versions_.put({module, global ? Version{number(mine.version)} : mine.version}, mine.parameters);
    differences_.note(module, mine, number(mine.version) == std::ssize(order_.versions.at(module)));
  }

  /// Takes what comes from a global part, or from a region.
  void merge(ModuleId module, OwnedModule& mine, const TaskId& given) {
    if (const RegionDifference* const from = differences_.find(module, given)) {
      const double share = mine.contributions.shares().at(given.path);
      stepper_.add(mine, *from, share);
      mine.contributions.add({{given.path, given.outer_step, Version{from->base}, InnerSteps{from->versions}, share},
                              share,
                              NodeId{-1},
                              Seconds(0)});
      return;
    }
    require(plan_.regional_optimizer->is_cut(mine.version, merged_version(plan_, module, mine)), {module, mine.version},
            "would not merge");
    const auto key = global_version(module, given);
    mine.merging.global = {key.second, versions_.get(key)};
    versions_.used(key);
  }

  void add(ModuleId module, OwnedModule& mine, const TaskId& task) {
    const OuterGradient given = given_.extract({module, task.path}).mapped();
    const ContributionView view{task.path, task.outer_step, given.base, InnerSteps{given.inner_steps},
                                stepper_.share_of(mine, task.path, given.inner_steps)};
    const Verdict verdict = plan_.policy.step->arrived(stepper_.view(mine, Seconds(0)), view);
    const auto* const added = std::get_if<Add>(&verdict);
    require(added != nullptr, {module, mine.version}, "would not have the contribution of " + text(task.path));
    stepper_.add(mine, given, versions_.get({module, given.base}), added->weight);
    mine.contributions.add({view, added->weight, NodeId{-1}, Seconds(0)});
    versions_.used({module, given.base});
  }

  static void require(bool fits, const OrderedVersion& version, const std::string& what) {
    if (fits) return;
    throw DataError("version " + std::to_string(number(version.version)) + " of " + text(version.module) + " " + what +
                    " under the run file's policy: the order is another run's; put the run's own back");
  }

  const RunPlan& plan_;
  RunOrder order_;
  NobodyThere nobody_;
  NoArchive archive_;
  LoopbackCompute compute_{[] { return Seconds(0); }};
  OuterStepper stepper_{plan_, archive_};
  std::vector<PathStateBody> states_;  ///< [P]
  std::map<ModuleId, OwnedModule> modules_;
  NeededVersions versions_;
  std::map<std::pair<ModuleId, PathId>, OuterGradient> given_;  ///< of each path's newest task, not applied yet
  RegionDifferences differences_{plan_};
  Count count_;
};

/// What the order names is there in the plan.
void require_fits(const RunPlan& plan, const RunOrder& order, const std::string& source) {
  const auto shared = [&](PathId path) {
    std::int64_t count = 0;
    for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
      if (!plan.topology.path_specific(plan.topology.module(path, l))) ++count;
    }
    return count;
  };
  const auto fits_task = [&](const OrderedTask& task) {
    return task.length > 0 && std::ssize(task.base) == shared(task.id.path) && task.length <= plan.config.inner.steps &&
           std::ranges::all_of(task.base, [&](const BaseVersion& part) {
             const std::int32_t level = part.module.level;
             return level >= 0 && level < plan.topology.levels() &&
                    plan.topology.module(task.id.path, level) == part.module;
           });
  };
  const bool paths = std::ranges::all_of(order.tasks, [&](const auto& of_path) {
    const bool known = index(of_path.first) >= 0 && index(of_path.first) < plan.topology.paths();
    return known && std::ranges::all_of(of_path.second, fits_task);
  });
  const auto& modules = plan.topology.modules();
  const bool known = std::ranges::all_of(order.versions, [&](const auto& of_module) {
    return std::ranges::find(modules, of_module.first) != modules.end() &&
           !plan.topology.path_specific(of_module.first);
  });
  if (!paths || !known) throw DataError(source + ": the order is of another run; put the run's own file back");
}

}  // namespace

ReplayEnd replay(const RunPlan& plan, std::span<const std::byte> order, const std::string& source,
                 const ReplayProgress& progress) {
  check(plan.learner->learns(), "what was learned is computed again");
  if (plan.policy.rounds) {
    throw ConfigError("outer.policy=" + plan.policy.name +
                      " is one in rounds, whose parameters follow from the run file: run it again");
  }
  RunOrder read = read_order(order, source);
  require_fits(plan, read, source);
  Replay again(plan, std::move(read));
  if (!again.run(progress)) throw DataError(source + ": its end is lacking; put the run's own file back");
  return again.end();
}

}  // namespace dipaco
