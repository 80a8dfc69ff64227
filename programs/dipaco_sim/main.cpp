// dipaco-sim: runs a run file on a SimGrid platform.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "backends/sim/engine/engine.hpp"
#include "backends/sim/engine/rehearsal.hpp"
#include "backends/sim/engine/round_trip.hpp"
#include "backends/sim/scenario/without.hpp"
#include "backends/sim/simulation.hpp"
#include "core/base/ended_early.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/config/fleet.hpp"
#include "core/config/run_file.hpp"
#include "core/faults/parse.hpp"
#include "core/report/report.hpp"
#include "core/state/simulation_archive.hpp"
#include "core/storage/directory_storage.hpp"
#include "programs/shared/program.hpp"
#include "programs/shared/run_folder.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

ProgramInfo sim_info() {
  ProgramInfo info{.name = "dipaco-sim",
                   .purpose = "Trains by DiPaCo on a simulated network of sites (SimGrid).",
                   .usage = "SCENARIO.xml [options]",
                   .example = "dipaco-sim scenarios/wan_4dc.xml",
                   .options = shared_options({Shared::run, Shared::set, Shared::learn, Shared::out, Shared::seed,
                                              Shared::threads, Shared::format, Shared::progress, Shared::events,
                                              Shared::resume, Shared::dump_config}),
                   .words = 1,
                   .libraries = core_libraries()};
  info.options.push_back({.name = "cfg",
                          .value = "KEY:VALUE",
                          .help = "a setting of SimGrid's, such as network/model:LV08",
                          .repeatable = true});
  info.options.push_back({.name = "without",
                          .value = "NAME",
                          .help = "as if this site's or host's workers were not there",
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
  std::vector<std::string> cfg;      ///< --cfg
  std::vector<std::string> without;  ///< --without
};

Stage load(const std::filesystem::path& scenario, const Arguments& arguments) {
  const std::vector<std::string> cfg = arguments.all("cfg");
  Stage stage{.file = ScenarioFile(scenario),
              .options = {},
              .engine = nullptr,
              .placement = {},
              .cfg = cfg,
              .without = arguments.all("without")};
  std::exception_ptr failure;
  try {
    stage.options = read_options(stage.file);
  } catch (const ConfigError&) {
    failure = std::current_exception();  // what SimGrid finds comes first: without it the file may be no XML at all
  }
  stage.engine = std::make_unique<SimEngine>(stage.file, stage.options, cfg);
  if (failure) std::rethrow_exception(failure);
  stage.placement = place(stage.file, stage.options, stage.engine->zones(stage.file));
  for (const std::string& name : stage.without) leave_out(stage.placement, name);
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
  print_list("links are on no route between hosts with a role",
             stage.engine->unused_links(stage.file, stage.placement));
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
SimulationReport run_plan(const RunPlan& plan, const Stage& stage, const SimulationOptions& options, Progress& progress,
                          EventLog& log, RunResult& result) {
  return simulate(
      stage.placement,
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          CoordinatorOptions members = expected_members(stage.placement, plan.config);
          members.progress = show_run(progress, "simulated");
          members.note = show_notes(progress);
          result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      options, log);
}

/// How this simulation is begun: what must be the same to go through it again.
RunMark mark_of(const Stage& stage, const RunConfig& config) {
  std::string lines;
  for (const std::string& setting : stage.cfg) lines += setting + "\n";
  for (const std::string& name : stage.without) lines += "without " + name + "\n";
  return {.backend = "sim",
          .name = config.name,
          .scenario = hash_hex(std::span<const std::byte>(read_file(stage.file.path()))),
          .cfg = lines};
}

RunConfig configure(SharedOptions& shared, const Stage& stage, const RunFolder* resumed) {
  const std::filesystem::path& scenario = stage.file.path();
  if (resumed == nullptr) {
    if (shared.run.empty() && stage.placement.run.empty()) {
      throw ConfigError(scenario.string() + ": it names no run file; add --run FILE.cfg");
    }
    return resolve_config(shared, stage.placement.run);
  }
  const std::string folder = resumed->path().string();
  if (resumed->mark().backend != "sim") {
    throw ConfigError(folder + ": the run was begun with backend " + resumed->mark().backend +
                      "; resume it with dipaco-run");
  }
  RunConfig config = resume_config(*resumed, shared, true);
  const RunMark now = mark_of(stage, config);
  if (now.scenario != resumed->mark().scenario) {
    throw ConfigError(scenario.string() + ": " + folder +
                      " was begun with another scenario, or this one was changed since; resume it with its own");
  }
  if (now.cfg != resumed->mark().cfg)
    throw ConfigError(folder + " was begun with another --cfg or --without; give the same");
  return config;
}

/// What a simulation came to.
struct Simulated {
  MemoryEventLog log;
  RunResult result;
  SimulationReport report;
};

/// Where a simulation's outputs go, and what for.
struct OutputPlace {
  const RunPlan& plan;
  const SharedOptions& shared;
  const Stage& stage;
  RunFolder& folder;
  SimulationArchive* archive;  ///< null where nothing is learned
  std::chrono::steady_clock::time_point start;
};

void run_and_watch(const OutputPlace& place, const SimulationOptions& options, Progress& progress,
                   Simulated& simulated) {
  simulated.report = run_plan(place.plan, place.stage, options, progress, simulated.log, simulated.result);
  progress.finish();
  if (place.archive != nullptr) place.archive->flush();
  if (!simulated.report.stopped) return note_never_struck(simulated.report.never_struck);
  if (place.archive == nullptr) throw Interrupted("stopped before its end; run it again to start over");
  throw Interrupted("stopped before its end; go on with dipaco-sim " + place.stage.file.path().string() + " --resume " +
                    place.folder.path().string());
}

void tell(const OutputPlace& place, RunFacts& facts, const std::vector<Event>& events) {
  add_program_cost(facts, place.start);
  leave_reports(facts, events, place.shared, place.folder.path());
  place.folder.note_end();
}

void leave_outputs(const OutputPlace& place, Simulated& simulated) {
  const auto& out = place.folder.path();
  RunFacts facts = facts_of(place.stage, simulated.report);
  add_result(facts, place.plan, simulated.result);
  for (const auto& [module, bytes] : simulated.report.model) write_file(out / "model" / module, bytes);
  copy_model_files(place.plan, out / "model");
  tell(place, facts, simulated.log.events());
}

/// The reports of a run that would end in the same way again.
void leave_outputs(const OutputPlace& place, const Simulated& simulated, const EndedEarly<SimulationReport>& end) {
  if (place.archive != nullptr) place.archive->flush();
  SimulationReport report = end.so_far();
  RunFacts facts = facts_of(place.stage, report);
  add_unfinished(facts, place.plan, end, report.ended);
  tell(place, facts, simulated.log.events());
}

/// What an inner step takes on the fastest worker.
Seconds fastest_step(const Placement& placement, const RunPlan& plan) {
  double speed = 0;
  for (const PlacedNode& node : placement.nodes) {
    if (node.role == Role::worker) speed = std::max(speed, node.speed.value);
  }
  return Seconds(plan.inner_step_cost.value / speed);
}

/// From the plan to the outputs.
void learn_and_tell(const RunConfig& config, const SharedOptions& shared, Stage& stage, RunFolder& folder,
                    const StopSignal& stop, std::chrono::steady_clock::time_point start) {
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const RunPlan plan = plan_run(config, shared, progress, stop);
  set_speeds(stage.placement, plan.inner_step_cost);
  check_deadline(config, fastest_step(stage.placement, plan), "on the fastest worker of " + stage.file.path().string());
  std::unique_ptr<SimulationArchive> archive;
  if (plan.learner->learns()) {
    if (shared.resume.empty()) folder.note_begin(mark_of(stage, config));
    auto storage = std::make_unique<DirectoryStorage>(folder.state() / "archive");
    archive = std::make_unique<SimulationArchive>(plan, std::move(storage));
  }
  Simulated simulated;
  const OutputPlace place{plan, shared, stage, folder, archive.get(), start};
  const SimulationOptions options{.seed = config.run.seed,
                                  .limit = config.liveness.limit,
                                  .period = config.liveness.period,
                                  .deadline = config.liveness.deadline,
                                  .line_turns = config.run.line_turns,
                                  .plan = &plan,
                                  .archive = archive.get(),
                                  .faults = parse_faults(config.faults),
                                  .threads = plan.learner->learns() ? shared.threads : 0,
                                  .stop = &stop.requested()};
  try {
    run_and_watch(place, options, progress, simulated);
  } catch (const EndedEarly<SimulationReport>& end) {
    progress.finish();
    leave_outputs(place, simulated, end);
    throw;
  }
  leave_outputs(place, simulated);
}

ExitStatus simulate_scenario(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  SharedOptions shared = read_shared(arguments);
  if (arguments.words().empty()) throw ConfigError("no scenario; name one, such as scenarios/wan_4dc.xml");
  const std::filesystem::path scenario = arguments.words().front();
  std::optional<RunFolder> folder;
  const bool resumed = !shared.resume.empty();
  if (resumed) folder.emplace(shared.resume, RunFolder::Use::resume);
  if (resumed && folder->finished()) {
    show_finished(*folder, shared);
    return ExitStatus::done;
  }
  const Rehearsal rehearsal = rehearse(scenario, [&] { load(scenario, arguments); });
  Stage stage = load(scenario, arguments);
  const RunConfig config = configure(shared, stage, resumed ? &*folder : nullptr);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  check_targets(parse_faults(config.faults), node_facts(stage.placement));
  check_workers(config, std::ssize(stage.placement.with(Role::worker)));
  check_round_trip(config.liveness, longest_round_trip(stage.file, stage.placement), scenario.string());
  print_notes(stage, rehearsal.warnings);
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  if (!resumed) folder.emplace(out, RunFolder::Use::begin);
  open_output(config, folder->path());
  learn_and_tell(config, shared, stage, *folder, stop, start);
  return ExitStatus::done;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  return dipaco::run_program(dipaco::sim_info(), argc, argv, dipaco::simulate_scenario);
}
