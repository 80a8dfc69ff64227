#include "core/plan/job_cost.hpp"

#include "core/routing/penalty.hpp"

namespace dipaco {

const std::vector<DocumentId>& scored_documents(const RunPlan& plan, Purpose purpose, const Shard* shard) {
  if (purpose == Purpose::routing) return plan.learner->router_documents();
  return purpose == Purpose::early_stopping ? shard->holdout : shard->validation;
}

Flops evaluation_cost(const RunPlan& plan, Purpose purpose, const std::vector<DocumentId>& documents) {
  const std::int64_t most = purpose == Purpose::routing ? plan.config.routing.label_tokens : 0;
  return Flops{plan.evaluated_token_cost.value * static_cast<double>(plan.learner->tokens_of(documents, most).value)};
}

Flops routing_cost(const RunPlan& plan, std::int32_t documents) {
  return Flops{plan.evaluated_token_cost.value * static_cast<double>(documents * plan.config.routing.prefix)};
}

Flops router_fit_cost(const RunPlan& plan) {
  constexpr double kPasses = 100;
  const auto& model = plan.config.charge ? plan.config.charge->model : plan.config.model;
  const auto documents = static_cast<std::int32_t>(plan.learner->router_documents().size());
  const double weights = static_cast<double>(plan.topology.paths()) * static_cast<double>(model.hidden);
  const double fits = 1 + penalty_work(static_cast<std::size_t>(documents), static_cast<std::size_t>(model.hidden),
                                       plan.topology.paths());
  return Flops{routing_cost(plan, documents).value + fits * kPasses * 4 * documents * weights};
}

}  // namespace dipaco
