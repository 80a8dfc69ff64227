#include "programs/dipaco_sim/studies/sweep_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "analysis/study/condition.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/dipaco_sim/shared/simulated_run.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"
#include "programs/dipaco_sim/studies/sweep_survey.hpp"

namespace dipaco {
namespace {

/// Of seeds alone all rows are of one point: it is not named in each.
void name_no_point(analysis::Table& table, const std::vector<analysis::SweptRun>& runs) {
  if (table.columns.size() < 2) return;
  const auto ended = std::ranges::count_if(runs, [](const auto& run) { return run.error.empty(); });
  table.title = "Of " + std::to_string(ended) + (ended == 1 ? " run" : " runs");
  table.columns.erase(table.columns.begin());
  for (auto& row : table.rows) row.erase(row.begin());
}

void leave_tables(const SweepQuestion& question, const std::vector<std::string>& shown,
                  const std::vector<SweepJob>& jobs, const SweepFolder& folder) {
  const auto runs = folder.read(jobs);
  folder.write("sweep.csv", analysis::sweep_csv(question.axes, runs));
  folder.write("points.csv", analysis::points_csv(question.axes, runs));
  analysis::Table table = analysis::points_table(question.axes, runs, shown);
  if (question.axes.empty() && !question.shared.json) name_no_point(table, runs);
  if (question.shared.json) {
    std::cout << analysis::as_json(table).dump(2) << "\n";
  } else {
    std::cout << analysis::as_text(table) << "files: " << folder.path().string() << ": sweep.csv, points.csv\n";
  }
  for (const analysis::SweptRun& run : runs) {
    if (run.error.empty()) continue;
    std::string where;
    for (const std::string& value : run.point) where += value + ", ";
    std::cerr << "note: " << where << "seed " << run.seed << " did not end: " << on_one_line(run.error) << "\n";
  }
  if (runs.size() < jobs.size()) {
    std::cerr << "note: " << runs.size() << " of " << jobs.size()
              << " runs are there; the tables are whole once the other parts are done\n";
  }
}

/// What a sweep shows: the figures that are asked for, else the main ones.
std::vector<std::string> shown_of(const std::vector<std::string>& wanted, const std::vector<analysis::SweptRun>& runs) {
  for (const std::string& key : wanted) check_figure("--show", key, runs);
  if (!wanted.empty()) return wanted;
  return {"simulated_s", "goodput", "wan_bytes", "usd", "validation_perplexity"};
}

/// What seeds alone show: in JSON every figure, for a person the duration and those that differ, and how many do not.
std::vector<std::string> shown_of_seeds(const std::vector<analysis::SweptRun>& runs, bool json) {
  auto figures = analysis::figures_of(runs);
  std::erase(figures, "seed");
  if (json) return figures;
  const auto all = figures.size();
  std::erase_if(figures, [&](const std::string& key) {
    if (key == "simulated_s") return false;
    const auto has = [&](const analysis::SweptRun& run) { return run.summary.contains(key); };
    const auto first = std::ranges::find_if(runs, has);
    return std::ranges::all_of(
        runs, [&](const analysis::SweptRun& run) { return !has(run) || run.summary[key] == first->summary[key]; });
  });
  if (all > 0)
    std::cerr << "note: " << all - figures.size() << " of " << all
              << " figures are the same for each seed; points.csv has all\n";
  return figures;
}

void check_only_seeds(const SharedOptions& shared) {
  const char* const one = !shared.resume.empty() ? "--resume" : shared.dump_config ? "--dump-config" : "--events";
  if (shared.resume.empty() && !shared.dump_config && !shared.events) return;
  throw ConfigError(std::string(one) + " is for one run; leave it out, or --repeat");
}

/// What a run of the scenario would be refused for, or note, whatever its seed.
std::string notes_of(const SweepQuestion& question) {
  const LoadedScenario loaded = load_scenario(question.words);
  std::string notes;
  for (const std::string& note : check_fit(run_file_of(loaded, question.shared), loaded))
    notes += "note: " + note + "\n";
  for (const std::string& note : loaded.placement.inferred) notes += "note: " + note + "\n";
  return notes + "note: network model " + loaded.engine->network_model() + "\n";
}

void check_some_ended(const std::vector<analysis::SweptRun>& runs) {
  if (runs.empty() || std::ranges::any_of(runs, [](const auto& run) { return run.error.empty(); })) return;
  throw RunError(static_cast<int>(ExitStatus::no_progress), "no run has ended; the notes say why");
}

/// Whether each condition holds at each point, by the median over the seeds; says where not.
bool all_hold(const std::vector<std::string>& conditions, const SweepQuestion& question,
              const std::vector<analysis::SweptRun>& runs) {
  bool hold = true;
  for (const std::string& text : conditions) {
    const analysis::Condition condition = analysis::parse_condition(text);
    check_figure("--assert", condition.figure, runs);
    for (const auto& point : analysis::grid(question.axes)) {
      std::vector<analysis::SweptRun> own;
      std::ranges::copy_if(runs, std::back_inserter(own), [&](const auto& run) { return run.point == point; });
      const auto median = analysis::median_of(condition, own);
      if (median && condition.holds(*median)) continue;
      hold = false;
      std::string where;
      for (const std::string& value : point) where += (where.empty() ? "" : ", ") + value;
      std::cerr << "not met: " << (where.empty() ? "" : where + ": ") << text << ", it is "
                << (median ? format_number(*median) : "unknown") << "\n";
    }
  }
  return hold;
}

}  // namespace

ProgramInfo sweep_info() {
  ProgramInfo info{
      .name = "dipaco-sim sweep",
      .purpose = "Simulates a scenario for each choice of some keys' values, and each seed.",
      .usage = "SCENARIO.xml --over KEY=VALUES [options]",
      .example = "dipaco-sim sweep my.xml --learn off --over inner.steps=50..800*5",
      .options = sweep_options(
          {{.name = "show", .value = "FIGURE", .help = "a key of summary.json, to be printed", .repeatable = true},
           {.name = "assert",
            .value = "CONDITION",
            .help = "such as goodput>=0.9: status 1 where it fails",
            .repeatable = true},
           {.name = "part", .value = "I/N", .help = "do every N-th run alone, from the I-th on"}}),
      .words = 1,
      .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_sweep(const Arguments& arguments, const StopSignal& stop) {
  const SweepQuestion question = read_question(arguments);
  if (question.axes.empty() && question.repeat == 1) {
    throw ConfigError("nothing to sweep over; add --over KEY=VALUES, --repeat N or both");
  }
  for (const std::string& text : arguments.all("assert")) {
    check_learns("--assert", analysis::parse_condition(text).figure, question);
  }
  const SweepGround ground = survey(question, stop);
  const auto jobs = jobs_of(question, ground.seed);
  const SweepFolder folder = folder_of(question, ground);
  std::vector<SweepJob> part;
  for (std::size_t k = question.part.number; k < jobs.size(); k += question.part.of) part.push_back(jobs[k]);
  do_jobs(question, part, folder, stop);
  const auto runs = folder.read(jobs);
  leave_tables(question, shown_of(arguments.all("show"), runs), jobs, folder);
  check_some_ended(runs);
  return all_hold(arguments.all("assert"), question, runs) ? ExitStatus::done : ExitStatus::not_met;
}

bool wants_seeds(const Arguments& arguments) { return arguments.integer("repeat", 1, kMostRuns).value() > 1; }

ExitStatus run_seeds(const Arguments& arguments, const StopSignal& stop) {
  SweepQuestion question = read_question(arguments);
  check_only_seeds(question.shared);
  const SweepGround ground = survey(question, stop);
  std::cerr << in_a_process([&] { return notes_of(question); }, stop.requested());
  const auto jobs = jobs_of(question, ground.seed);
  if (question.shared.out.empty()) question.shared.out = std::filesystem::path("out") / (ground.name + "-seeds");
  const SweepFolder folder = folder_of(question, ground);
  do_jobs(question, jobs, folder, stop);
  const auto runs = folder.read(jobs);
  leave_tables(question, shown_of_seeds(runs, question.shared.json), jobs, folder);
  check_some_ended(runs);
  return ExitStatus::done;
}

}  // namespace dipaco
