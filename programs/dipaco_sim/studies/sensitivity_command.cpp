#include "programs/dipaco_sim/studies/sensitivity_command.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/condition.hpp"
#include "analysis/study/spread.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"
#include "programs/dipaco_sim/studies/sweep_survey.hpp"

namespace dipaco {
namespace {

/// A value of a key and what the figure comes to with it; all else is as it is.
struct Changed {
  std::string value;
  std::vector<double> figures;  ///< by seed
  double median = 0;
};

/// One key's values with the least and the greatest of the figure, what it is unchanged among them; and those whose
/// runs did not end.
struct Swing {
  std::string key;
  Changed least;
  Changed greatest;
  std::vector<std::string> without;

  double width() const { return greatest.median - least.median; }
  /// From the least to the greatest with the same seed.
  analysis::Spread widths() const {
    std::vector<double> each;
    for (std::size_t k = 0; k < least.figures.size(); ++k) each.push_back(greatest.figures[k] - least.figures[k]);
    return analysis::spread_of(std::move(each));
  }
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

/// Nullopt where a run did not end.
std::optional<Changed> with(const std::string& value, const std::vector<SweepJob>& jobs, const SweepFolder& folder,
                            const std::string& figure) {
  auto figures = analysis::values_of(figure, folder.read(jobs));
  if (!figures) return std::nullopt;
  const double median = analysis::spread_of(*figures).median;
  return Changed{value, std::move(*figures), median};
}

/// @param jobs  of this axis alone, as jobs_of() has them
Swing swing_of(const analysis::Axis& axis, const std::vector<SweepJob>& jobs, const SweepFolder& folder,
               const std::string& figure, const Changed& unchanged) {
  Swing swing{.key = axis.key, .least = unchanged, .greatest = unchanged, .without = {}};
  const auto seeds = static_cast<std::ptrdiff_t>(jobs.size() / axis.values.size());
  for (std::size_t k = 0; k < axis.values.size(); ++k) {
    const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(k) * seeds;
    const auto changed = with(axis.values[k], {begin, begin + seeds}, folder, figure);
    if (!changed) {
      swing.without.push_back(axis.values[k]);
      continue;
    }
    if (changed->median < swing.least.median) swing.least = *changed;
    if (changed->median > swing.greatest.median) swing.greatest = *changed;
  }
  return swing;
}

/// The interval of the swing is there where there are several seeds.
analysis::Table table_of(const std::string& figure, const Changed& unchanged, const std::vector<Swing>& swings) {
  analysis::Table table{.key = "swings",
                        .title = figure + ": each key changed alone, what moves it most first",
                        .columns = {{"key", "key"},
                                    {"least_at", "least at"},
                                    {"least", "least"},
                                    {"greatest_at", "greatest at"},
                                    {"greatest", "greatest"},
                                    {"swing", "swing"}},
                        .rows = {}};
  const bool all_ended = std::ranges::all_of(swings, [](const Swing& swing) { return swing.without.empty(); });
  const bool seeds = unchanged.figures.size() > 1;
  if (seeds) table.columns.insert(table.columns.end(), {{"swing_low", "swing, low"}, {"swing_high", "high"}});
  if (!all_ended) table.columns.push_back({"did_not_end_at", "did not end at"});
  const auto number = [unit = analysis::unit_of(figure)](double value) { return analysis::Value(unit, value); };
  const auto share = [base = std::abs(unchanged.median)](double width) {
    return analysis::Value(analysis::Unit::share, base == 0 ? std::nullopt : std::optional(width / base));
  };
  for (const Swing& swing : swings) {
    table.rows.push_back({swing.key, swing.least.value, number(swing.least.median), swing.greatest.value,
                          number(swing.greatest.median), share(swing.width())});
    const analysis::Spread widths = swing.widths();
    if (seeds) table.rows.back().insert(table.rows.back().end(), {share(widths.low), share(widths.high)});
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
  const auto as_it_is = with("as it is", unchanged, folder, figure);
  if (!as_it_is)
    throw RunError(static_cast<int>(ExitStatus::no_progress),
                   "the scenario as it is does not end, or has no " + figure);
  std::vector<Swing> swings;
  for (std::size_t k = 0; k < own.size(); ++k) {
    swings.push_back(swing_of(question.axes[k], own[k], folder, figure, *as_it_is));
  }
  std::ranges::stable_sort(swings, [](const Swing& a, const Swing& b) {
    return std::pair(a.without.empty(), -a.width()) < std::pair(b.without.empty(), -b.width());
  });
  const analysis::Table table = table_of(figure, *as_it_is, swings);
  std::cout << (question.shared.json ? analysis::as_json(table).dump(2) + "\n" : analysis::as_text(table));
  return ExitStatus::done;
}

}  // namespace dipaco
