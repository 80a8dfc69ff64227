#include "analysis/fidelity/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/csv_writer.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

struct NamedPhase {
  const char* key;
  const char* heading;
  double Phases::*value;
};
constexpr std::array<NamedPhase, 4> kPhases{{{"fetch", "fetch", &Phases::fetch},
                                             {"compute", "compute", &Phases::compute},
                                             {"upload", "upload", &Phases::upload},
                                             {"outer_step", "outer step", &Phases::outer_step}}};

std::string signed_percent(double share) {
  const std::string text = format_fixed(100 * share, 1);
  return (text.starts_with("-") ? "" : "+") + text + " %";
}

std::string seconds_of(double seconds) { return format_fixed(seconds, 1); }

/// "40.1", of several runs with the shortest and the longest: "40.1 (39.0 to 41.2)".
std::string with_range(const std::vector<Phases>& runs) {
  const auto [least, most] = std::ranges::minmax_element(runs, {}, &Phases::duration);
  const std::string middle = seconds_of(middle_of(runs).duration);
  if (runs.size() == 1) return middle;
  return middle + " (" + seconds_of(least->duration) + " to " + seconds_of(most->duration) + ")";
}

/// Cases that stand in one row.
struct Group {
  std::string name;
  std::vector<const ComparedCase*> cases;
};

std::vector<Group> groups_of(const std::vector<ComparedCase>& cases) {
  std::vector<Group> groups;
  for (const ComparedCase& one : cases) {
    auto group = std::ranges::find(groups, one.policy, &Group::name);
    if (group == groups.end()) group = groups.insert(groups.end(), {one.policy, {}});
    group->cases.push_back(&one);
  }
  Group apart{"kept apart", {}};
  Group all{"all", {}};
  for (const ComparedCase& one : cases) {
    if (one.apart) apart.cases.push_back(&one);
    all.cases.push_back(&one);
  }
  if (!apart.cases.empty()) groups.push_back(std::move(apart));
  groups.push_back(std::move(all));
  return groups;
}

/// How far the sum over the cases is off; nullopt where there is nothing to be off from.
std::optional<double> phase_error(const Group& group, double Phases::*phase) {
  double real = 0;
  double simulated = 0;
  for (const ComparedCase* const one : group.cases) {
    real += middle_of(one->real).*phase;
    simulated += middle_of(one->simulated).*phase;
  }
  if (real <= 0) return std::nullopt;
  return (simulated - real) / real;
}

}  // namespace

double difference(const ComparedCase& one) {
  const double real = middle_of(one.real).duration;
  return (middle_of(one.simulated).duration - real) / real;
}

Table durations_table(const std::vector<ComparedCase>& cases) {
  Table table{.key = "durations",
              .title = "Durations",
              .columns = {{"case", "case"},
                          {"what", "what"},
                          {"policy", "policy"},
                          {"real_s", "real s"},
                          {"simulated_s", "simulated s"},
                          {"difference", "difference"},
                          {"kept_apart", "kept apart"}},
              .rows = {}};
  for (const ComparedCase& one : cases) {
    table.rows.push_back({Value(one.name), Value(one.what), Value(one.policy), Value(with_range(one.real)),
                          Value(with_range(one.simulated)), Value(signed_percent(difference(one))),
                          Value(one.apart ? "yes" : "")});
  }
  return table;
}

Table phases_table(const std::vector<ComparedCase>& cases) {
  Table table{
      .key = "phases", .title = "Seconds a task, and an outer step: real, simulated", .columns = {}, .rows = {}};
  table.columns.push_back({"case", "case"});
  for (const NamedPhase& phase : kPhases) table.columns.push_back({phase.key, phase.heading});
  for (const ComparedCase& one : cases) {
    std::vector<Value> row{Value(one.name)};
    const Phases real = middle_of(one.real);
    const Phases simulated = middle_of(one.simulated);
    for (const NamedPhase& phase : kPhases) {
      row.emplace_back(format_fixed(real.*phase.value, 2) + ", " + format_fixed(simulated.*phase.value, 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table errors_table(const std::vector<ComparedCase>& cases) {
  Table table{.key = "errors",
              .title = "Differences by policy and phase",
              .columns = {{"of", "of"}, {"cases", "cases"}, {"mean", "mean"}, {"worst", "worst"}},
              .rows = {}};
  for (const NamedPhase& phase : kPhases) table.columns.push_back({phase.key, phase.heading});
  for (const Group& group : groups_of(cases)) {
    double sum = 0;
    double worst = 0;
    for (const ComparedCase* const one : group.cases) {
      sum += std::abs(difference(*one));
      worst = std::max(worst, std::abs(difference(*one)));
    }
    const auto count = static_cast<double>(group.cases.size());
    std::vector<Value> row{Value(group.name), Value(Unit::count, count), Value(Unit::share, sum / count),
                           Value(Unit::share, worst)};
    for (const NamedPhase& phase : kPhases) {
      const auto error = phase_error(group, phase.value);
      row.emplace_back(error ? signed_percent(*error) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string comparison_csv(const std::vector<ComparedCase>& cases) {
  std::vector<std::string> header{"case",         "policy",      "kept_apart",  "runs",        "real_s",
                                  "real_least_s", "real_most_s", "simulations", "simulated_s", "difference"};
  for (const NamedPhase& phase : kPhases) {
    header.push_back(std::string("real_") + phase.key + "_s");
    header.push_back(std::string("simulated_") + phase.key + "_s");
  }
  CsvWriter csv(header);
  for (const ComparedCase& one : cases) {
    const auto [least, most] = std::ranges::minmax_element(one.real, {}, &Phases::duration);
    const Phases real = middle_of(one.real);
    const Phases simulated = middle_of(one.simulated);
    csv.cell(one.name).cell(one.policy).cell(one.apart ? "yes" : "no");
    csv.cell(one.real.size()).cell(real.duration).cell(least->duration).cell(most->duration);
    csv.cell(one.simulated.size()).cell(simulated.duration).cell(difference(one));
    for (const NamedPhase& phase : kPhases) csv.cell(real.*phase.value).cell(simulated.*phase.value);
    csv.end_row();
  }
  return csv.take();
}

}  // namespace dipaco::analysis
