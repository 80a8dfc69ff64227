#include "programs/dipaco_sim/data_parallel_job.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "backends/sim/device_fit.hpp"
#include "core/plan/plan.hpp"
#include "core/report/accounts/bill.hpp"

namespace dipaco {
namespace {

constexpr std::uint64_t kStateBytesAValue = 12;  // fp32: the parameter and AdamW's two moments

LoadedScenario load(const DataParallelQuestion& question, const DataParallelRun& run) {
  ScenarioWords words = question.words;
  words.without.insert(words.without.end(), run.without.begin(), run.without.end());
  return load_scenario(words);
}

/// What lies between two sums.
struct Step {
  Flops cost{};            ///< of all ranks together
  std::int64_t count = 0;  ///< in a whole job
};

/// As many steps as a path has inner steps, each of the batches of all paths. With local steps each rank does inner
/// steps by itself, of a path's batch, until all have done as many as all paths have.
Step step_of(const DataParallelQuestion& question, const Placement& placement, const RunPlan& plan) {
  const RunConfig& config = plan.config;
  const ChargeOptions charge = config.charge.value_or(ChargeOptions{config.model, config.inner});
  const std::int64_t of_path = config.outer.steps * charge.inner.steps;
  const auto paths = static_cast<double>(plan.topology.paths());
  if (!question.local_steps) return {paths * charged_step(config), of_path};
  if (*question.local_steps > of_path) {
    throw ConfigError("--local-steps=" + std::to_string(*question.local_steps) + ": a path of this run has only " +
                      std::to_string(of_path) + " inner steps; write at most as many");
  }
  const std::vector<PlacedNode> ranks = placement.with(Role::worker);
  const FlopsPerSecond fastest = std::ranges::max(ranks, {}, &PlacedNode::speed).speed;
  double inner_steps = 0;
  for (const PlacedNode& rank : ranks) {
    const double share = question.share == RankShare::equal ? 1 : rank.speed.value / fastest.value;
    inner_steps += share * static_cast<double>(*question.local_steps);
  }
  const double sums = std::ceil(paths * static_cast<double>(of_path) / inner_steps);
  return {inner_steps * charged_step(config), static_cast<std::int64_t>(sums)};
}

DataParallelOptions options_of(const DataParallelQuestion& question, const DataParallelRun& run,
                               const Placement& placement, const RunPlan& plan) {
  const RunConfig& config = plan.config;
  const Step step = step_of(question, placement, plan);
  return {.all_reduce = question.all_reduce,
          .share = question.share,
          .overlap = question.overlap,
          .on_loss = question.on_loss,
          .gradients = Bytes{plan.charged.size * static_cast<std::uint64_t>(question.bytes_a_value)},
          .state = Bytes{plan.charged.size * kStateBytesAValue},
          .step = step.cost,
          .steps = run.steps.value_or(step.count),
          .interval = question.interval,
          .keeps_each_step = run.keeps_each_step,
          .deadline = config.liveness.deadline,
          .stride = config.liveness.limit,
          .seed = config.run.seed + run.later_seed};
}

/// What it costs, where the scenario has prices.
std::optional<double> usd_of(const LoadedScenario& loaded, const DataParallelReport& report) {
  CostFacts costs = loaded.costs;
  std::vector<Intervals> busy;
  std::erase_if(costs.machines, [&](MachineFacts& machine) {
    const auto times = report.host_times.find(machine.name);
    if (times == report.host_times.end()) return true;
    machine.there = times->second;
    return false;
  });
  for (const MachineFacts& machine : costs.machines) {
    const auto times = report.busy.find(machine.name);
    busy.push_back(times == report.busy.end() ? Intervals() : Intervals::merged(times->second));
  }
  const Bill bill = make_bill(costs, report.traffic, busy, report.duration);
  return bill.usd ? std::optional(bill.usd->value) : std::nullopt;
}

/// Of the workers' machines.
double goodput_of(const Placement& placement, const DataParallelReport& report, double useful_share) {
  std::set<std::string> hosts;
  for (const PlacedNode& node : placement.with(Role::worker)) hosts.insert(node.host);
  Seconds there{};
  Seconds busy{};
  for (const std::string& host : hosts) {
    there += Intervals::merged(report.host_times.at(host)).total();
    const auto times = report.busy.find(host);
    if (times != report.busy.end()) busy += Intervals::merged(times->second).total();
  }
  return there > Seconds(0) ? useful_share * (busy / there) : 0;
}

double between_sites(const Traffic& traffic) {
  double bytes = 0;
  for (const auto& [sites, crossed] : traffic.by_sites) {
    if (sites.first != sites.second) bytes += static_cast<double>(crossed.sent.value);
  }
  return bytes;
}

/// @throws ConfigError where a link does what a step's time does not show
void check_links(const LoadedScenario& loaded) {
  for (const auto& [link, rate] : loaded.link_rates) {
    if (!rate.jitters()) continue;
    throw ConfigError(loaded.file.path().string() + ": the link " + link +
                      " has jitter, and data-parallel takes a step's time as it is between changes; leave jitter out");
  }
  if (!loaded.link_outages.empty()) {
    throw ConfigError(loaded.file.path().string() + ": the link " + loaded.link_outages.begin()->first +
                      " has outages, and data-parallel takes a step's time as it is between changes; leave them out");
  }
}

/// Calls `take` with each figure's name and place, but for usd.
template <class Outcome, class Take>
void each_figure(Outcome& outcome, const Take& take) {
  take("workers", outcome.workers);
  take("sites", outcome.sites);
  take("parameters", outcome.parameters);
  take("steps", outcome.steps);
  take("local_steps", outcome.local_steps);
  take("gradient_bytes", outcome.gradient_bytes);
  take("step_compute_s", outcome.compute_s);
  take("step_all_reduce_s", outcome.all_reduce_s);
  take("step_s", outcome.step_s);
  take("simulated_s", outcome.simulated_s);
  take("wan_bytes", outcome.wan_bytes);
  take("goodput", outcome.goodput);
  take("steps_lost", outcome.steps_lost);
  take("losses", outcome.losses);
  take("restarts", outcome.restarts);
  take("checkpoints", outcome.checkpoints);
  take("checkpointing_s", outcome.checkpointing_s);
  take("recovering_s", outcome.recovering_s);
  take("waiting_s", outcome.waiting_s);
}

}  // namespace

std::vector<std::string> sites_with_workers(const DataParallelQuestion& question) {
  const LoadedScenario loaded = load(question, {});
  std::vector<std::string> names;
  for (std::size_t site = 0; site < loaded.placement.sites.size(); ++site) {
    const auto works = [&](const PlacedNode& node) {
      return node.role == Role::worker && static_cast<std::size_t>(index(node.site)) == site;
    };
    if (std::ranges::any_of(loaded.placement.nodes, works)) names.push_back(loaded.placement.sites[site]);
  }
  return names;
}

std::string uncharged(const DataParallelQuestion& question) {
  const LoadedScenario loaded = load(question, {});
  const std::vector<PlacedNode> workers = loaded.placement.with(Role::worker);
  std::string said;
  const auto say = [&](const char* what, const auto& has) {
    if (std::ranges::any_of(workers, has)) said += (said.empty() ? "" : " and no ") + std::string(what);
  };
  say("intake", [](const PlacedNode& node) { return node.charges.intake.value > 0; });
  say("jitter", [](const PlacedNode& node) { return node.charges.jitter > 0; });
  return said;
}

DataParallelOutcome simulate_data_parallel(const DataParallelQuestion& question, const DataParallelRun& run) {
  LoadedScenario loaded = load(question, run);
  const RunPlan plan = make_plan(run_file_of(loaded, question.shared), nullptr, nullptr);
  // Each worker has the whole model. What it says of a path's batch is not of the one that all share here.
  check_device_memory(plan.config, loaded.placement, loaded.file.path().string());
  set_speeds(loaded.placement, plan.inner_step_cost);
  DataParallelOptions options = options_of(question, run, loaded.placement, plan);
  check_links(loaded);
  options.link_rates = loaded.link_rates;
  const DataParallelReport report = train_data_parallel(loaded.placement, options);
  const std::vector<PlacedNode> workers = loaded.placement.with(Role::worker);
  std::set<SiteId> sites;
  for (const PlacedNode& worker : workers) sites.insert(worker.site);
  const auto steps = static_cast<double>(options.steps);
  const auto redone = static_cast<double>(report.steps_redone);
  return {.workers = static_cast<double>(workers.size()),
          .sites = static_cast<double>(sites.size()),
          .parameters = static_cast<double>(plan.charged.size),
          .steps = steps,
          .local_steps = static_cast<double>(question.local_steps.value_or(0)),
          .gradient_bytes = static_cast<double>(options.gradients.value),
          .compute_s = report.first_step.compute.count(),
          .all_reduce_s = report.first_step.all_reduce.count(),
          .step_s = report.first_step.whole.count(),
          .simulated_s = report.duration.count(),
          .wan_bytes = between_sites(report.traffic),
          .goodput = goodput_of(loaded.placement, report, steps / (steps + redone)),
          .steps_lost = static_cast<double>(report.steps_lost) + redone,
          .losses = static_cast<double>(report.losses),
          .restarts = static_cast<double>(report.restarts),
          .checkpoints = static_cast<double>(report.checkpoints),
          .checkpointing_s = report.checkpointing.count(),
          .recovering_s = report.recovering.count(),
          .waiting_s = report.waiting.count(),
          .usd = usd_of(loaded, report)};
}

std::string text_of(const DataParallelOutcome& outcome) {
  nlohmann::json all;
  each_figure(outcome, [&](const char* name, double value) { all[name] = value; });
  if (outcome.usd) all["usd"] = *outcome.usd;
  return all.dump();
}

DataParallelOutcome read_data_parallel(const std::string& text) {
  const auto all = nlohmann::json::parse(text);
  DataParallelOutcome outcome;
  each_figure(outcome, [&](const char* name, double& value) { value = all.at(name).get<double>(); });
  if (all.contains("usd")) outcome.usd = all.at("usd").get<double>();
  return outcome;
}

}  // namespace dipaco
