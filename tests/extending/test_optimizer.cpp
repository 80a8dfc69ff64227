// "An outer optimizer" of docs/extending.md: rprop.hpp, which has two state arrays.

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "backends/loopback/run.hpp"
#include "core/config/named_parts.hpp"
#include "tests/extending/named.hpp"
#include "tests/extending/rprop.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::read_again;

NamedParts parts_with_rprop(bool takes_gradients = false) {
  NamedParts parts;
  parts.optimizers.push_back(
      {.name = "rprop",
       .make = [](const RunConfig& config,
                  const OptimizerUse& /*use*/) { return std::make_unique<OuterRprop>(config.outer.learning_rate); },
       .takes_gradients = takes_gradients});
  return parts;
}

}  // namespace

TEST_CASE("Rprop grows a step by a quarter where signs agree, and halves it where they change", "[extending]") {
  const OuterRprop rprop(0.5);
  std::vector<float> parameters{0, 0};
  std::vector<float> direction(2);
  std::vector<float> size(2);
  const std::vector<std::span<float>> state{direction, size};
  rprop.step({}, parameters, state, std::vector<float>{3, -1});
  CHECK(parameters == std::vector<float>{-0.5F, 0.5F});
  rprop.step({}, parameters, state, std::vector<float>{0.1F, 2});
  CHECK(parameters == std::vector<float>{-0.5F - 0.625F, 0.5F - 0.25F});
  CHECK(size == std::vector<float>{0.625F, 0.25F});
  CHECK(direction == std::vector<float>{0.1F, 2});
}

TEST_CASE("a run under an own optimizer with two arrays ends alike with any number of nodes", "[extending]") {
  MadeUpRun made("2x2", "blocks:0");
  read_again(made, parts_with_rprop(), {"outer.optimizer=rprop", "outer.learning_rate=0.01"});
  const RunPlan plan = made.plan();
  CHECK(plan.optimizer->arrays().size() == 2);
  const auto hash = [&](std::int32_t workers, std::int32_t executors) {
    return run_loopback(plan, {.workers = workers, .executors = executors}).result.parameters_hash;
  };
  const std::string one = hash(1, 1);
  CHECK(one.size() == 32);
  CHECK(hash(4, 2) == one);
  read_again(made, parts_with_rprop(), {"outer.optimizer=sgd"});
  CHECK(run_loopback(made.plan(), {.workers = 1}).result.parameters_hash != one);
}

TEST_CASE("an own optimizer steps on gradients where it says that it can", "[extending]") {
  const std::string text = "[inner]\nsteps=1\n[outer]\npolicy=gradients\noptimizer=rprop\n";
  CHECK(error_of(text, parts_with_rprop(true)).empty());
  CHECK_THAT(error_of(text, parts_with_rprop(false)),
             Catch::StartsWith("runs/a.cfg:5: outer.optimizer=rprop does not go with outer.policy=gradients"));
  CHECK_THAT(error_of("[outer]\noptimizer=rpro\n", parts_with_rprop()), Catch::Contains("did you mean \"rprop\"?"));
}

}  // namespace dipaco
