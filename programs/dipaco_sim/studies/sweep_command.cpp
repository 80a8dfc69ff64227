#include "programs/dipaco_sim/studies/sweep_command.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "analysis/study/condition.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"
#include "programs/dipaco_sim/studies/sweep_survey.hpp"

namespace dipaco {
namespace {

void leave_tables(const SweepQuestion& question, const std::vector<std::string>& wanted,
                  const std::vector<SweepJob>& jobs, const SweepFolder& folder) {
  const auto runs = folder.read(jobs);
  folder.write("sweep.csv", analysis::sweep_csv(question.axes, runs));
  folder.write("points.csv", analysis::points_csv(question.axes, runs));
  for (const std::string& key : wanted) check_figure("--show", key, runs);
  std::vector<std::string> shown = wanted;
  if (shown.empty()) shown = {"simulated_s", "goodput", "wan_bytes", "usd", "validation_perplexity"};
  const analysis::Table table = analysis::points_table(question.axes, runs, shown);
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
  leave_tables(question, arguments.all("show"), jobs, folder);
  const auto runs = folder.read(jobs);
  if (!runs.empty() && std::ranges::none_of(runs, [](const auto& run) { return run.error.empty(); })) {
    throw RunError(static_cast<int>(ExitStatus::no_progress), "no run has ended; the notes say why");
  }
  return all_hold(arguments.all("assert"), question, runs) ? ExitStatus::done : ExitStatus::not_met;
}

}  // namespace dipaco
