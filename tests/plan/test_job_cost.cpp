#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

#include "core/plan/job_cost.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

TEST_CASE("a router's fit is charged for the width of the charged model", "[plan]") {
  MadeUpRun made("flat:3");
  made.config.charge = ChargeOptions{made.config.model, made.config.inner};
  made.config.charge->model.hidden = 40;  // 4 learns
  const RunPlan plan = made.plan();
  const auto documents = static_cast<double>(plan.learner->router_documents().size());
  const double features = routing_cost(plan, static_cast<std::int32_t>(documents)).value;
  // One fit, and of each of five penalties five to four fifths of the documents.
  CHECK(router_fit_cost(plan).value == Approx(features + 21 * 100 * 4 * documents * 3 * 40));
  made.config.charge->model.hidden = 4'000'000;  // too much for a choice of the penalty
  const RunPlan large = made.plan();
  const double large_features = routing_cost(large, static_cast<std::int32_t>(documents)).value;
  CHECK(router_fit_cost(large).value == Approx(large_features + 100 * 4 * documents * 3 * 4e6));
}

TEST_CASE("scoring for routing is charged for label_tokens of each document, other evaluations for all", "[plan]") {
  MadeUpRun made("flat:3");
  const RunPlan all = made.plan();
  made.config.routing.label_tokens = made.config.routing.prefix + 1;
  const RunPlan some = made.plan();
  const auto& documents = all.learner->router_documents();
  double first = 0;
  for (const DocumentId id : documents) {
    first += static_cast<double>(
        std::min<std::int64_t>(all.learner->prepared().tokens->document(id).tokens, made.config.routing.label_tokens));
  }
  const double whole = evaluation_cost(all, Purpose::routing, documents).value;
  CHECK(evaluation_cost(some, Purpose::routing, documents).value == Approx(first * some.evaluated_token_cost.value));
  CHECK(evaluation_cost(some, Purpose::routing, documents).value < whole);
  CHECK(evaluation_cost(some, Purpose::early_stopping, documents).value == Approx(whole));
}

}  // namespace dipaco::testing
