#include "programs/dipaco_sim/data_parallel_command.hpp"

#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/checkpoints.hpp"
#include "backends/sim/engine/rehearsal.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/data_parallel_job.hpp"
#include "programs/dipaco_sim/data_parallel_table.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostSeeds = 100'000;
constexpr std::int64_t kMostLocalSteps = 1'000'000'000;

DataParallelQuestion read(const Arguments& arguments) {
  DataParallelQuestion question{.shared = read_shared(arguments), .words = {}};
  question.words = named_scenario(arguments, question.shared.set);
  question.all_reduce = arguments.text("all-reduce") == "ring" ? AllReduce::ring : AllReduce::hierarchical;
  question.overlap = arguments.text("overlap") == "on";
  question.share = arguments.text("shares") == "equal" ? RankShare::equal : RankShare::by_speed;
  question.local_steps = arguments.integer("local-steps", 1, kMostLocalSteps);
  question.on_loss = arguments.text("on-loss") == "restart" ? OnLoss::restart : OnLoss::shrink;
  question.bytes_a_value = arguments.text("gradients") == "fp32" ? 4 : 2;
  if (!question.local_steps) return question;
  if (question.overlap && arguments.given("overlap"))
    throw ConfigError(
        "--overlap=on goes with gradients of each step: what --local-steps come to is there once the last "
        "is done; leave one of the two out");
  question.overlap = false;
  return question;
}

/// Of the scenario as it stands: a ring and a hierarchy, each without and with overlap; and each site by itself.
std::vector<TrainingWay> ways_of(const DataParallelQuestion& question, const std::vector<std::string>& sites) {
  std::vector<TrainingWay> ways;
  for (const AllReduce kind : {AllReduce::ring, AllReduce::hierarchical}) {
    for (const bool overlap : {false, true}) {
      if (overlap && question.local_steps) continue;
      TrainingWay& way = ways.emplace_back(kind == AllReduce::ring ? "ring" : "hierarchy", question, DataParallelRun{});
      if (overlap) way.name += ", overlap";
      way.question.all_reduce = kind;
      way.question.overlap = overlap;
    }
  }
  if (sites.size() == 1) return ways;
  for (const std::string& alone : sites) {
    const bool overlap = !question.local_steps;
    TrainingWay& way = ways.emplace_back(alone + (overlap ? " alone, overlap" : " alone"), question, DataParallelRun{});
    way.question.overlap = overlap;
    for (const std::string& other : sites) {
      if (other != alone) way.run.without.push_back(other);
    }
  }
  return ways;
}

/// What a step takes in each way.
void try_ways(std::vector<TrainingWay>& ways, const DataParallelQuestion& question, const StopSignal& stop) {
  std::vector<std::function<std::string()>> jobs;
  for (TrainingWay& way : ways) {
    way.run.steps = 1;
    jobs.emplace_back([&way] { return text_of(simulate_data_parallel(way.question, way.run)); });
  }
  const auto told = in_processes(jobs, question.shared.threads, stop.requested());
  for (std::size_t k = 0; k < ways.size(); ++k) {
    if (told[k].status != static_cast<int>(ExitStatus::no_progress)) {
      ways[k].outcome = read_data_parallel(text_of(told[k]));
    }
  }
}

DataParallelOutcome simulate(const DataParallelQuestion& question, const DataParallelRun& run, const StopSignal& stop) {
  return read_data_parallel(
      in_a_process([&] { return text_of(simulate_data_parallel(question, run)); }, stop.requested()));
}

/// The job with each seed, side by side; says which did not end. @throws what the first says, where none did
std::vector<DataParallelOutcome> simulate_seeds(const DataParallelQuestion& question, std::int64_t seeds,
                                                const StopSignal& stop) {
  std::vector<std::function<std::string()>> jobs;
  for (std::int64_t k = 0; k < seeds; ++k) {
    jobs.emplace_back([&question, k] {
      return text_of(simulate_data_parallel(question, DataParallelRun{.later_seed = static_cast<std::uint64_t>(k)}));
    });
  }
  const std::vector<Told> told = in_processes(jobs, question.shared.threads, stop.requested());
  std::vector<DataParallelOutcome> outcomes;
  for (const Told& one : told) {
    if (one.status == static_cast<int>(ExitStatus::done)) outcomes.push_back(read_data_parallel(one.text));
  }
  if (outcomes.empty()) text_of(told.front());
  for (std::size_t k = 0; k < told.size(); ++k) {
    if (told[k].status == static_cast<int>(ExitStatus::done)) continue;
    std::cerr << "note: the job with the seed " << k << " after the first did not end: " << told[k].text << "\n";
  }
  return outcomes;
}

/// The interval that is given, or Daly's, for how often a job that no loss sets back would have to begin again.
/// nullopt: never.
std::optional<Seconds> interval_of(const Arguments& arguments, DataParallelQuestion question, const StopSignal& stop) {
  const std::string given = arguments.text("checkpoint-every");
  if (given != "auto") {
    const auto interval = parse_seconds(given);
    if (!interval || *interval <= Seconds(0))
      throw ConfigError("--checkpoint-every=" + given + ": write auto, or a time with its unit, as 30min");
    return interval;
  }
  const DataParallelOutcome without = simulate(question, DataParallelRun{.keeps_each_step = true}, stop);
  if (without.restarts == 0) return std::nullopt;
  question.interval = Seconds(1e-9);  // a checkpoint after the first of two steps
  const DataParallelOutcome one = simulate(question, DataParallelRun{.steps = 2}, stop);
  const double write = one.checkpoints > 0 ? one.checkpointing_s / one.checkpoints : 0;
  return daly_interval(Seconds(write), Seconds((without.simulated_s - without.waiting_s) / without.restarts));
}

}  // namespace

ProgramInfo data_parallel_info() {
  ProgramInfo info{
      .name = "dipaco-sim data-parallel",
      .purpose = "Says what one model takes that all workers train data-parallel, as a baseline.",
      .usage = "SCENARIO.xml [options]",
      .example = "dipaco-sim data-parallel scenarios/wan_4dc.xml",
      .options = with_shared(
          {{.name = "all-reduce", .help = "of the job", .choices = {"hierarchical", "ring"}, .initial = "hierarchical"},
           {.name = "overlap", .help = "sums lie beside the backward pass", .choices = {"on", "off"}, .initial = "on"},
           {.name = "local-steps", .value = "N", .help = "each rank does N inner steps between sums (DiLoCo)"},
           {.name = "shares",
            .help = "of ranks in a step: by speed, or all the same",
            .choices = {"speed", "equal"},
            .initial = "speed"},
           {.name = "gradients", .help = "number format of gradients", .choices = {"bf16", "fp32"}, .initial = "bf16"},
           {.name = "on-loss",
            .help = "go on with fewer, or wait for all",
            .choices = {"shrink", "restart"},
            .initial = "shrink"},
           {.name = "checkpoint-every", .value = "TIME", .help = "of work; auto: Daly's optimum", .initial = "auto"},
           {.name = "repeat", .value = "N", .help = "seeds of the job, from run.seed on", .initial = "1"}},
          {Shared::run, Shared::set, Shared::seed, Shared::threads, Shared::format}),
      .words = 1,
      .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_data_parallel(const Arguments& arguments, const StopSignal& stop) {
  DataParallelQuestion question = read(arguments);
  const std::int64_t seeds = arguments.integer("repeat", 1, kMostSeeds).value();
  rehearse(question.words.scenario, [&] { load_scenario(question.words); });
  std::vector<std::string> sites;
  const std::string names = in_a_process(
      [&] {
        std::string all;
        for (const std::string& site : sites_with_workers(question)) all += (all.empty() ? "" : "\n") + site;
        return all;
      },
      stop.requested());
  const std::string free_of_charge = in_a_process([&] { return uncharged(question); }, stop.requested());
  if (!free_of_charge.empty()) {
    std::cerr << "note: data-parallel training is charged no " << free_of_charge << ": it does better by that\n";
  }
  std::vector<TrainingWay> ways = ways_of(question, split(names, '\n'));
  try_ways(ways, question, stop);
  question.interval = interval_of(arguments, question, stop);
  const DataParallelJobs jobs{simulate_seeds(question, seeds, stop), question.interval};
  question.shared.json ? print_json(ways, jobs) : print_for_person(ways, jobs);
  return ExitStatus::done;
}

}  // namespace dipaco
