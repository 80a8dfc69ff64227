#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backends/loopback/run.hpp"
#include "core/state/path_values.hpp"
#include "tests/loopback/finished_modules.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco {
namespace {

std::string optimizer_hash(const RunPlan& plan, std::int32_t workers, std::int32_t executors) {
  return run_loopback(plan, {.workers = workers, .executors = executors}).result.parameters_hash;
}

}  // namespace

TEST_CASE("with every outer optimizer a run ends alike with any number of workers, own modules among them",
          "[loopback]") {
  std::set<std::string> hashes;
  for (const char* optimizer : {"auto", "nesterov", "sgd", "adamw"}) {
    MadeUpRun run("2x2", "blocks:0");
    run.config.outer.optimizer = optimizer;
    const RunPlan plan = run.plan();
    const std::string hash = optimizer_hash(plan, 1, 1);
    CHECK(hash.size() == 32);
    CHECK(optimizer_hash(plan, 4, 2) == hash);
    hashes.insert(hash);
  }
  CHECK(hashes.size() == 3);  // auto is Nesterov's
}

TEST_CASE("with lengths and directions averaged apart a run ends alike with any number of nodes, and further off",
          "[loopback]") {
  MadeUpRun run("2x2");
  std::map<std::string, double> moved;
  for (const char* averaging : {"mean", "radial_directional"}) {
    run.config.outer.averaging = averaging;
    const RunPlan plan = run.plan();
    const std::string hash = optimizer_hash(plan, 1, 1);
    CHECK(hash.size() == 32);
    CHECK(optimizer_hash(plan, 4, 2) == hash);
    const std::vector<float> start = copy_of(start_module(plan, {0, 0}));
    const auto end = modules_of(run, plan).at("module-0.0");
    for (std::size_t k = 0; k < end.size(); ++k) moved[averaging] += std::abs(end[k] - start[k]);
  }
  CHECK(moved.at("radial_directional") > 1.01 * moved.at("mean"));  // of two paths that do not point to one side
}

TEST_CASE("with SGD of rate 1 and one path a module, outer steps change nothing that inner steps have made",
          "[loopback]") {
  MadeUpRun flat("flat:2");
  flat.config.outer.optimizer = "sgd";
  flat.config.outer.learning_rate = 1;
  const RunPlan plan = flat.plan();
  const auto modules = modules_of(flat, plan);
  REQUIRE(modules.size() == 2);
  const std::atomic<bool> stop{false};
  const InnerSteps total{flat.config.outer.steps * flat.config.inner.steps};
  for (std::int32_t path = 0; path < 2; ++path) {
    TrainState state = flat.prepared()->start;
    const auto& reader = plan.learner->shard(PathId{path})->reader;
    const InnerSteps all = state.step + total;
    flat.trainer->inner_steps(
        state, [&](InnerSteps step) { return reader.batch(step); }, {.count = total, .total = all}, stop);
    const auto& trained = std::next(modules.begin(), path)->second;
    REQUIRE(trained.size() == state.parameters.size());
    // before - (before - after) is rounded to 2^-40 and to a float's precision, once an outer step.
    for (std::size_t k = 0; k < trained.size(); ++k) REQUIRE(trained[k] == Approx(state.parameters[k]).margin(1e-6));
  }
}

}  // namespace dipaco
