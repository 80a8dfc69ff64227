#include "analysis/summary_rows.hpp"

#include <algorithm>
#include <utility>

namespace dipaco::analysis {
namespace {

constexpr const char* kBytes = "bytes_";

SummaryRow key(std::string name, Unit unit, std::string key) {
  return {std::move(name), [unit, key = std::move(key)](const Run& run) { return Value{unit, run.number(key)}; }};
}

SummaryRow words(std::string name, std::string key) {
  return {std::move(name), [key = std::move(key)](const Run& run) { return Value{run.text(key).value_or("")}; }};
}

/// A part of the seconds that the workers were up.
SummaryRow worker_share(std::string name, std::string key) {
  return {std::move(name), [key = std::move(key)](const Run& run) {
            const auto part = run.number(key);
            const auto up = run.number("worker_up_s");
            return Value{Unit::share, part && up && *up > 0 ? std::optional(*part / *up) : std::nullopt};
          }};
}

Value duration(const Run& run) { return {Unit::seconds, run.duration()}; }

/// What losses cost of the machines' seconds, by what took the machine.
std::vector<SummaryRow> loss_rows() {
  return {key("goodput lost", Unit::share, "goodput_lost"),
          key("goodput lost: with notice", Unit::share, "goodput_lost_reclaimed_with_notice"),
          key("goodput lost: without", Unit::share, "goodput_lost_reclaimed_without_notice"),
          key("goodput lost: failed", Unit::share, "goodput_lost_failed"),
          key("goodput lost: withheld", Unit::share, "goodput_lost_withheld"),
          key("goodput lost: other", Unit::share, "goodput_lost_other")};
}

/// What was learned, and what it was learned with.
std::vector<SummaryRow> learning_rows() {
  return {key("training loss", Unit::number, "train_loss"),
          key("perplexity", Unit::number, "validation_perplexity"),
          key("perplexity, dense start", Unit::number, "dense_validation_perplexity"),
          key("perplexity, dense, as many steps", Unit::number, "dense_equal_steps_validation_perplexity"),
          key("passes through a shard", Unit::number, "shard_passes"),
          words("advice", "advice"),
          words("parameters", "parameters_hash"),
          words("router and shards", "routing_hash"),
          words("network model", "network_model")};
}

}  // namespace

std::vector<SummaryRow> summary_rows() {
  std::vector<SummaryRow> rows{words("not finished", "why_unfinished"),
                               {"duration", duration},
                               key("wall time", Unit::seconds, "wall_s"),
                               key("sites", Unit::count, "sites"),
                               key("workers", Unit::count, "workers"),
                               key("paths", Unit::count, "paths"),
                               key("outer steps", Unit::count, "outer_steps"),
                               key("tasks completed", Unit::count, "tasks_completed"),
                               key("tasks requeued", Unit::count, "tasks_requeued"),
                               key("tasks handed back", Unit::count, "tasks_handed_back"),
                               key("inner steps lost", Unit::count, "inner_steps_lost"),
                               key("tokens a second", Unit::count, "tokens_per_s"),
                               key("contributions applied", Unit::count, "contributions_applied"),
                               key("contributions dropped", Unit::count, "contributions_dropped"),
                               key("staleness, mean", Unit::number, "staleness_mean"),
                               key("staleness, most", Unit::count, "staleness_max"),
                               key("wait of contributions, mean", Unit::seconds, "contribution_wait_s"),
                               words("slow workers", "slow"),
                               words("workers in reserve", "in_reserve"),
                               worker_share("worker time: compute", "worker_compute_s"),
                               worker_share("worker time: transfer", "worker_transfer_s"),
                               worker_share("worker time: wait", "worker_wait_s"),
                               worker_share("worker time: lost", "worker_lost_s"),
                               worker_share("worker time: evaluate", "worker_evaluate_s"),
                               key("goodput", Unit::share, "goodput"),
                               key("between sites", Unit::bytes, "wan_bytes"),
                               key("within sites", Unit::bytes, "lan_bytes"),
                               key("messages", Unit::count, "messages"),
                               key("cost, USD", Unit::amount, "usd"),
                               key("cost of machines, USD", Unit::amount, "machine_usd"),
                               key("cost of egress, USD", Unit::amount, "egress_usd"),
                               key("cost of energy, USD", Unit::amount, "energy_usd"),
                               key("energy, kWh", Unit::amount, "kwh")};
  for (auto more : {loss_rows(), learning_rows()}) rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

std::vector<std::pair<std::string, double>> message_kinds(const Run& run) {
  std::vector<std::pair<std::string, double>> kinds;
  for (const auto& [name, value] : run.summary.items()) {
    if (name.rfind(kBytes, 0) == 0) kinds.emplace_back(name.substr(std::string(kBytes).size()), *run.number(name));
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return kinds;
}

}  // namespace dipaco::analysis
