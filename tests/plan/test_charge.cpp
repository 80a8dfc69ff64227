#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <tuple>

#include "core/config/keys.hpp"
#include "core/model/layout.hpp"
#include "core/plan/plan.hpp"
#include "tests/config/another_value.hpp"

namespace dipaco::testing {
namespace {

/// Operations of an inner step and of a token, and the values of a path.
std::tuple<double, double, std::uint64_t> costs(const RunConfig& config) {
  const RunPlan plan = make_plan(config, nullptr, nullptr);
  return {plan.inner_step_cost.value, plan.evaluated_token_cost.value, plan.charged.size};
}

}  // namespace

TEST_CASE("[charge] has the keys of [model] and [inner] that change operations or bytes, and no others", "[plan]") {
  RunConfig config;
  config.charge = ChargeOptions{config.model, config.inner};
  const auto usual = costs(config);
  const auto charged = keys_of("charge");
  for (const char* const section : {"model", "inner"}) {
    for (const RunKey* key : keys_of(section)) {
      CAPTURE(key->section, key->name);
      RunConfig other = charged_view(config);
      const std::string value =
          key->name == "key_value_heads" ? "8" : another_value(*key, other);  // a divisor of heads
      REQUIRE_FALSE(set_value(*key, other, value).has_value());
      RunConfig changed = config;
      changed.charge = ChargeOptions{other.model, other.inner};
      const bool is_charged = std::ranges::find(charged, key) != charged.end();
      CHECK((costs(changed) != usual) == is_charged);
    }
  }
  CHECK(charged.size() == 10);
}

TEST_CASE("a step that computes its blocks again is charged for that, of the model that is charged", "[plan]") {
  RunConfig config;
  const double usual = std::get<0>(costs(config));
  config.inner.recompute = true;
  const double more = std::get<0>(costs(config));
  const std::int64_t tokens = config.inner.batch * config.model.sequence;
  CHECK(more == Approx(usual + recompute_flops(config.model, tokens)));
  config.charge = ChargeOptions{config.model, config.inner};
  config.charge->model.blocks *= 2;
  CHECK(std::get<0>(costs(config)) ==
        Approx(inner_step_flops(config.charge->model, tokens) + recompute_flops(config.charge->model, tokens)));
  CHECK(std::get<1>(costs(config)) == Approx(inner_step_flops(config.charge->model, 1) / 3));
}

}  // namespace dipaco::testing
