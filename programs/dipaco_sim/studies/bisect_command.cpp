#include "programs/dipaco_sim/studies/bisect_command.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/study/bisection.hpp"
#include "analysis/study/condition.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/study/sweep_tables.hpp"
#include "analysis/table.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"
#include "programs/dipaco_sim/studies/sweep_survey.hpp"

namespace dipaco {
namespace {

/// What is known of one value of the axis.
struct TriedValue {
  std::string value;
  std::optional<analysis::Spread> spread;  ///< over the seeds; nullopt: a run did not end
  bool holds = false;
};

class BisectSearch {
 public:
  BisectSearch(const SweepQuestion& question, analysis::Condition condition, const SweepFolder& folder,
               const std::vector<SweepJob>& jobs)
      : question_(question),
        condition_(std::move(condition)),
        folder_(folder),
        jobs_(jobs),
        bisection_(values().size()) {
    tried_.resize(values().size());
  }

  void go(const StopSignal& stop) {
    const auto at_once = std::max<std::size_t>(
        static_cast<std::size_t>(question_.shared.threads) / static_cast<std::size_t>(question_.repeat), 1);
    for (auto next = bisection_.next(at_once); !next.empty(); next = bisection_.next(at_once)) {
      std::vector<SweepJob> jobs;
      for (const std::size_t value : next) {
        const auto own = jobs_at(value);
        jobs.insert(jobs.end(), own.begin(), own.end());
      }
      do_jobs(question_, jobs, folder_, stop);
      for (const std::size_t value : next) judge(value);
    }
  }

  std::optional<std::string> answer() const {
    const auto found = bisection_.answer();
    return found ? std::optional(values()[*found]) : std::nullopt;
  }

  void print_text() const {
    for (const std::optional<TriedValue>& one : tried_) {
      if (!one) continue;
      std::cout << "  " << one->value << ": " << condition_.figure << " "
                << (one->spread ? in_words(*one->spread) : "unknown, a run did not end") << (one->holds ? "" : ", no")
                << "\n";
    }
    const auto found = answer();
    std::cout << question_.axes.front().key << ": "
              << (found ? *found + " is the first from which on " + condition_.text + " holds"
                        : condition_.text + " does not hold at the last value, " + values().back())
              << "\n";
    for (const std::size_t value : bisection_.contradicting()) {
      std::cout << "  not monotonic: it also holds at " << values()[value] << "\n";
    }
    if (!found) std::cout << "  nearest: " << nearest() << "\n";
  }

  void print_json() const {
    nlohmann::json all{
        {"key", question_.axes.front().key}, {"condition", condition_.text}, {"tried", nlohmann::json::array()}};
    for (const std::optional<TriedValue>& one : tried_) {
      if (!one) continue;
      nlohmann::json row{
          {"value", one->value}, {"holds", one->holds}, {"median", nullptr}, {"low", nullptr}, {"high", nullptr}};
      if (one->spread)
        row.update({{"median", one->spread->median}, {"low", one->spread->low}, {"high", one->spread->high}});
      all["tried"].push_back(std::move(row));
    }
    const auto found = answer();
    all["answer"] = nullptr;
    if (found) all["answer"] = *found;
    all["also_holds_at"] = nlohmann::json::array();
    for (const std::size_t value : bisection_.contradicting()) all["also_holds_at"].push_back(values()[value]);
    std::cout << all.dump(2) << "\n";
  }

 private:
  const std::vector<std::string>& values() const { return question_.axes.front().values; }

  std::vector<SweepJob> jobs_at(std::size_t value) const {
    const auto repeat = static_cast<std::ptrdiff_t>(question_.repeat);
    const auto begin = jobs_.begin() + static_cast<std::ptrdiff_t>(value) * repeat;
    return {begin, begin + repeat};
  }

  void judge(std::size_t value) {
    const auto runs = folder_.read(jobs_at(value));
    check_figure("--until", condition_.figure, runs);
    auto figures = analysis::values_of(condition_.figure, runs);
    TriedValue one{.value = values()[value], .spread = {}};
    if (figures) one.spread = analysis::spread_of(std::move(*figures));
    one.holds = one.spread && condition_.holds(one.spread->median);
    tried_[value] = one;
    bisection_.tried(value, one.holds);
  }

  /// With the median's interval where there are several seeds. What looks like the bound has its digits behind it.
  std::string in_words(const analysis::Spread& spread) const {
    const auto words = [&](double value) {
      const analysis::Unit unit = analysis::unit_of(condition_.figure);
      const std::string text = analysis::for_person({unit, value});
      const bool alike = text == analysis::for_person({unit, condition_.bound});
      return alike ? text + " = " + format_number(value) : text;
    };
    if (question_.repeat == 1) return words(spread.median);
    return words(spread.median) + " (" + words(spread.low) + " to " + words(spread.high) + ")";
  }

  /// The tried value whose figure comes closest to the bound.
  std::string nearest() const {
    const TriedValue* best = nullptr;
    const auto miss = [&](const TriedValue& one) { return std::abs(one.spread->median - condition_.bound); };
    for (const std::optional<TriedValue>& one : tried_) {
      if (one && one->spread && (best == nullptr || miss(*one) < miss(*best))) best = &*one;
    }
    if (best == nullptr) return "none, as no run ended";
    return best->value + " with " + condition_.figure + " " + in_words(*best->spread);
  }

  const SweepQuestion& question_;
  analysis::Condition condition_;
  const SweepFolder& folder_;
  const std::vector<SweepJob>& jobs_;
  analysis::Bisection bisection_;
  std::vector<std::optional<TriedValue>> tried_;
};

}  // namespace

ProgramInfo bisect_info() {
  ProgramInfo info{
      .name = "dipaco-sim bisect",
      .purpose = "Finds the first of some values from which on a condition holds.",
      .usage = "SCENARIO.xml --over KEY=VALUES --until CONDITION",
      .example = "dipaco-sim bisect my.xml --over outer.steps=5,9 --until 'goodput>0.9'",
      .options = sweep_options({{.name = "until", .value = "CONDITION", .help = "FIGURE>=BOUND; also >, < and <="}}),
      .words = 1,
      .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_bisect(const Arguments& arguments, const StopSignal& stop) {
  const SweepQuestion question = read_question(arguments);
  if (question.axes.size() != 1) throw ConfigError("give one --over KEY=VALUES, whose values are tried in their order");
  const auto condition = analysis::parse_condition(arguments.text("until"));
  check_learns("--until", condition.figure, question);
  const SweepGround ground = survey(question, stop);
  const auto jobs = jobs_of(question, ground.seed);
  const SweepFolder folder = folder_of(question, ground);
  BisectSearch search(question, condition, folder, jobs);
  search.go(stop);
  question.shared.json ? search.print_json() : search.print_text();
  return search.answer() ? ExitStatus::done : ExitStatus::not_met;
}

}  // namespace dipaco
