#include "programs/dipaco_sim/worth_command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

/// Machines that are left out together, and how many they are.
struct Group {
  std::string name;  ///< a site's, or that of one host
  std::string kind;  ///< what stands beside the name
  int machines = 0;
};

/// What a run came to.
struct Cost {
  double seconds = 0;    ///< simulated
  double wan_bytes = 0;  ///< between sites
};

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

/// "name" TAB kind TAB machines, a line a group; before them how many workers there are, the run's name, and whether
/// any machine comes or goes.
std::string list(const Question& question) {
  const LoadedScenario loaded = question.load();
  const RunConfig config = run_file_of(loaded, question.shared);
  if (!parse_faults(config.faults).empty()) {
    throw ConfigError(
        "[faults] strike nodes by their numbers, which change where workers are left out; leave it empty");
  }
  check_fit(config, loaded);
  std::string lines = std::to_string(loaded.placement.with(Role::worker).size()) + "\t" + config.name + "\t" +
                      (loaded.placement.has_losses() ? "losses" : "") + "\n";
  for (const Group& group : groups_of(loaded.placement)) {
    lines += group.name + "\t" + group.kind + "\t" + std::to_string(group.machines) + "\n";
  }
  return lines;
}

/// Simulates without `more`; of costs alone. Its two figures as text.
std::string simulate_without(const Question& question, const std::string& more) {
  LoadedScenario loaded = question.load(more);
  const RunConfig config = run_file_of(loaded, question.shared);
  const RunPlan plan = make_plan(config, nullptr, nullptr);
  make_ready(loaded, plan);
  MemoryEventLog log;
  RunResult result;
  const SimulationOptions options = simulation_options(plan, 0);
  const SimulationReport report = run_plan(plan, loaded, options, {}, log, result);
  return format_number(result.duration.count()) + " " + std::to_string(report.traffic.wan.value);
}

Cost cost_of(const std::string& text) {
  Cost cost;
  std::istringstream(text) >> cost.seconds >> cost.wan_bytes;
  return cost;
}

/// What was asked, and what is known of it.
struct Asked {
  std::string name;  ///< of the run file
  int workers = 0;
  bool losses = false;  ///< some machines come and go
  std::vector<Group> groups;
};

Asked read_list(const std::string& text) {
  Asked asked;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const auto head = split(line, '\t');
  asked.workers = std::stoi(head[0]);
  asked.name = head[1];
  asked.losses = !head[2].empty();
  while (std::getline(lines, line)) {
    const auto cells = split(line, '\t');
    asked.groups.push_back({cells[0], cells[1], std::stoi(cells[2])});
  }
  return asked;
}

std::string signed_seconds(double seconds) {
  if (std::abs(seconds) < 5e-4) return human_seconds(Seconds(0));  // rounded otherwise on the way
  return (seconds < 0 ? "-" : "+") + human_seconds(Seconds(std::abs(seconds)));
}

/// What simulations came to.
struct Answers {
  Cost whole;
  std::optional<Cost> no_losses;  ///< where machines come and go: if they stayed
  std::vector<Told> runs;         ///< without each group
};

void print_text(const Asked& asked, const Answers& answers) {
  const auto& [whole, no_losses, runs] = answers;
  const auto row = [](const std::string& name, const std::string& duration, const std::string& worth,
                      const std::string& bytes) {
    std::cout << std::left << std::setw(38) << name << std::right << std::setw(13) << duration << std::setw(15) << worth
              << std::setw(13) << bytes << "\n";
  };
  const auto bytes = [](double count) { return human_bytes(Bytes{static_cast<std::uint64_t>(count)}); };
  std::cout << asked.name << ", " << asked.workers << " workers\n";
  row("without", "duration", "longer", "across sites");
  row("nobody", human_seconds(Seconds(whole.seconds)), "", bytes(whole.wan_bytes));
  for (std::size_t k = 0; k < asked.groups.size(); ++k) {
    const Group& group = asked.groups[k];
    const std::string several = std::to_string(group.machines) + (group.machines == 1 ? " worker" : " workers");
    const std::string name = group.name + " (" + (group.kind.empty() ? several : group.kind) + ")";
    if (runs[k].status != static_cast<int>(ExitStatus::done)) {
      row(name, "no end", "", "");
      std::cerr << "note: without " << group.name << ": " << runs[k].text << "\n";
      continue;
    }
    const Cost cost = cost_of(runs[k].text);
    row(name, human_seconds(Seconds(cost.seconds)), signed_seconds(cost.seconds - whole.seconds),
        bytes(cost.wan_bytes));
  }
  if (no_losses) {
    row("losses (no machine ever goes)", human_seconds(Seconds(no_losses->seconds)),
        signed_seconds(no_losses->seconds - whole.seconds), bytes(no_losses->wan_bytes));
  }
}

void print_json(const Asked& asked, const Answers& answers) {
  const auto& [whole, no_losses, runs] = answers;
  nlohmann::json all{{"name", asked.name},
                     {"workers", asked.workers},
                     {"simulated_s", whole.seconds},
                     {"wan_bytes", static_cast<std::uint64_t>(whole.wan_bytes)},
                     {"without", nlohmann::json::array()}};
  if (no_losses) {
    all["without_losses"] = {{"simulated_s", no_losses->seconds},
                             {"losses_cost_s", whole.seconds - no_losses->seconds},
                             {"wan_bytes", static_cast<std::uint64_t>(no_losses->wan_bytes)}};
  }
  for (std::size_t k = 0; k < asked.groups.size(); ++k) {
    nlohmann::json one{{"name", asked.groups[k].name}, {"workers", asked.groups[k].machines}};
    if (runs[k].status == static_cast<int>(ExitStatus::done)) {
      const Cost cost = cost_of(runs[k].text);
      one["simulated_s"] = cost.seconds;
      one["worth_s"] = cost.seconds - whole.seconds;
      one["wan_bytes"] = static_cast<std::uint64_t>(cost.wan_bytes);
    } else {
      one["error"] = runs[k].text;
    }
    all["without"].push_back(std::move(one));
  }
  std::cout << all.dump(2) << "\n";
}

}  // namespace

ProgramInfo worth_info() {
  ProgramInfo info{.name = "dipaco-sim worth",
                   .purpose = "Says how much longer a run takes without a site's workers, a machine, or losses.",
                   .usage = "SCENARIO.xml [options]",
                   .example = "dipaco-sim worth scenarios/wan_4dc.xml",
                   .options = shared_options({Shared::run, Shared::set, Shared::seed, Shared::threads, Shared::format}),
                   .words = 1,
                   .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_worth(const Arguments& arguments, const StopSignal& stop) {
  Question question{.shared = read_shared(arguments), .words = {}};
  question.words = named_scenario(arguments, question.shared.set);
  rehearse(question.words.scenario, [&] { question.load(); });
  const Asked asked = read_list(in_a_process([&] { return list(question); }, stop.requested()));
  std::vector<std::function<std::string()>> jobs{[&] { return simulate_without(question, ""); }};
  for (const Group& group : asked.groups) {
    jobs.emplace_back([&] { return simulate_without(question, group.name); });
  }
  if (asked.losses) jobs.emplace_back([&] { return simulate_without(question, std::string(kLosses)); });
  Answers answers{.runs = in_processes(jobs, question.shared.threads, stop.requested())};
  answers.whole = cost_of(text_of(answers.runs.front()));
  answers.runs.erase(answers.runs.begin());
  if (asked.losses) {
    answers.no_losses = cost_of(text_of(answers.runs.back()));
    answers.runs.pop_back();
  }
  question.shared.json ? print_json(asked, answers) : print_text(asked, answers);
  return ExitStatus::done;
}

}  // namespace dipaco
