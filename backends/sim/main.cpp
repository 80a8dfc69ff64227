// dipaco-sim: runs a run file on a SimGrid platform.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "backends/sim/engine.hpp"
#include "backends/sim/rehearsal.hpp"
#include "backends/sim/simulation.hpp"
#include "core/base/file.hpp"
#include "core/cli/program.hpp"
#include "core/cli/session.hpp"
#include "core/config/run_file.hpp"
#include "core/faults/parse.hpp"
#include "core/log/report.hpp"

namespace dipaco {
namespace {

ProgramInfo sim_info() {
  ProgramInfo info{
      .name = "dipaco-sim",
      .purpose = "Trains by DiPaCo on a simulated network of sites (SimGrid).",
      .usage = "SCENARIO.xml [options]",
      .example = "dipaco-sim scenarios/wan_4dc.xml",
      .options = shared_options({Shared::run, Shared::set, Shared::learn, Shared::out, Shared::seed, Shared::threads,
                                 Shared::format, Shared::progress, Shared::events, Shared::dump_config}),
      .words = 1,
      .libraries = core_libraries()};
  info.options.push_back({.name = "cfg",
                          .value = "KEY:VALUE",
                          .help = "a setting of SimGrid's, such as network/model:LV08",
                          .repeatable = true});
  info.libraries.push_back({"SimGrid", simgrid_version()});
  return info;
}

/// A scenario with everybody in place.
struct Stage {
  ScenarioFile file;
  ScenarioOptions options;
  std::unique_ptr<SimEngine> engine;
  Placement placement;
};

Stage load(const std::filesystem::path& scenario, const std::vector<std::string>& cfg) {
  Stage stage{.file = ScenarioFile(scenario), .options = {}, .engine = nullptr, .placement = {}};
  std::exception_ptr failure;
  try {
    stage.options = read_options(stage.file);
  } catch (const ConfigError&) {
    failure = std::current_exception();  // what SimGrid finds comes first: without it the file may be no XML at all
  }
  stage.engine = std::make_unique<SimEngine>(stage.file, stage.options, cfg);
  if (failure) std::rethrow_exception(failure);
  stage.placement = place(stage.file, stage.options, stage.engine->zones(stage.file));
  stage.engine->check_routes(stage.file, stage.placement);
  return stage;
}

void print_list(const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t kListed = 5;
  if (names.empty()) return;
  std::cerr << "warning: " << names.size() << " " << what << ":";
  for (std::size_t i = 0; i < std::min(kListed, names.size()); ++i) std::cerr << " " << names[i];
  std::cerr << (names.size() > kListed ? " ...\n" : "\n");
}

void print_notes(const Stage& stage, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << " (SimGrid)\n";
  for (const std::string& line : stage.placement.inferred) std::cerr << "note: " << line << "\n";
  std::cerr << "note: network model " << stage.engine->network_model() << "\n";
  print_list("hosts have no role", stage.placement.unused_hosts);
  print_list("links are on no route between hosts with a role", stage.engine->unused_links(stage.placement));
}

RunFacts facts_of(const Stage& stage, SimulationReport& report) {
  RunFacts facts{.simulated = true,
                 .sites = stage.placement.sites,
                 .nodes = node_facts(stage.placement),
                 .links = std::move(report.links),
                 .traffic = std::move(report.traffic)};
  facts.more["backend"] = std::string("sim");
  facts.more["network_model"] = stage.engine->network_model();
  facts.more["scenario"] = stage.file.path().filename().string();
  return facts;
}

/// Simulates the plan; `result` is what the coordinator says at its end.
SimulationReport run_plan(const RunPlan& plan, const Stage& stage, const SimulationOptions& options,
                          const std::function<void(const RunProgress&)>& progress, EventLog& log, RunResult& result) {
  const auto count = [&](Role role) { return static_cast<std::int32_t>(stage.placement.with(role).size()); };
  const CoordinatorOptions members{.executors = count(Role::executor),
                                   .stores = count(Role::store),
                                   .evaluators = count(Role::evaluator),
                                   .progress = progress};
  return simulate(
      stage.placement,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      options, log);
}

ExitStatus simulate_scenario(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  const SharedOptions shared = read_shared(arguments);
  if (arguments.words().empty()) throw ConfigError("no scenario; name one, such as scenarios/wan_4dc.xml");
  const std::filesystem::path scenario = arguments.words().front();
  const std::vector<std::string> cfg = arguments.all("cfg");
  const Rehearsal rehearsal = rehearse(scenario, [&] { load(scenario, cfg); });
  const Stage stage = load(scenario, cfg);
  if (shared.run.empty() && stage.placement.run.empty()) {
    throw ConfigError(scenario.string() + ": it names no run file; add --run FILE.cfg");
  }
  const RunConfig config = resolve_config(shared, stage.placement.run);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  const FaultPlan faults = parse_faults(config.faults);
  check_targets(faults, node_facts(stage.placement));
  print_notes(stage, rehearsal.warnings);
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  open_output(config, out);
  Progress progress(std::cerr, shared.progress, stderr_is_terminal());
  const RunPlan plan = plan_run(config, shared, progress, stop);
  MemoryEventLog log;
  RunResult result;
  SimulationReport report = run_plan(plan, stage,
                                     {.seed = config.run.seed,
                                      .limit = config.liveness.limit,
                                      .period = config.liveness.period,
                                      .deadline = config.liveness.deadline,
                                      .faults = faults,
                                      .threads = plan.learner == nullptr ? 0 : shared.threads,
                                      .stop = &stop.requested()},
                                     show_run(progress, "simulated"), log, result);
  progress.finish();
  if (report.stopped) throw Interrupted("stopped before its end; run it again to start over");
  RunFacts facts = facts_of(stage, report);
  add_result(facts, plan, result);
  for (const auto& [module, bytes] : report.model) write_file(out / "model" / ("module-" + module), bytes);
  copy_model_files(plan, out / "model");
  add_program_cost(facts, start);
  write_outputs(facts, log.events(), {.folder = out, .events = shared.events});
  if (shared.json) {
    std::cout << read_text(out / "summary.json");
  } else {
    print_summary(std::cout, facts, log.events(), out);
  }
  return ExitStatus::done;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  return dipaco::run_program(dipaco::sim_info(), argc, argv, dipaco::simulate_scenario);
}
