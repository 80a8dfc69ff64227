// A run that stops early (§2.7) leaves every version of a module that is some path's best, wherever it lies.

#include <catch2/catch.hpp>

#include "core/base/text.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// The last phase begins early, so that versions far from the last are some paths' best; each state is in one store.
RunPlan early_best(MadeUpRun& made) {
  made.config.outer.steps = 8;
  made.config.inner.steps = 4;
  made.config.routing.reshard_at = std::string("1");
  made.config.evaluate.early_stopping = true;
  made.config.data.holdout_fraction = 0.2;
  made.config.run.replicas = 1;
  made.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  return made.plan();
}

/// The workers beside the first store are off for good from `time` on: states from then on go to the other store, which
/// has none of the earlier ones.
std::vector<HostOutage> first_site_off(Seconds time) {
  return {{"h3", time, std::nullopt}, {"h4", time, std::nullopt}};
}

/// Of the files that model/paths names, those that are not there; "none" where all are.
std::string missing_files(const RunPlan& plan, const ModelFiles& model) {
  std::string missing;
  for (const auto& [path, version] : best_versions(model)) {
    for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
      const ModuleId module = plan.topology.module(path, l);
      std::string file = "module-" + std::to_string(module.level) + "." + std::to_string(module.expert);
      if (version < plan.config.outer.steps) file += "-version-" + std::to_string(version);
      if (!model.contains(file)) missing += file + " ";
    }
  }
  return missing.empty() ? "none" : missing;
}

}  // namespace

TEST_CASE("the best versions are exported from the stores that have them, not from those of the last", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = early_best(made);
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  CHECK(in_child([&] {
          const ModelFiles model = run_world(plan, {}).simulated.report.model;
          return std::to_string(stopping_early(plan, model, 5)) + " early, missing " + missing_files(plan, model);
        }) == "2 early, missing none");
  const auto times = event_times(plan);
  for (const std::size_t part : {3, 5, 7}) {
    const WorldOptions world{.outages = first_site_off(times[times.size() * part / 10])};
    CHECK(in_child([&] { return missing_files(plan, run_world(plan, world).simulated.report.model); }) == "none");
    CHECK(world_hash(plan, world) == hash);
  }
}

TEST_CASE("nodes that begin anew between the request for the model and the farewell lose nothing of it", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = early_best(made);
  const std::string hash = world_hash(plan, {});
  const auto times = event_times(plan);
  const std::vector<FaultTarget> targets{
      {Role::coordinator, 0}, {Role::store, 0}, {Role::store, 1}, {Role::executor, 0}, {Role::executor, 1}};
  // Before the request is read or sent, behind the first write, and in its middle; for shorter and longer than the
  // limit.
  for (const FaultKind kind : {FaultKind::restart, FaultKind::sync_error, FaultKind::short_write}) {
    for (const FaultTarget& target : targets) {
      for (const double lasting : {0.5, 8.0}) {
        const Fault fault{.kind = kind, .target = target, .stage = FaultStage::finishing, .lasting = Seconds(lasting)};
        const WorldOptions world{.outages = first_site_off(times[times.size() / 2]), .faults = {fault, fault}};
        INFO(name(kind) << " of " << name(target.role) << " " << target.number << " for " << lasting << " s, twice");
        CHECK(in_child([&] {
                const WorldEnd end = run_world(plan, world);
                return hash_of(end) + (end.simulated.report.never_struck.empty() ? "" : ", but not struck twice");
              }) == hash);
      }
    }
  }
}

}  // namespace dipaco::testing
