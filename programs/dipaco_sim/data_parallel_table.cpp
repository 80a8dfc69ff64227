#include "programs/dipaco_sim/data_parallel_table.hpp"

#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/study/sweep_tables.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

std::string bytes(double count) { return human_bytes(Bytes{static_cast<std::uint64_t>(count)}); }

void print_ways(const std::vector<TrainingWay>& ways, const DataParallelOutcome& job) {
  const auto row = [](const std::string& name, const std::vector<std::string>& cells) {
    std::cout << std::left << std::setw(30) << name << std::right;
    for (const std::string& cell : cells) std::cout << std::setw(13) << cell;
    std::cout << "\n";
  };
  const auto local_steps = static_cast<std::int64_t>(job.local_steps);
  std::cout << "one model of " << human_count(static_cast<std::int64_t>(job.parameters)) << " parameters, "
            << bytes(job.gradient_bytes) << " of " << (local_steps > 0 ? "outer gradients a round" : "gradients a step")
            << ", on " << job.workers << " workers\n";
  row(local_steps > 0 ? "a round of " + std::to_string(local_steps) + " steps" : "a step",
      {"computing", "all-reduce", "in all", "between"});
  for (const TrainingWay& way : ways) {
    if (!way.outcome) {
      row(way.name, {"no step", "", "", ""});
      continue;
    }
    row(way.name, {human_seconds(Seconds(way.outcome->compute_s)), human_seconds(Seconds(way.outcome->all_reduce_s)),
                   human_seconds(Seconds(way.outcome->step_s)), bytes(way.outcome->wan_bytes)});
  }
}

void print_job(const DataParallelOutcome& job, std::optional<Seconds> interval) {
  const char* const unit = job.local_steps > 0 ? " rounds" : " steps";
  std::cout << "the job\n  duration    " << human_seconds(Seconds(job.simulated_s)) << " simulated, "
            << human_count(static_cast<std::int64_t>(job.steps)) << unit << "\n  goodput     "
            << format_fixed(100 * job.goodput, 1) << " % of the machines' seconds\n  between     "
            << bytes(job.wan_bytes) << " between sites\n";
  if (interval) {
    std::cout << "  checkpoints " << human_count(static_cast<std::int64_t>(job.checkpoints)) << ", after "
              << human_seconds(*interval) << " of work each; " << human_seconds(Seconds(job.checkpointing_s))
              << " spent writing\n";
  }
  if (job.losses > 0 || job.waiting_s > 0) {
    std::cout << "  losses      " << human_count(static_cast<std::int64_t>(job.losses)) << " of machines; "
              << human_count(static_cast<std::int64_t>(job.steps_lost)) << unit << " lost; "
              << human_seconds(Seconds(job.recovering_s)) << " recovering, " << human_seconds(Seconds(job.waiting_s))
              << " waiting\n";
  }
  if (job.usd) std::cout << "  cost        " << format_fixed(*job.usd, 2) << " USD\n";
}

/// Each figure of the job over its seeds.
std::map<std::string, analysis::Spread> spreads_of(const std::vector<DataParallelOutcome>& outcomes) {
  std::map<std::string, std::vector<double>> values;
  for (const DataParallelOutcome& outcome : outcomes) {
    const auto figures = nlohmann::json::parse(text_of(outcome));
    for (const auto& [key, value] : figures.items()) {
      values[key].push_back(value.get<double>());
    }
  }
  std::map<std::string, analysis::Spread> spreads;
  for (auto& [key, all] : values) spreads.emplace(key, analysis::spread_of(std::move(all)));
  return spreads;
}

void print_seeds(const DataParallelJobs& jobs) {
  analysis::Table table{.key = "job",
                        .title = "The job with " + std::to_string(jobs.outcomes.size()) + " seeds",
                        .columns = {{"figure", "figure"}, {"median", "median"}, {"low", "low"}, {"high", "high"}},
                        .rows = {}};
  for (const auto& [key, spread] : spreads_of(jobs.outcomes)) {
    if (spread.low == spread.high && key != "simulated_s") continue;
    const analysis::Unit unit = analysis::unit_of(key);
    table.rows.push_back({analysis::Value{key}, analysis::Value{unit, spread.median}, analysis::Value{unit, spread.low},
                          analysis::Value{unit, spread.high}});
  }
  std::cout << analysis::as_text(table);
  if (jobs.interval) std::cout << "checkpoints after " << human_seconds(*jobs.interval) << " of work each\n";
}

}  // namespace

void print_for_person(const std::vector<TrainingWay>& ways, const DataParallelJobs& jobs) {
  print_ways(ways, jobs.outcomes.front());
  jobs.outcomes.size() > 1 ? print_seeds(jobs) : print_job(jobs.outcomes.front(), jobs.interval);
}

void print_json(const std::vector<TrainingWay>& ways, const DataParallelJobs& jobs) {
  nlohmann::json all;
  const bool intervals = jobs.outcomes.size() > 1;
  for (const auto& [key, spread] : spreads_of(jobs.outcomes)) {
    all[key] = spread.median;
    if (!intervals) continue;
    all[key + "_low"] = spread.low;
    all[key + "_high"] = spread.high;
  }
  if (intervals) all["seeds"] = jobs.outcomes.size();
  if (jobs.interval) all["checkpoint_every_s"] = jobs.interval->count();
  for (const TrainingWay& way : ways) {
    if (!way.outcome) continue;
    all["ways"].push_back({{"name", way.name},
                           {"step_compute_s", way.outcome->compute_s},
                           {"step_all_reduce_s", way.outcome->all_reduce_s},
                           {"step_s", way.outcome->step_s},
                           {"wan_bytes_a_step", way.outcome->wan_bytes}});
  }
  std::cout << all.dump(2) << "\n";
}

}  // namespace dipaco
