#include "programs/dipaco_sim/shared/loaded_scenario.hpp"

#include <exception>
#include <string_view>

#include "backends/sim/costs/costs.hpp"
#include "backends/sim/scenario/without.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace {

constexpr std::string_view kLink = "link:";

/// What --without names: sites and hosts, or links without "link:".
std::vector<std::string> left_out(const ScenarioWords& words, bool links) {
  std::vector<std::string> names;
  for (const std::string& name : words.without) {
    if (name.starts_with(kLink) != links) continue;
    names.push_back(links ? name.substr(kLink.size()) : name);
  }
  return names;
}

}  // namespace

LoadedScenario load_scenario(const ScenarioWords& words) {
  LoadedScenario loaded{.words = words,
                        .file = ScenarioFile(words.scenario),
                        .options = {},
                        .engine = nullptr,
                        .placement = {},
                        .costs = {},
                        .link_rates = {},
                        .link_outages = {}};
  std::vector<ScenarioChange> changes = said_changes(loaded.file);
  changes.insert(changes.end(), words.changes.begin(), words.changes.end());
  change_props(loaded.file, changes);
  std::exception_ptr failure;
  try {
    loaded.options = read_options(loaded.file);
  } catch (const ConfigError&) {
    failure = std::current_exception();  // what SimGrid finds comes first: without it the file may be no XML at all
  }
  loaded.engine = std::make_unique<SimEngine>(loaded.file, loaded.options, words.cfg);
  if (failure) std::rethrow_exception(failure);
  const std::vector<PlatformZone> zones = loaded.engine->zones(loaded.file);
  check_hosts(changes, zones);
  loaded.engine->change_links(loaded.file, changes);
  loaded.link_rates = vary_links(loaded.file, changes);
  loaded.link_outages = read_link_outages(loaded.file, changes);
  for (const std::string& link : loaded.engine->widen_links(loaded.file, left_out(words, true))) {
    loaded.link_rates.erase(link);
    loaded.link_outages.erase(link);
  }
  loaded.placement = place(loaded.file, loaded.options, zones);
  if (loaded.options.ours) loaded.costs = read_costs(loaded.file, loaded.placement, zones);
  leave_out(loaded.placement, left_out(words, false));
  loaded.engine->check_routes(loaded.file, loaded.placement);
  return loaded;
}

void take_scenario(ProgramInfo& info) {
  info.options.push_back({.name = "cfg",
                          .value = "KEY:VALUE",
                          .help = "a setting of SimGrid's, such as network/model:LV08",
                          .repeatable = true});
  info.options.push_back({.name = "without",
                          .value = "NAME",
                          .help = "leave out a site, a host, a link:NAME, or losses",
                          .repeatable = true});
  info.libraries.push_back({"SimGrid", simgrid_version()});
}

ScenarioWords named_scenario(const Arguments& arguments, std::vector<std::string>& set) {
  if (arguments.words().empty()) throw ConfigError("no scenario; name one, such as scenarios/wan_4dc.xml");
  ScenarioWords words{.scenario = arguments.words().front(),
                      .cfg = arguments.all("cfg"),
                      .without = arguments.all("without"),
                      .changes = {}};
  for (const std::string& setting : set) {
    if (changes_scenario(setting)) words.changes.push_back(parse_change(setting));
  }
  std::erase_if(set, [](const std::string& setting) { return changes_scenario(setting); });
  return words;
}

RunConfig run_file_of(const LoadedScenario& loaded, const SharedOptions& shared) {
  if (shared.run.empty() && loaded.placement.run.empty()) {
    throw ConfigError(loaded.file.path().string() + ": it names no run file; add --run FILE.cfg");
  }
  return resolve_config(shared, loaded.placement.run);
}

CostFacts costs_of(const LoadedScenario& loaded, const SimulationReport& report) {
  CostFacts costs = loaded.costs;
  std::erase_if(costs.machines, [&](MachineFacts& machine) {
    const auto times = report.host_times.find(machine.name);
    if (times != report.host_times.end()) machine.there = times->second;
    return times == report.host_times.end();
  });
  return costs;
}

SimulationReport run_plan(const RunPlan& plan, const LoadedScenario& loaded, const SimulationOptions& options,
                          const Onlookers& onlookers, EventLog& log, RunResult& result) {
  SimulationOptions own = options;
  own.link_rates = loaded.link_rates;
  own.link_outages = loaded.link_outages;
  return simulate(
      loaded.placement,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          CoordinatorOptions members = expected_members(loaded.placement, plan.config);
          members.progress = onlookers.progress;
          members.note = onlookers.note;
          result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      own, log);
}

}  // namespace dipaco
