#include "programs/dipaco_sim/simulate_command.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "backends/sim/engine/engine.hpp"
#include "backends/sim/engine/rehearsal.hpp"
#include "backends/sim/simulation.hpp"
#include "core/base/ended_early.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/config/run_file.hpp"
#include "core/report/report.hpp"
#include "core/state/simulation_archive.hpp"
#include "core/storage/directory_storage.hpp"
#include "programs/dipaco_sim/shared/input_files.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"
#include "programs/dipaco_sim/shared/simulated_run.hpp"
#include "programs/dipaco_sim/studies/sweep_command.hpp"
#include "programs/shared/program.hpp"
#include "programs/shared/run_folder.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

/// What a scenario has and nobody uses. @param one, several  how its number goes on
void print_unused(const ScenarioFile& file, const std::vector<std::string>& names, const char* one,
                  const char* several) {
  constexpr std::size_t kListed = 5;
  if (names.empty()) return;
  std::cerr << "warning: " << file.path().string() << ": " << names.size() << (names.size() == 1 ? one : several)
            << ":";
  for (std::size_t i = 0; i < std::min(kListed, names.size()); ++i) std::cerr << " " << names[i];
  std::cerr << (names.size() > kListed ? " ...\n" : "\n");
}

void print_notes(const LoadedScenario& loaded, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << " (SimGrid)\n";
  for (const std::string& line : loaded.placement.inferred) std::cerr << "note: " << line << "\n";
  std::cerr << "note: network model " << loaded.engine->network_model() << "\n";
  print_unused(loaded.file, loaded.placement.unused_hosts, " host has no role; give it one, or take it out",
               " hosts have no role; give them one, or take them out");
  print_unused(loaded.file, loaded.placement.unused_props,
               " prop says nothing: its host trains nothing, or never goes off; take it out",
               " props say nothing: their hosts train nothing, or never go off; take them out");
  if (!loaded.words.without.empty()) return;  // the links of those who are left out are unused on purpose
  print_unused(loaded.file, loaded.engine->unused_links(loaded.file, loaded.placement),
               " link is on no route between hosts with a role; write the route, or take it out",
               " links are on no route between hosts with a role; write the routes, or take them out");
}

/// How this simulation is begun: what must be the same to go through it again.
RunMark mark_of(const LoadedScenario& loaded, const RunConfig& config) {
  InputFiles inputs;
  inputs.add(loaded.file, false);  // run.cfg in the run's folder has what its run file said
  inputs.add(config, true);
  std::string lines;
  for (const std::string& setting : loaded.words.cfg) lines += setting + "\n";
  for (const std::string& name : loaded.words.without) lines += "without " + name + "\n";
  for (const ScenarioChange& change : loaded.words.changes) lines += "set " + change.text + "\n";
  return {.backend = "sim",
          .name = config.name,
          .scenario = hash_hex(std::span<const std::byte>(read_file(loaded.file.path()))),
          .cfg = lines,
          .files = inputs.text()};
}

RunConfig configure(SharedOptions& shared, const LoadedScenario& loaded, const RunFolder* resumed) {
  const std::filesystem::path& scenario = loaded.file.path();
  if (resumed == nullptr) return run_file_of(loaded, shared);
  const std::string folder = resumed->path().string();
  if (resumed->mark().backend != "sim") {
    throw ConfigError(folder + ": the run was begun with backend " + resumed->mark().backend +
                      "; resume it with dipaco-run");
  }
  RunConfig config = resume_config(*resumed, shared, true);
  const RunMark now = mark_of(loaded, config);
  if (now.scenario != resumed->mark().scenario) {
    throw ConfigError(scenario.string() + ": " + folder +
                      " was begun with another scenario, or this one was changed since; resume it with its own");
  }
  if (now.cfg != resumed->mark().cfg)
    throw ConfigError(folder +
                      " was begun with another --cfg or --without, or other changes of the scenario; give the same");
  if (const auto changed = InputFiles(now.files).changed_since(InputFiles(resumed->mark().files))) {
    throw ConfigError(*changed + " has changed since " + folder +
                      " was begun; resume it with the file as it was, or begin a run in another folder");
  }
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
  const LoadedScenario& loaded;
  RunFolder& folder;
  SimulationArchive* archive;  ///< null where nothing is learned
  std::chrono::steady_clock::time_point start;
};

void run_and_watch(const OutputPlace& place, const SimulationOptions& options, Progress& progress,
                   Simulated& simulated) {
  simulated.report = run_plan(place.plan, place.loaded, options,
                              {show_run(progress, "simulated"), show_notes(progress)}, simulated.log, simulated.result);
  progress.finish();
  if (place.archive != nullptr) place.archive->flush();
  if (!simulated.report.stopped) return note_never_struck(simulated.report.never_struck);
  if (place.archive == nullptr) throw Interrupted("stopped before its end; run it again to start over");
  throw Interrupted("stopped before its end; go on with dipaco-sim " + place.loaded.file.path().string() +
                    " --resume " + place.folder.path().string());
}

void tell(const OutputPlace& place, RunFacts& facts, const std::vector<Event>& events) {
  add_program_cost(facts, place.start);
  leave_reports(facts, events, place.shared, place.folder.path());
  place.folder.note_end();
}

void leave_outputs(const OutputPlace& place, Simulated& simulated) {
  const auto& out = place.folder.path();
  const std::vector<Event> events = simulated.log.events();
  RunFacts facts = facts_of(place.loaded, simulated.report, place.plan.config.run.seed);
  add_result(facts, place.plan, simulated.result);
  add_losses(facts, place.loaded, simulated.report, events);
  for (const auto& [module, bytes] : simulated.report.model) write_file(out / "model" / module, bytes);
  copy_model_files(place.plan, out / "model");
  tell(place, facts, events);
}

/// The reports of a run that would end in the same way again.
void leave_outputs(const OutputPlace& place, const Simulated& simulated, const EndedEarly<SimulationReport>& end) {
  if (place.archive != nullptr) place.archive->flush();
  SimulationReport report = end.so_far();
  const std::vector<Event> events = simulated.log.events();
  RunFacts facts = facts_of(place.loaded, report, place.plan.config.run.seed);
  add_unfinished(facts, place.plan, end, report.ended);
  add_losses(facts, place.loaded, report, events);
  tell(place, facts, events);
}

/// From the plan to the outputs.
void learn_and_tell(const RunConfig& config, const SharedOptions& shared, LoadedScenario& loaded, RunFolder& folder,
                    const StopSignal& stop, std::chrono::steady_clock::time_point start) {
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const RunPlan plan = ready_plan(config, shared, loaded, progress, stop);
  std::unique_ptr<SimulationArchive> archive;
  if (plan.learner->learns()) {
    if (shared.resume.empty()) folder.note_begin(mark_of(loaded, config));
    auto storage = std::make_unique<DirectoryStorage>(folder.state() / "archive");
    archive = std::make_unique<SimulationArchive>(plan, std::move(storage));
  }
  Simulated simulated;
  const OutputPlace place{plan, shared, loaded, folder, archive.get(), start};
  SimulationOptions options = simulation_options(plan, shared.threads);
  options.archive = archive.get();
  options.stop = &stop.requested();
  try {
    run_and_watch(place, options, progress, simulated);
  } catch (const EndedEarly<SimulationReport>& end) {
    progress.finish();
    leave_outputs(place, simulated, end);
    if (!end.so_far().links_off.empty()) std::cerr << "note: " << end.so_far().links_off << "\n";
    throw;
  }
  leave_outputs(place, simulated);
}

}  // namespace

ProgramInfo sim_info() {
  ProgramInfo info{.name = "dipaco-sim",
                   .purpose =
                       "Trains by DiPaCo on a simulated network of sites (SimGrid).\n"
                       "dipaco-sim fleet, calibrate --help: a scenario of a few lines, or as measured.\n"
                       "dipaco-sim worth, sweep, bisect, recommend, sensitivity --help: studies of one.\n"
                       "dipaco-sim data-parallel --help: what training without paths takes there.",
                   .usage = "SCENARIO.xml [options]",
                   .example = "dipaco-sim scenarios/wan_4dc.xml",
                   .options = with_shared(
                       {{.name = "repeat", .value = "N", .help = "seeds, from run.seed on: medians", .initial = "1"}},
                       {Shared::run, Shared::set, Shared::learn, Shared::out, Shared::seed, Shared::threads,
                        Shared::format, Shared::progress, Shared::events, Shared::resume, Shared::dump_config}),
                   .words = 1,
                   .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus simulate_scenario(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  SharedOptions shared = read_shared(arguments);
  if (wants_seeds(arguments)) return run_seeds(arguments, stop);
  const ScenarioWords words = named_scenario(arguments, shared.set);
  std::optional<RunFolder> folder;
  const bool resumed = !shared.resume.empty();
  if (resumed) folder.emplace(shared.resume, RunFolder::Use::resume);
  if (resumed && folder->finished()) {
    show_finished(*folder, shared);
    return ExitStatus::done;
  }
  const Rehearsal rehearsal = rehearse(words.scenario, [&] { load_scenario(words); });
  LoadedScenario loaded = load_scenario(words);
  const RunConfig config = configure(shared, loaded, resumed ? &*folder : nullptr);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  const std::vector<std::string> notes = check_fit(config, loaded);
  print_notes(loaded, rehearsal.warnings);
  for (const std::string& note : notes) std::cerr << "note: " << note << "\n";
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  if (!resumed) folder.emplace(out, RunFolder::Use::begin);
  open_output(config, folder->path());
  learn_and_tell(config, shared, loaded, *folder, stop, start);
  return ExitStatus::done;
}

}  // namespace dipaco
