#include "programs/dipaco_sim/sensitivity_command.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/condition.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/sweep_runs.hpp"
#include "programs/dipaco_sim/sweep_survey.hpp"

namespace dipaco {
namespace {

/// A value of a key and what the figure comes to with it; all else is as it is.
struct Changed {
  std::string value;
  double figure = 0;
};

/// One key's values with the least and the greatest of the figure, what it is unchanged among them; and those whose
/// runs did not end.
struct Swing {
  std::string key;
  Changed least;
  Changed greatest;
  std::vector<std::string> without;

  double width() const { return greatest.figure - least.figure; }
  std::string ended_not_at() const {
    std::string all;
    for (const std::string& value : without) all += (all.empty() ? "" : ", ") + value;
    return all;
  }
};

/// The question with these axes alone.
SweepQuestion with_axes(const SweepQuestion& question, std::vector<analysis::Axis> axes) {
  SweepQuestion one = question;
  one.axes = std::move(axes);
  return one;
}

std::optional<double> median(const SweepFolder& folder, const std::vector<SweepJob>& jobs, const std::string& figure) {
  return analysis::median_of({.text = {}, .figure = figure, .sign = {}}, folder.read(jobs));
}

/// What the figure comes to where nothing is changed.
struct Unchanged {
  std::string figure;
  double value = 0;
};

/// @param jobs  of this axis alone, as jobs_of() has them
Swing swing_of(const analysis::Axis& axis, const std::vector<SweepJob>& jobs, const SweepFolder& folder,
               const Unchanged& unchanged) {
  const Changed base{"as it is", unchanged.value};
  Swing swing{.key = axis.key, .least = base, .greatest = base, .without = {}};
  const auto seeds = static_cast<std::ptrdiff_t>(jobs.size() / axis.values.size());
  for (std::size_t k = 0; k < axis.values.size(); ++k) {
    const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(k) * seeds;
    const auto value = median(folder, {begin, begin + seeds}, unchanged.figure);
    if (!value) {
      swing.without.push_back(axis.values[k]);
      continue;
    }
    if (*value < swing.least.figure) swing.least = {axis.values[k], *value};
    if (*value > swing.greatest.figure) swing.greatest = {axis.values[k], *value};
  }
  return swing;
}

analysis::Table table_of(const Unchanged& unchanged, const std::vector<Swing>& swings) {
  analysis::Table table{.key = "swings",
                        .title = unchanged.figure + ": each key changed alone, what moves it most first",
                        .columns = {{"key", "key"},
                                    {"least_at", "least at"},
                                    {"least", "least"},
                                    {"greatest_at", "greatest at"},
                                    {"greatest", "greatest"},
                                    {"swing", "swing"}},
                        .rows = {}};
  const bool all_ended = std::ranges::all_of(swings, [](const Swing& swing) { return swing.without.empty(); });
  if (!all_ended) table.columns.push_back({"did_not_end_at", "did not end at"});
  const auto number = [unit = analysis::unit_of(unchanged.figure)](double value) {
    return analysis::Value(unit, value);
  };
  for (const Swing& swing : swings) {
    std::optional<double> share;
    if (unchanged.value != 0) share = swing.width() / std::abs(unchanged.value);
    table.rows.push_back({swing.key, swing.least.value, number(swing.least.figure), swing.greatest.value,
                          number(swing.greatest.figure), analysis::Value(analysis::Unit::share, share)});
    if (!all_ended) table.rows.back().emplace_back(swing.ended_not_at());
  }
  return table;
}

}  // namespace

ProgramInfo sensitivity_info() {
  ProgramInfo info{.name = "dipaco-sim sensitivity",
                   .purpose = "Says which of some assumptions moves a figure most.",
                   .usage = "SCENARIO.xml --over KEY=VALUES --of FIGURE",
                   .example = "dipaco-sim sensitivity my.xml --over inner.steps=50,99 --of usd",
                   .options = sweep_options({{.name = "of", .value = "FIGURE", .help = "a key of summary.json"}}),
                   .words = 1,
                   .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_sensitivity(const Arguments& arguments, const StopSignal& stop) {
  const SweepQuestion question = read_question(arguments);
  const std::string figure = analysis::figure_named(arguments.text("of"));
  if (question.axes.empty()) throw ConfigError("nothing to change; add --over KEY=VALUES");
  if (figure.empty()) throw ConfigError("--of: name a key of summary.json, such as simulated_s or usd");
  check_learns("--of", figure, question);
  SweepGround ground = survey(with_axes(question, {}), stop);
  const auto unchanged = jobs_of(with_axes(question, {}), ground.seed);
  std::vector<SweepJob> all = unchanged;
  std::vector<std::vector<SweepJob>> own;
  for (const analysis::Axis& axis : question.axes) {
    const SweepQuestion alone = with_axes(question, {axis});
    ground.inputs.files.add(survey(alone, stop).inputs.files);
    own.push_back(jobs_of(alone, ground.seed));
    all.insert(all.end(), own.back().begin(), own.back().end());
  }
  const SweepFolder folder = folder_of(question, ground);
  do_jobs(question, all, folder, stop);
  check_figure("--of", figure, folder.read(all));
  const auto base = median(folder, unchanged, figure);
  if (!base)
    throw RunError(static_cast<int>(ExitStatus::no_progress),
                   "the scenario as it is does not end, or has no " + figure);
  std::vector<Swing> swings;
  const Unchanged as_it_is{figure, *base};
  for (std::size_t k = 0; k < own.size(); ++k) swings.push_back(swing_of(question.axes[k], own[k], folder, as_it_is));
  std::ranges::stable_sort(swings, [](const Swing& a, const Swing& b) {
    return std::pair(a.without.empty(), -a.width()) < std::pair(b.without.empty(), -b.width());
  });
  const analysis::Table table = table_of(as_it_is, swings);
  std::cout << (question.shared.json ? analysis::as_json(table).dump(2) + "\n" : analysis::as_text(table));
  return ExitStatus::done;
}

}  // namespace dipaco
