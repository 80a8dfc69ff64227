#include "programs/dipaco_run/validate_command.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/fidelity/comparison.hpp"
#include "backends/gloo/shaped/shaped_sites.hpp"
#include "backends/gloo/shaped/validation_case.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "programs/dipaco_run/case_runs.hpp"
#include "programs/dipaco_run/process.hpp"
#include "programs/shared/run_folder.hpp"

namespace dipaco {
namespace {

constexpr int kMostRepeats = 100;
constexpr int kMostSimulations = 10'000;

/// Those that --only names, in the file's order, or all.
std::vector<ValidationCase> chosen_cases(const Arguments& arguments) {
  if (arguments.words().empty()) {
    throw ConfigError("no file of cases; name one, such as scenarios/validation/shaped.cfg");
  }
  const std::filesystem::path file = arguments.words().front();
  std::vector<ValidationCase> cases = read_validation_cases(file);
  for (const ValidationCase& one : cases) read_run_file(one.run, one.set);  // what is wrong in it shows now
  const std::vector<std::string> only = arguments.all("only");
  if (only.empty()) return cases;
  std::vector<std::string> names;
  for (const ValidationCase& one : cases) names.push_back(one.name);
  for (const std::string& name : only) {
    if (std::ranges::find(names, name) != names.end()) continue;
    throw ConfigError("--only " + name + ": " + file.string() + " has no such case" + did_you_mean(name, names));
  }
  std::erase_if(cases, [&](const ValidationCase& one) { return std::ranges::find(only, one.name) == only.end(); });
  return cases;
}

/// Which lines, step times, policies and losses the cases cover: nothing is known beyond.
analysis::Table range_of(const std::vector<ValidationCase>& cases) {
  std::vector<double> rates;
  std::vector<double> times;
  std::vector<std::string> policies;
  int lost = 0;
  int preempted = 0;
  int learn = 0;
  for (const ValidationCase& one : cases) {
    for (const ShapedLine& line : one.lines) rates.push_back(8e-6 * line.rate.value);
    for (const CaseProcess& process : one.processes) {
      if (process.step_time) times.push_back(std::round(1e6 * process.step_time->count()) / 1e3);
    }
    const std::string policy = read_run_file(one.run, one.set).outer.policy;
    if (std::ranges::find(policies, policy) == policies.end()) policies.push_back(policy);
    lost += one.lost ? 1 : 0;
    preempted += one.preempted ? 1 : 0;
    learn += one.learns ? 1 : 0;
  }
  const auto from_to = [](const std::vector<double>& values, const char* unit) {
    if (values.empty()) return std::string("none");
    const auto [least, most] = std::ranges::minmax_element(values);
    return format_number(*least) + " to " + format_number(*most) + " " + unit;
  };
  std::string all;
  for (const std::string& policy : policies) all += (all.empty() ? "" : ", ") + policy;
  const auto row = [](const char* what, const std::string& value) {
    return std::vector<analysis::Value>{analysis::Value(std::string(what)), analysis::Value(value)};
  };
  return {.key = "range",
          .title = "Covered",
          .columns = {{"what", "what"}, {"range", "range"}},
          .rows = {row("lines", from_to(rates, "Mbit/s")), row("inner steps", from_to(times, "ms")),
                   row("policies", all), row("cases with a lost worker", std::to_string(lost)),
                   row("cases with a notice", std::to_string(preempted)),
                   row("cases with real compute", std::to_string(learn))}};
}

analysis::Table list_of(const std::vector<ValidationCase>& cases) {
  analysis::Table table{.key = "cases",
                        .title = "Cases",
                        .columns = {{"case", "case"}, {"what", "what"}, {"kept_apart", "kept apart"}},
                        .rows = {}};
  for (const ValidationCase& one : cases) {
    table.rows.push_back({analysis::Value(one.name), analysis::Value(described(one)),
                          analysis::Value(std::string(one.apart ? "yes" : ""))});
  }
  return table;
}

void print(const std::vector<analysis::Table>& tables, const std::string& format) {
  if (format == "json") {
    nlohmann::ordered_json all;
    for (const analysis::Table& table : tables) all[table.key] = analysis::as_json(table);
    std::cout << all.dump(2) << "\n";
    return;
  }
  const char* between = "";
  for (const analysis::Table& table : tables) {
    std::cout << between << (format == "markdown" ? analysis::as_markdown(table) : analysis::as_text(table));
    between = "\n";
  }
}

}  // namespace

ProgramInfo validate_info() {
  return {
      .name = "dipaco-run validate",
      .purpose = "Does real runs on limited lines within this machine, and simulates them.",
      .usage = "CASES.cfg [options]",
      .example = "dipaco-run validate scenarios/validation/shaped.cfg --out out/validate",
      .options = {{.name = "out", .value = "DIR", .help = "where runs go, and validate.csv", .initial = "out/validate"},
                  {.name = "only", .value = "CASE", .help = "leave out the others", .repeatable = true},
                  {.name = "repeat",
                   .value = "N",
                   .help = "real runs of a case; the one in the middle counts",
                   .initial = "3"},
                  {.name = "simulations",
                   .value = "N",
                   .help = "of a case, a seed each; the one in the middle counts",
                   .initial = "21"},
                  {.name = "list", .help = "print the cases and what they cover, and end"},
                  {.name = "format",
                   .value = "FORMAT",
                   .help = "of what stdout gets",
                   .choices = {"text", "json", "markdown"},
                   .initial = "text"}},
      .words = 1,
      .libraries = core_libraries()};
}

ExitStatus run_validate_command(const Arguments& arguments, const StopSignal& stop) {
  const std::vector<ValidationCase> cases = chosen_cases(arguments);
  const std::string format = arguments.text("format");
  const auto repeat = static_cast<int>(*arguments.integer("repeat", 1, kMostRepeats));
  const auto simulations = static_cast<int>(*arguments.integer("simulations", 1, kMostSimulations));
  if (arguments.given("list")) {
    print({list_of(cases), range_of(cases)}, format);
    return ExitStatus::done;
  }
  const std::filesystem::path out = std::filesystem::absolute(arguments.text("out"));
  if (!std::filesystem::exists(out)) check_can_shape();
  const RunFolder mine(out, RunFolder::Use::begin);
  const auto note = [](const std::string& text) { std::cerr << time_of_day() << " " << text << std::endl; };
  std::vector<analysis::ComparedCase> compared;
  for (const ValidationCase& one : cases) {
    CaseRuns runs(one, {.folder = out / one.name,
                        .repeat = repeat,
                        .simulations = simulations,
                        .stop = stop.requested(),
                        .note = note});
    if (runs.missing() > 0) check_can_shape();
    compared.push_back(runs.compare());
    write_file(out / "validate.csv", analysis::comparison_csv(compared));
  }
  print({analysis::durations_table(compared), analysis::phases_table(compared), analysis::errors_table(compared),
         range_of(cases)},
        format);
  return ExitStatus::done;
}

}  // namespace dipaco
