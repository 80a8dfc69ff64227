#include "programs/dipaco_sim/worth_command.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/sim/engine/rehearsal.hpp"
#include "backends/sim/scenario/without.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/faults/parse.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"
#include "programs/dipaco_sim/shared/simulated_run.hpp"
#include "programs/dipaco_sim/worth_table.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

/// A scenario and how it is run.
struct Question {
  SharedOptions shared;
  ScenarioWords words;

  LoadedScenario load(const std::string& more = "") const {
    ScenarioWords fewer = words;
    if (!more.empty()) fewer.without.push_back(more);
    return load_scenario(fewer);
  }
};

/// What tells workers of a site apart: speed, time of an inner step, and how they come and go. Machines of which a CSV
/// says how many there are go in order, so each is of its own kind.
using Kind = std::tuple<double, double, double, std::string>;

Kind kind_of(const Placement& placement, const PlacedNode& node) {
  const auto fails = std::ranges::find(placement.failures, node.host, &HostFailures::host);
  std::string own;
  for (const SitePreemption& zone : placement.preemptions) {
    if (std::ranges::find(zone.hosts, node.host) != zone.hosts.end()) own = node.host;
  }
  for (const DrawnAbsences& drawn : placement.absences) {
    if (drawn.reclaimed || std::ranges::find(drawn.hosts, node.host) == drawn.hosts.end()) continue;
    for (const TimeLaw& law : {drawn.times.there, drawn.times.away}) {
      own += " " + std::to_string(static_cast<int>(law.kind)) + " " + format_number(law.scale.count()) + " " +
             format_number(law.shape);
    }
  }
  return {node.speed.value, node.step_time.value_or(Seconds(0)).count(),
          fails == placement.failures.end() ? 0 : fails->mtbf.count(), own};
}

/// Each site with workers, and one host of each kind of worker of each site that has several.
std::vector<Group> groups_of(const Placement& placement) {
  std::map<SiteId, std::map<Kind, std::vector<std::string>>> sites;
  for (const PlacedNode& node : placement.with(Role::worker)) {
    sites[node.site][kind_of(placement, node)].push_back(node.host);
  }
  std::vector<Group> groups;
  for (const auto& [site, kinds] : sites) {
    int all = 0;
    for (const auto& [kind, hosts] : kinds) all += static_cast<int>(hosts.size());
    if (sites.size() > 1) groups.push_back({placement.sites[static_cast<std::size_t>(index(site))], "", all});
    for (const auto& [kind, hosts] : kinds) {
      const std::string alike = hosts.size() > 1 ? "one of " + std::to_string(hosts.size()) + " alike" : "";
      if (all > 1) groups.push_back({hosts.front(), alike, 1});
    }
  }
  return groups;
}

/// "name" TAB kind TAB machines, a line a group; before them how many workers there are, the run's name, the first
/// seed, and whether any machine comes or goes.
std::string list(const Question& question) {
  const LoadedScenario loaded = question.load();
  const RunConfig config = run_file_of(loaded, question.shared);
  if (!parse_faults(config.faults).empty()) {
    throw ConfigError(
        "[faults] strike nodes by their numbers, which change where workers are left out; leave it empty");
  }
  check_fit(config, loaded);
  std::string lines = std::to_string(loaded.placement.with(Role::worker).size()) + "\t" + config.name + "\t" +
                      std::to_string(config.run.seed) + "\t" + (loaded.placement.has_losses() ? "losses" : "") + "\n";
  for (const Group& group : groups_of(loaded.placement)) {
    lines += group.name + "\t" + group.kind + "\t" + std::to_string(group.machines) + "\n";
  }
  return lines;
}

/// Simulates without `more`; of costs alone. Its two figures as text.
std::string simulate_without(const Question& question, const std::string& more, std::uint64_t seed) {
  LoadedScenario loaded = question.load(more);
  SharedOptions shared = question.shared;
  shared.seed = seed;
  const RunConfig config = run_file_of(loaded, shared);
  const RunPlan plan = make_plan(config, nullptr, nullptr);
  make_ready(loaded, plan);
  MemoryEventLog log;
  RunResult result;
  const SimulationOptions options = simulation_options(plan, 0);
  const SimulationReport report = run_plan(plan, loaded, options, {}, log, result);
  return text_of(Cost{result.duration.count(), static_cast<double>(report.traffic.wan.value)});
}

Asked read_list(const std::string& text) {
  Asked asked;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const auto head = split(line, '\t');
  asked.workers = std::stoi(head[0]);
  asked.name = head[1];
  asked.first_seed = std::stoull(head[2]);
  asked.losses = !head[3].empty();
  while (std::getline(lines, line)) {
    const auto cells = split(line, '\t');
    asked.groups.push_back({cells[0], cells[1], std::stoi(cells[2])});
  }
  return asked;
}

}  // namespace

ProgramInfo worth_info() {
  ProgramInfo info{
      .name = "dipaco-sim worth",
      .purpose = "Says how much longer a run takes without a site's workers, a machine, or losses.",
      .usage = "SCENARIO.xml [options]",
      .example = "dipaco-sim worth scenarios/wan_4dc.xml",
      .options = with_shared({{.name = "repeat", .value = "N", .help = "seeds from run.seed on", .initial = "1"}},
                             {Shared::run, Shared::set, Shared::seed, Shared::threads, Shared::format}),
      .words = 1,
      .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_worth(const Arguments& arguments, const StopSignal& stop) {
  Question question{.shared = read_shared(arguments), .words = {}};
  question.words = named_scenario(arguments, question.shared.set);
  rehearse(question.words.scenario, [&] { question.load(); });
  Asked asked = read_list(in_a_process([&] { return list(question); }, stop.requested()));
  constexpr std::int64_t kMostSeeds = 10'000;
  asked.seeds = static_cast<std::size_t>(arguments.integer("repeat", 1, kMostSeeds).value());
  std::vector<std::string> left_out{""};
  for (const Group& group : asked.groups) left_out.push_back(group.name);
  if (asked.losses) left_out.emplace_back(kLosses);
  std::vector<std::function<std::string()>> jobs;
  for (const std::string& more : left_out) {
    for (std::size_t k = 0; k < asked.seeds; ++k) {
      jobs.emplace_back(
          [&question, more, seed = asked.first_seed + k] { return simulate_without(question, more, seed); });
    }
  }
  const Answers answers = read_answers(asked, in_processes(jobs, question.shared.threads, stop.requested()));
  question.shared.json ? print_worth_json(asked, answers) : print_worth(asked, answers);
  return ExitStatus::done;
}

}  // namespace dipaco
