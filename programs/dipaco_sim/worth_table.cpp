#include "programs/dipaco_sim/worth_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/study/spread.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"

namespace dipaco {
namespace {

Cost cost_of(const std::string& text) {
  Cost cost;
  std::istringstream(text) >> cost.seconds >> cost.wan_bytes;
  return cost;
}

std::string signed_seconds(double seconds) {
  if (std::abs(seconds) < 5e-4) return human_seconds(Seconds(0));  // rounded otherwise on the way
  return (seconds < 0 ? "-" : "+") + human_seconds(Seconds(std::abs(seconds)));
}

/// Runs that differ in their seeds alone, beside the whole with the same.
struct Compared {
  analysis::Spread seconds;
  analysis::Spread longer;
  double wan_bytes = 0;
};

Compared compare(const std::vector<Cost>& runs, const std::vector<Cost>& whole) {
  std::vector<double> seconds, longer, bytes;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    seconds.push_back(runs[k].seconds);
    longer.push_back(runs[k].seconds - whole[k].seconds);
    bytes.push_back(runs[k].wan_bytes);
  }
  return {analysis::spread_of(std::move(seconds)), analysis::spread_of(std::move(longer)),
          analysis::spread_of(std::move(bytes)).median};
}

/// The first that did not end; null: all have.
const Told* without_end(const std::vector<Told>& runs) {
  const auto found =
      std::ranges::find_if(runs, [](const Told& told) { return told.status != static_cast<int>(ExitStatus::done); });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<Cost> costs_of(const std::vector<Told>& runs) {
  std::vector<Cost> costs;
  for (const Told& told : runs) costs.push_back(cost_of(text_of(told)));
  return costs;
}

/// The rows of a person's table.
class Rows {
 public:
  explicit Rows(std::size_t seeds) : seeds_(seeds), intervals_(seeds > 1) {}
  void head() const {
    const std::string interval = seeds_ < 6 ? "least to greatest" : "95 % interval";
    add("without", "duration", "longer", "across sites", intervals_ ? interval : "");
  }
  void no_end(const std::string& name) const { add(name, "no end", "", "", ""); }
  void whole(const Compared& runs) const { add("nobody", runs, false); }
  void add(const std::string& name, const Compared& runs, bool longer = true) const {
    const std::string interval = signed_seconds(runs.longer.low) + " to " + signed_seconds(runs.longer.high);
    add(name, human_seconds(Seconds(runs.seconds.median)), longer ? signed_seconds(runs.longer.median) : "",
        human_bytes(Bytes{static_cast<std::uint64_t>(runs.wan_bytes)}), longer && intervals_ ? interval : "");
  }

 private:
  void add(const std::string& name, const std::string& duration, const std::string& longer, const std::string& bytes,
           const std::string& interval) const {
    std::cout << std::left << std::setw(38) << name << std::right << std::setw(13) << duration << std::setw(15)
              << longer << std::setw(13) << bytes;
    if (!interval.empty()) std::cout << "  " << interval;
    std::cout << "\n";
  }

  std::size_t seeds_;
  bool intervals_;
};

/// Adds how much longer a run takes, under these names.
void add_longer(nlohmann::json& json, const analysis::Spread& longer, const std::string& name, bool intervals,
                double sign = 1) {
  json[name + "_s"] = sign * longer.median + 0.0;  // of no difference 0, not -0
  if (!intervals) return;
  json[name + "_low_s"] = sign * (sign > 0 ? longer.low : longer.high);
  json[name + "_high_s"] = sign * (sign > 0 ? longer.high : longer.low);
}

}  // namespace

std::string text_of(const Cost& cost) {
  return format_number(cost.seconds) + " " + std::to_string(static_cast<std::uint64_t>(cost.wan_bytes));
}

Answers read_answers(const Asked& asked, const std::vector<Told>& told) {
  const auto of = [&](std::size_t subject) {
    const auto begin = told.begin() + static_cast<std::ptrdiff_t>(subject * asked.seeds);
    return std::vector<Told>(begin, begin + static_cast<std::ptrdiff_t>(asked.seeds));
  };
  Answers answers{.whole = costs_of(of(0))};
  for (std::size_t k = 0; k < asked.groups.size(); ++k) answers.runs.push_back(of(1 + k));
  if (asked.losses) answers.no_losses = costs_of(of(1 + asked.groups.size()));
  return answers;
}

void print_worth(const Asked& asked, const Answers& answers) {
  const Rows rows(asked.seeds);
  std::cout << asked.name << ", " << asked.workers << " workers";
  if (asked.seeds > 1) std::cout << "; medians of " << asked.seeds << " seeds";
  std::cout << "\n";
  rows.head();
  rows.whole(compare(answers.whole, answers.whole));
  for (std::size_t k = 0; k < asked.groups.size(); ++k) {
    const Group& group = asked.groups[k];
    const std::string several = std::to_string(group.machines) + (group.machines == 1 ? " worker" : " workers");
    const std::string name = group.name + " (" + (group.kind.empty() ? several : group.kind) + ")";
    if (const Told* const failed = without_end(answers.runs[k])) {
      rows.no_end(name);
      std::cerr << "note: without " << group.name << ": " << failed->text << "\n";
      continue;
    }
    rows.add(name, compare(costs_of(answers.runs[k]), answers.whole));
  }
  if (!answers.no_losses.empty()) {
    rows.add("losses (no machine ever goes)", compare(answers.no_losses, answers.whole));
  }
}

void print_worth_json(const Asked& asked, const Answers& answers) {
  const bool intervals = asked.seeds > 1;
  const Compared whole = compare(answers.whole, answers.whole);
  nlohmann::json all{{"name", asked.name},
                     {"workers", asked.workers},
                     {"simulated_s", whole.seconds.median},
                     {"wan_bytes", static_cast<std::uint64_t>(whole.wan_bytes)},
                     {"without", nlohmann::json::array()}};
  if (intervals) all["seeds"] = asked.seeds;
  const auto told = [](const Compared& runs) {
    return nlohmann::json{{"simulated_s", runs.seconds.median},
                          {"wan_bytes", static_cast<std::uint64_t>(runs.wan_bytes)}};
  };
  if (!answers.no_losses.empty()) {
    const Compared runs = compare(answers.no_losses, answers.whole);
    all["without_losses"] = told(runs);
    add_longer(all["without_losses"], runs.longer, "losses_cost", intervals, -1);
  }
  for (std::size_t k = 0; k < asked.groups.size(); ++k) {
    nlohmann::json one{{"name", asked.groups[k].name}, {"workers", asked.groups[k].machines}};
    if (const Told* const failed = without_end(answers.runs[k])) {
      one["error"] = failed->text;
    } else {
      const Compared runs = compare(costs_of(answers.runs[k]), answers.whole);
      one.update(told(runs));
      add_longer(one, runs.longer, "worth", intervals);
    }
    all["without"].push_back(std::move(one));
  }
  std::cout << all.dump(2) << "\n";
}

}  // namespace dipaco
