#include "core/plan/job_cost.hpp"

#include <optional>

#include "core/plan/charged_text.hpp"
#include "core/routing/penalty.hpp"

namespace dipaco {
namespace {

std::optional<ChargedText> text_of(const RunPlan& plan) { return charged_text(plan.config, plan.topology.paths()); }

double tokens_of(const ChargedText& text, Purpose purpose) {
  if (purpose == Purpose::routing) return text.label_tokens * static_cast<double>(text.router);
  return purpose == Purpose::early_stopping ? text.holdout_tokens : text.validation_tokens;
}

Flops features_cost(const RunPlan& plan, double documents) {
  return Flops{plan.evaluated_token_cost.value * (documents * static_cast<double>(plan.config.routing.prefix))};
}

}  // namespace

const std::vector<DocumentId>& scored_documents(const RunPlan& plan, Purpose purpose, const Shard* shard) {
  if (purpose == Purpose::routing || !plan.learner->learns()) return plan.learner->router_documents();
  return purpose == Purpose::early_stopping ? shard->holdout : shard->validation;
}

std::size_t router_documents(const RunPlan& plan) {
  if (plan.learner->learns()) return plan.learner->router_documents().size();
  const auto text = text_of(plan);
  return text ? static_cast<std::size_t>(text->router) : 0;
}

std::int32_t routed_documents(const RunPlan& plan) {
  if (plan.learner->learns()) return plan.learner->routed_documents();
  const auto text = text_of(plan);
  return text ? static_cast<std::int32_t>(text->routed) : 0;
}

Flops evaluation_cost(const RunPlan& plan, Purpose purpose, const std::vector<DocumentId>& documents) {
  if (const auto text = text_of(plan)) return tokens_of(*text, purpose) * plan.evaluated_token_cost;
  const std::int64_t most = purpose == Purpose::routing ? plan.config.routing.label_tokens : 0;
  return Flops{plan.evaluated_token_cost.value * static_cast<double>(plan.learner->tokens_of(documents, most).value)};
}

Flops routing_cost(const RunPlan& plan, std::int32_t documents) {
  const auto text = text_of(plan);
  const double scale = text ? static_cast<double>(text->routed) / routed_documents(plan) : 1;
  return features_cost(plan, scale * documents);
}

Flops router_fit_cost(const RunPlan& plan) {
  constexpr double kPasses = 100;
  const auto& model = plan.config.charge ? plan.config.charge->model : plan.config.model;
  const auto text = text_of(plan);
  const auto documents = text ? static_cast<std::size_t>(text->router) : router_documents(plan);
  const double weights = static_cast<double>(plan.topology.paths()) * static_cast<double>(model.hidden);
  const double fits = 1 + penalty_work(documents, static_cast<std::size_t>(model.hidden), plan.topology.paths());
  const auto count = static_cast<double>(documents);
  return Flops{features_cost(plan, count).value + fits * kPasses * 4 * count * weights};
}

}  // namespace dipaco
