// Outer gradients on the wire in each format: what a run ends with, and what it sends.

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <set>

#include "backends/loopback/run.hpp"
#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco {
namespace {

constexpr auto kFormats = {"fp32", "bf16", "int8", "e3m0"};

std::string hash_of(const RunPlan& plan, std::int32_t workers, std::int32_t executors = 1) {
  return run_loopback(plan, {.workers = workers, .executors = executors}).result.parameters_hash;
}

/// A run of one module that all paths share, in some lines without our runtime: the module's parameters at the end.
std::vector<float> diloco(const MadeUpRun& run, const RunPlan& plan, GradientFormat format) {
  const auto prepared = run.prepared();
  std::vector<float> theta = prepared->start.parameters;
  std::vector<float> velocity(theta.size(), 0.0F);
  std::vector<TrainState> replicas(prepared->shards.size(), prepared->start);
  const auto weights = path_weights(plan.shard_weights);
  const std::atomic<bool> stop{false};
  for (std::int64_t t = 0; t < run.config.outer.steps; ++t) {
    OuterAccumulator sum(theta.size());
    for (std::size_t path = 0; path < replicas.size(); ++path) {
      TrainState& replica = replicas[path];
      replica.parameters = theta;
      plan.learner->inner_steps(plan.learner->shard(PathId{static_cast<std::int32_t>(path)}), replica,
                                InnerSteps{run.config.inner.steps}, {}, stop);
      const auto sent = encode_gradient(format, outer_gradient(theta, replica.parameters));
      sum.add(decode_gradient(format, sent, theta.size()), weights[path], "path");
    }
    nesterov_step(theta, velocity, sum.mean(1.0), {.rate = 0.7, .momentum = 0.9});
  }
  return theta;
}

/// Of a run with one module.
std::vector<float> only_module(const MadeUpRun& run, const RunPlan& plan) {
  const auto state = run.folder() / "state";
  run_loopback(plan, {.workers = 2, .state = state});
  std::vector<float> parameters;
  for (const auto& node : std::filesystem::directory_iterator(state)) {
    const auto file = node.path() / "model" / "module-0.0";
    if (!std::filesystem::exists(file)) continue;
    parameters = decode_checkpoint(read_file(file), file.string()).array("parameters", file.string());
  }
  std::filesystem::remove_all(state);
  return parameters;
}

std::uint64_t gradient_bytes(const RunPlan& plan) {
  const auto done = run_loopback(plan, {.workers = 4});
  return done.traffic.by_kind[static_cast<std::size_t>(MessageKind::outer_gradient)].value;
}

std::uint64_t bytes_of(const std::string& format, std::uint64_t values) {
  if (format == "int8") return values + 4 * ((values + 63) / 64);
  if (format == "e3m0") return (values + 1) / 2 + (values + 255) / 256;
  return (format == "bf16" ? 2 : 4) * values;
}

}  // namespace

TEST_CASE("each format of outer gradients ends with parameters of its own, with any number of nodes", "[loopback]") {
  MadeUpRun run("2x4", "blocks:0");
  std::set<std::string> hashes;
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    const RunPlan plan = run.plan();
    const std::string hash = hash_of(plan, 3);
    CHECK(hash.size() == 32);
    CHECK(hash_of(plan, 8, 2) == hash);
    hashes.insert(hash);
  }
  CHECK(hashes.size() == 4);
}

TEST_CASE("a module steps by what is left of its outer gradients on the wire, bit for bit", "[loopback]") {
  MadeUpRun run("shared:3");
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    const RunPlan plan = run.plan();
    CHECK(only_module(run, plan) == diloco(run, plan, gradient_format(format)));
  }
}

TEST_CASE("one level, of which nothing travels, ends alike in every format", "[loopback]") {
  MadeUpRun run("flat:3");
  std::set<std::string> hashes;
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    hashes.insert(hash_of(run.plan(), 2));
  }
  CHECK(hashes.size() == 1);
}

TEST_CASE("gradients that are exchanged after every step travel in the format, too", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.outer.policy = "gradients";
  run.config.inner.steps = 1;
  std::set<std::string> hashes;
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    const RunPlan plan = run.plan();
    const std::string hash = hash_of(plan, 1);
    CHECK(hash_of(plan, 4, 2) == hash);
    hashes.insert(hash);
  }
  CHECK(hashes.size() == 4);
}

TEST_CASE("outer gradients weigh the bytes of the closed form, learned or only charged", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0,3;embedding");
  run.config.charge = ChargeOptions{run.config.model, run.config.inner};
  for (const std::int64_t hidden : {4, 12}) {
    run.config.charge->model.hidden = hidden;
    for (const char* format : kFormats) {
      run.config.outer.outer_gradient_format = format;
      const RunPlan plan = run.plan();
      std::uint64_t path_bytes = 0;
      for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
        if (plan.topology.path_specific(plan.topology.module(PathId{0}, l))) continue;
        path_bytes += 43 + bytes_of(format, plan.charged.levels[static_cast<std::size_t>(l)].size);
      }
      const auto messages = static_cast<std::uint64_t>(run.config.outer.steps) * 4;  // of 4 paths
      CHECK(gradient_bytes(plan) == messages * path_bytes);
      CHECK(gradient_bytes(run.plan_of_costs()) == messages * path_bytes);
    }
  }
}

TEST_CASE("a worker that is lost while it sends changes no bit: an executor makes its outer gradients again",
          "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    const RunPlan plan = run.plan();
    Fault fault{.kind = FaultKind::kill, .target = {Role::worker, 0}};
    fault.outer_step = OuterStep{1};
    fault.stage = FaultStage::sending;
    const auto done = run_loopback(plan, {.workers = 2, .faults = {fault}, .test_clock = true});
    CHECK(done.never_struck.empty());
    CHECK(done.traffic.messages_by_kind[static_cast<std::size_t>(MessageKind::path_module)] > 0);
    CHECK(done.result.parameters_hash == hash_of(plan, 2));
  }
}

namespace {

/// One parameter is far from where it began.
class FarTrainer : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    const InnerReport report = ToyTrainer::inner_steps(state, batches, plan, stop);
    state.parameters[0] += 8192;
    return report;
  }
};

}  // namespace

TEST_CASE("in every format a path that goes too far ends the run with its name and its module's", "[loopback]") {
  MadeUpRun run("2x2");
  run.trainer = std::make_shared<const FarTrainer>();
  for (const char* format : kFormats) {
    run.config.outer.outer_gradient_format = format;
    CHECK_THROWS_WITH(run_loopback(run.plan(), {.workers = 2}), Catch::Contains("the outer gradient of path ") &&
                                                                    Catch::Contains(" in module 0.") &&
                                                                    Catch::Contains("diverged"));
  }
}

TEST_CASE("a start that is not finite ends the run before an outer gradient is sent", "[loopback]") {
  MadeUpRun run("2x2");
  auto prepared = std::make_shared<Prepared>(*run.prepared());
  prepared->start.parameters[0] = std::numeric_limits<float>::infinity();
  const RunPlan plan = make_plan(run.config, prepared, run.trainer);
  CHECK_THROWS_WITH(run_loopback(plan, {.workers = 2}),
                    Catch::Contains("the state of path ") && Catch::Contains("the run has diverged"));
}

}  // namespace dipaco
