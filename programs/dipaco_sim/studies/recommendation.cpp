#include "programs/dipaco_sim/studies/recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analysis/study/front.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// Rows of the table of the best.
constexpr std::size_t kShown = 5;

std::vector<std::size_t> sizes_of(const std::vector<analysis::Axis>& axes) {
  std::vector<std::size_t> sizes;
  for (const analysis::Axis& axis : axes) sizes.push_back(axis.values.size());
  return sizes;
}

/// By how much of the bound a condition is missed; 0 where it holds.
double miss(const analysis::Condition& condition, double value) {
  constexpr double kLeast = 1e-9;  // on the bound itself
  if (condition.holds(value)) return 0;
  const double scale = condition.bound == 0 ? 1 : std::abs(condition.bound);
  return std::max(std::abs(value - condition.bound) / scale, kLeast);
}

/// Of a figure that most of a choice's runs do not have.
std::string why_missing(const std::string& figure) {
  if (!is_of_target(figure)) return "its runs do not end";
  return "no choice gets to evaluate.target_perplexity: set it, with learning on, to a perplexity that runs reach";
}

}  // namespace

Wish parse_wish(const std::string& objective, const std::vector<std::string>& conditions) {
  const bool most = objective.starts_with("-");
  Wish wish{.objective = analysis::figure_named(objective.substr(most ? 1 : 0)), .most = most, .conditions = {}};
  if (wish.objective.empty())
    throw ConfigError("--objective: name a figure of summary.json, such as hours, usd or -goodput");
  for (const std::string& text : conditions) wish.conditions.push_back(analysis::parse_condition(text));
  return wish;
}

Recommendation::Recommendation(const SweepQuestion& question, Wish wish, const SweepFolder& folder,
                               const std::vector<SweepJob>& jobs, std::size_t most_runs)
    : question_(question),
      wish_(std::move(wish)),
      folder_(folder),
      jobs_(jobs),
      search_(sizes_of(question.axes), seeds(), most_runs) {}

std::vector<SweepJob> Recommendation::jobs_at(std::size_t point, std::size_t seeds) const {
  const auto begin = jobs_.begin() + static_cast<std::ptrdiff_t>(point * this->seeds());
  return {begin, begin + static_cast<std::ptrdiff_t>(seeds)};
}

std::vector<analysis::SweptRun> Recommendation::runs_at(std::size_t point) const {
  return folder_.read(jobs_at(point, seeds()));
}

std::optional<double> Recommendation::median(const std::string& figure,
                                             const std::vector<analysis::SweptRun>& runs) const {
  return analysis::median_of({.text = {}, .figure = figure, .sign = {}}, runs);
}

analysis::Standing Recommendation::standing(const std::vector<analysis::SweptRun>& runs) const {
  analysis::Standing standing;
  const auto objective = median(wish_.objective, runs);
  standing.objective = objective.value_or(0) * (wish_.most ? -1 : 1);
  if (!objective) standing.misses = std::numeric_limits<double>::infinity();
  for (const analysis::Condition& condition : wish_.conditions) {
    const auto value = analysis::median_of(condition, runs);
    standing.misses += value ? miss(condition, *value) : std::numeric_limits<double>::infinity();
  }
  return standing;
}

void Recommendation::go(const StopSignal& stop) {
  for (auto trials = search_.next(); !trials.empty(); trials = search_.next()) {
    std::vector<SweepJob> jobs;
    for (const auto& [point, seeds] : trials) {
      const auto own = jobs_at(point, seeds);
      jobs.insert(jobs.end(), own.begin(), own.end());
    }
    do_jobs(question_, jobs, folder_, stop);
    const auto runs = folder_.read(jobs);
    check_figure("--objective", wish_.objective, runs);
    for (const analysis::Condition& condition : wish_.conditions) check_figure("--subject", condition.figure, runs);
    for (const auto& trial : trials) search_.tried(trial, standing(folder_.read(jobs_at(trial.point, trial.seeds))));
  }
}

std::optional<std::string> Recommendation::why_none_ended() const {
  std::optional<std::string> why;
  for (const std::size_t point : search_.ranked()) {
    for (const analysis::SweptRun& run : folder_.read(jobs_at(point, 1))) {
      if (run.error.empty()) return std::nullopt;
      if (!why) why = run.error;
    }
  }
  return why;
}

std::vector<std::string> Recommendation::missed() const {
  const auto runs = runs_at(search_.best());
  std::vector<std::string> missed;
  if (!median(wish_.objective, runs)) missed.push_back(why_missing(wish_.objective));
  for (const analysis::Condition& condition : wish_.conditions) {
    const auto value = analysis::median_of(condition, runs);
    if (value && condition.holds(*value)) continue;
    missed.push_back(condition.text + ", it is " + (value ? format_number(*value) : "unknown"));
  }
  return missed;
}

analysis::Table Recommendation::best_table() const {
  std::vector<std::string> figures{wish_.objective};
  for (const analysis::Condition& condition : wish_.conditions) figures.push_back(condition.figure);
  figures.insert(figures.end(), {"simulated_s", "usd", "wan_bytes"});
  std::vector<std::string> shown;
  for (const std::string& figure : figures) {
    if (std::ranges::find(shown, figure) == shown.end()) shown.push_back(figure);
  }
  std::vector<analysis::SweptRun> runs;
  auto order = search_.finalists();
  order.resize(std::min(order.size(), kShown));
  for (const std::size_t point : order) {
    const auto own = runs_at(point);
    runs.insert(runs.end(), own.begin(), own.end());
  }
  analysis::Table table = analysis::points_table(question_.axes, runs, shown);
  table.title = "The best, the best first";
  return table;
}

analysis::Table Recommendation::front_table() const {
  std::vector<std::vector<analysis::SweptRun>> all;
  std::string other = "wan_bytes";
  for (const std::size_t point : search_.ranked()) {
    auto runs = folder_.read(jobs_at(point, 1));
    if (standing(runs).misses > 0) continue;
    if (median("usd", runs)) other = "usd";
    all.push_back(std::move(runs));
  }
  std::vector<std::pair<double, double>> figures;
  for (const auto& runs : all) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    figures.emplace_back(median("simulated_s", runs).value_or(kNever), median(other, runs).value_or(kNever));
  }
  std::vector<analysis::SweptRun> front;
  for (const std::size_t k : analysis::pareto_front(figures)) front.insert(front.end(), all[k].begin(), all[k].end());
  analysis::Table table = analysis::points_table(question_.axes, front, {"simulated_s", other});
  table.key = "front";
  table.title = "Duration against cost, all with the first seed: any other that was tried is longer or dearer";
  return table;
}

}  // namespace dipaco
