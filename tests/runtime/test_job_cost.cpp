#include <catch2/catch.hpp>

#include "core/runtime/job_cost.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

TEST_CASE("a router's fit is charged for the width of the charged model", "[runtime]") {
  MadeUpRun made("flat:3");
  made.config.charge = ChargeOptions{made.config.model, made.config.inner};
  made.config.charge->model.hidden = 40;  // 4 learns
  const RunPlan plan = made.plan();
  const auto documents = static_cast<double>(plan.learner->router_documents().size());
  const double features = routing_cost(plan, static_cast<std::int32_t>(documents)).value;
  CHECK(router_fit_cost(plan).value == Approx(features + 100 * 4 * documents * 3 * 40));
}

}  // namespace dipaco::testing
