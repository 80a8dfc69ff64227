#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "core/outer/adamw.hpp"
#include "core/outer/optimizers.hpp"
#include "core/outer/policies.hpp"

using namespace dipaco;

namespace {

/// One step of parameters 1 and 2 in the direction 0.5 and -1, with state arrays that are all zeros.
struct Stepped {
  std::vector<float> parameters{1.0F, 2.0F};
  std::vector<std::vector<float>> state;

  explicit Stepped(const OuterOptimizer& optimizer, int steps = 1) : state(optimizer.arrays().size(), {0.0F, 0.0F}) {
    const std::vector<float> direction{0.5F, -1.0F};
    std::vector<std::span<float>> arrays(state.begin(), state.end());
    for (int k = 0; k < steps; ++k) optimizer.step({.version = Version{k}}, parameters, arrays, direction);
  }
};

}  // namespace

TEST_CASE("an SGD step with rate 1 lands on the mean of the paths, and one with rate 0.5 halfway", "[outer]") {
  // before - after = (0.5, -1), so after = (0.5, 3).
  CHECK(Stepped(OuterSgd(1.0)).parameters == std::vector<float>{0.5F, 3.0F});
  CHECK(Stepped(OuterSgd(0.5)).parameters == std::vector<float>{0.75F, 2.5F});
  CHECK(OuterSgd(1.0).arrays().empty());
}

TEST_CASE("Nesterov's optimizer keeps a velocity and steps as nesterov_step does", "[outer]") {
  const NesterovOptions options{.rate = 0.5, .momentum = 0.5};
  const Stepped twice(OuterNesterov(options), 2);
  // v1 = d, p1 = p - 0.5 (d + 0.5 d); v2 = 1.5 d, p2 = p1 - 0.5 (d + 0.75 d): p - (0.75 + 0.875) d.
  CHECK(twice.parameters == std::vector<float>{1.0F - 1.625F * 0.5F, 2.0F + 1.625F});
  CHECK(twice.state == std::vector<std::vector<float>>{{0.75F, -1.5F}});
  REQUIRE(OuterNesterov(options).arrays().size() == 1);
  CHECK(OuterNesterov(options).arrays()[0].name == "velocity");
}

TEST_CASE("an AdamW step takes its options by the version, and keeps two moments", "[outer]") {
  std::vector<Version> versions;
  const auto options = [&](Version version) {
    versions.push_back(version);
    return AdamWStep{.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.5, .count = number(version) + 1};
  };
  const Stepped once(OuterAdamW(options, false));
  // m = 0.5 d, v = 0.25 d^2; with bias undone m = d, v = d^2: p - 0.1 d / (|d| + 0.5).
  CHECK(once.parameters[0] == Approx(1.0 - 0.1 * 0.5 / 1.0));
  CHECK(once.parameters[1] == Approx(2.0 + 0.1 * 1.0 / 1.5));
  CHECK(once.state == std::vector<std::vector<float>>{{0.25F, -0.5F}, {0.0625F, 0.25F}});
  Stepped(OuterAdamW(options, false), 2);
  CHECK(versions == std::vector<Version>{Version{0}, Version{0}, Version{1}});
}

TEST_CASE("AdamW's moments begin with the dense start's where it goes on from there, else with zeros", "[outer]") {
  const auto options = [](Version) { return AdamWStep{}; };
  const auto fresh = OuterAdamW(options, false).arrays();
  const auto going_on = OuterAdamW(options, true).arrays();
  REQUIRE(fresh.size() == 2);
  REQUIRE(going_on.size() == 2);
  CHECK(fresh[0].start == ArrayStart::zeros);
  CHECK(fresh[1].start == ArrayStart::zeros);
  CHECK(going_on[0].start == ArrayStart::first_moment);
  CHECK(going_on[1].start == ArrayStart::second_moment);
}

TEST_CASE("an outer step with another number of state arrays than the optimizer has is an error of ours", "[outer]") {
  std::vector<float> parameters{1.0F};
  std::vector<float> array{0.0F};
  const std::vector<std::span<float>> one{array};
  CHECK_THROWS_AS(OuterSgd(1.0).step({}, parameters, one, array), std::logic_error);
  CHECK_THROWS_AS(OuterNesterov({}).step({}, parameters, {}, array), std::logic_error);
  CHECK_THROWS_AS(OuterAdamW([](Version) { return AdamWStep{}; }, false).step({}, parameters, one, array),
                  std::logic_error);
}

TEST_CASE("a policy of the table is found by its name, and no other is", "[outer]") {
  CHECK(sync_policy("synchronous").exchange == Exchange::parameters);
  CHECK(sync_policy("gradients").exchange == Exchange::gradients);
  CHECK_THROWS_AS(sync_policy("quorum"), std::logic_error);
}
