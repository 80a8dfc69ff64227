#include "programs/dipaco_sim/studies/sweep_runs.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "core/base/text.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/dipaco_sim/shared/simulated_run.hpp"
#include "programs/shared/program.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

std::string json_of(const std::map<std::string, Fact>& facts) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [key, fact] : facts) {
    std::visit([&](const auto& value) { all[key] = value; }, fact);
  }
  return all.dump();
}

/// One run; its summary as JSON.
std::string simulate_job(const SweepQuestion& question, const SweepJob& job, const StopSignal& stop) {
  SweepQuestion one = at(question, job);
  one.shared.seed = job.seed;
  one.shared.threads = 1;
  LoadedScenario loaded = load_scenario(one.words);
  const RunConfig config = run_file_of(loaded, one.shared);
  check_fit(config, loaded);
  Progress silent(std::cerr, ProgressMode::off, stderr_columns);
  const RunPlan plan = ready_plan(config, one.shared, loaded, silent, stop);
  MemoryEventLog log;
  RunResult result;
  SimulationReport report = run_plan(plan, loaded, simulation_options(plan, 1), {}, log, result);
  RunFacts facts = facts_of(loaded, report, plan.config.run.seed);
  add_result(facts, plan, result);
  add_losses(facts, loaded, report, log.events());
  return json_of(summarize(facts, log.events()));
}

/// @throws ConfigError where axes contradict each other, or ask for too much
void check_axes(const SweepQuestion& question) {
  auto runs = static_cast<double>(question.repeat);
  std::set<std::string> keys;
  for (const analysis::Axis& axis : question.axes) {
    runs *= static_cast<double>(axis.values.size());
    if (!keys.insert(axis.key).second)
      throw ConfigError("--over " + axis.key + " is given twice; write all values in one");
    if (axis.key == "run.seed") throw ConfigError("--over run.seed: write --repeat N, and --seed for the first one");
    for (const std::string& setting : question.shared.set) {
      if (setting.starts_with(axis.key + "=")) throw ConfigError("--set " + setting + " is beside --over " + axis.key);
    }
    for (const ScenarioChange& change : question.words.changes) {
      if (change.text.starts_with(axis.key + "="))
        throw ConfigError("--set " + change.text + " is beside --over " + axis.key);
    }
  }
  if (runs > static_cast<double>(kMostRuns)) {
    throw ConfigError("that would be " + format_fixed(runs, 0) + " runs; ask for at most " + std::to_string(kMostRuns));
  }
}

SweepPart read_part(const std::string& text) {
  if (text.empty()) return {};
  const auto numbers = split(text, '/');
  const auto number = parse_integer(numbers.front());
  const auto of = parse_integer(numbers.back());
  if (numbers.size() != 2 || !number || !of || *number < 1 || *of < *number) {
    throw ConfigError("--part " + text + ": write I/N, the I-th of N parts, such as 1/4");
  }
  return {static_cast<std::size_t>(*number - 1), static_cast<std::size_t>(*of)};
}

}  // namespace

std::vector<ProgramOption> sweep_options(std::vector<ProgramOption> own) {
  std::vector<ProgramOption> options{
      {.name = "over",
       .value = "KEY=VALUES",
       .help = "commas between; \"A,B\" is one; A..B*N or A..B+STEP",
       .repeatable = true},
      {.name = "repeat", .value = "N", .help = "seeds from run.seed on, for each choice", .initial = "1"}};
  for (ProgramOption& option : own) options.push_back(std::move(option));
  return with_shared(std::move(options), {Shared::run, Shared::set, Shared::learn, Shared::out, Shared::seed,
                                          Shared::threads, Shared::format, Shared::progress});
}

SweepQuestion read_question(const Arguments& arguments) {
  SweepQuestion question{.shared = read_shared(arguments), .words = {}, .axes = {}};
  question.words = named_scenario(arguments, question.shared.set);
  if (arguments.knows("over")) {
    for (const std::string& text : arguments.all("over")) question.axes.push_back(analysis::parse_axis(text));
  }
  question.repeat = arguments.integer("repeat", 1, kMostRuns).value();
  check_axes(question);
  if (arguments.knows("part")) question.part = read_part(arguments.text("part"));
  return question;
}

SweepQuestion at(const SweepQuestion& question, const SweepJob& job) {
  SweepQuestion one = question;
  for (const std::string& setting : job.settings) {
    if (changes_scenario(setting)) {
      one.words.changes.push_back(parse_change(setting));
    } else {
      one.shared.set.push_back(setting);
    }
  }
  return one;
}

std::vector<SweepJob> jobs_of(const SweepQuestion& question, std::uint64_t first_seed) {
  std::vector<SweepJob> jobs;
  for (const auto& point : analysis::grid(question.axes)) {
    SweepJob job{.point = point, .settings = {}, .seed = 0};
    for (std::size_t k = 0; k < point.size(); ++k) job.settings.push_back(question.axes[k].key + "=" + point[k]);
    for (std::int64_t k = 0; k < question.repeat; ++k) {
      job.seed = first_seed + static_cast<std::uint64_t>(k);
      jobs.push_back(job);
    }
  }
  return jobs;
}

bool is_learned(const std::string& figure) {
  return figure.starts_with("validation_") || figure == "train_loss" || is_of_target(figure);
}

void check_learns(const std::string& option, const std::string& figure, const SweepQuestion& question) {
  if (question.shared.learn || !is_learned(figure)) return;
  throw ConfigError(option + " " + figure + " and --learn off: nothing is learned there; give one of them");
}

bool is_of_target(const std::string& figure) { return figure == "target_s" || figure == "usd_per_target"; }

void check_figure(const std::string& option, const std::string& figure, const std::vector<analysis::SweptRun>& runs) {
  const auto known = analysis::figures_of(runs);
  if (known.empty() || std::ranges::find(known, figure) != known.end()) return;
  if (is_of_target(figure)) return;  // nobody may have got there
  throw ConfigError(option + " " + figure + ": no run has this figure" + did_you_mean(figure, known));
}

void do_jobs(const SweepQuestion& question, const std::vector<SweepJob>& jobs, const SweepFolder& folder,
             const StopSignal& stop) {
  std::vector<const SweepJob*> left;
  std::int64_t done = 0;
  for (const SweepJob& job : jobs) folder.has(job) ? static_cast<void>(++done) : left.push_back(&job);
  const auto total = done + std::ssize(left);
  Progress progress(std::cerr, question.shared.progress, stderr_columns);
  std::vector<std::function<std::string()>> work;
  for (const SweepJob* const job : left) work.emplace_back([&, job] { return simulate_job(question, *job, stop); });
  std::int64_t killed = 0;
  const auto keep = [&](std::size_t number, const Told& told) {
    if (told.killed) return static_cast<void>(++killed);
    const bool ended = told.status == static_cast<int>(ExitStatus::done);
    folder.keep(*left[number], ended ? told.text : "", told.text);
    progress.show("runs", ++done, total);
  };
  try {
    in_processes(work, question.shared.threads, stop.requested(), keep);
  } catch (const Interrupted&) {
    throw Interrupted("stopped before its end; the same command goes on");
  }
  progress.finish();
  if (killed == 0) return;
  throw RunError(static_cast<int>(ExitStatus::no_progress),
                 std::to_string(killed) + " of " + std::to_string(total) +
                     " runs were ended by a signal, perhaps for want of memory; the same command tries them again, " +
                     "and --threads 1 one at a time");
}

}  // namespace dipaco
