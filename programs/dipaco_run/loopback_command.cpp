#include "programs/dipaco_run/loopback_command.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>

#include "backends/loopback/run.hpp"
#include "core/base/ended_early.hpp"
#include "core/base/file.hpp"
#include "core/config/fleet.hpp"
#include "core/config/run_file.hpp"
#include "programs/dipaco_run/outputs.hpp"
#include "programs/shared/run_folder.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

/// What nodes left under model/, from their folders into the run's.
void collect_model(const std::filesystem::path& state, const std::filesystem::path& model) {
  for (const auto& node : std::filesystem::directory_iterator(state)) {
    const auto modules = node.path() / "model";
    if (!std::filesystem::is_directory(modules)) continue;
    for (const auto& module : std::filesystem::directory_iterator(modules)) {
      write_file(model / module.path().filename(), read_file(module.path()));
    }
  }
}

RunConfig configure(SharedOptions& shared, const RunFolder* resumed) {
  if (resumed == nullptr) return resolve_config(shared);
  const std::string& backend = resumed->mark().backend;
  if (backend != shared.backend) {
    throw ConfigError(resumed->path().string() + ": the run was begun with backend " + backend + ", not " +
                      shared.backend + "; resume it with the program that began it");
  }
  return resume_config(*resumed, shared, false);
}

RunFacts facts_of(const LoopbackRun& run) {
  RunFacts facts{.sites = {"local"}, .nodes = run.nodes, .traffic = run.traffic};
  if (run.resumed_from) facts.more["resumed_from_outer_step"] = static_cast<std::int64_t>(*run.resumed_from);
  return facts;
}

LoopbackRun run_or_tell(const RunPlan& plan, const SharedOptions& shared, Progress& progress, const StopSignal& stop,
                        const RunFolder& folder) {
  try {
    return run_loopback(plan, {.workers = shared.workers.value_or(shared.threads),
                               .state = folder.state(),
                               .progress = show_run(progress, "elapsed"),
                               .note = show_notes(progress),
                               .stop = &stop.requested()});
  } catch (const EndedEarly<LoopbackRun>& end) {
    progress.finish();
    const LoopbackRun& run = end.so_far();
    leave_unfinished(facts_of(run), plan, {end, run.ended}, run.events, shared, folder);
    throw;
  }
}

}  // namespace

ProgramInfo loopback_info() {
  return {
      .name = "dipaco-run",
      .purpose =
          "Trains by DiPaCo for real: loopback, all roles in this process, a thread each;\n"
          "gloo, a process for each node: dipaco-run --backend gloo --help\n"
          "the network between those: dipaco-run preflight --help; real runs beside\n"
          "simulated ones: dipaco-run validate --help",
      .usage = "--backend loopback {--run FILE.cfg | --resume DIR} [options]",
      .example = "dipaco-run --backend loopback --run scenarios/runs/tiny.cfg --workers 2",
      .options = shared_options({Shared::backend, Shared::run, Shared::workers, Shared::set, Shared::learn, Shared::out,
                                 Shared::seed, Shared::threads, Shared::device, Shared::deterministic, Shared::format,
                                 Shared::progress, Shared::events, Shared::resume, Shared::dump_config}),
      .libraries = core_libraries()};
}

ExitStatus run_loopback_command(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  SharedOptions shared = read_shared(arguments);
  if (shared.backend.empty()) throw ConfigError("no backend; add --backend loopback, or --backend gloo");
  std::optional<RunFolder> folder;
  const bool resumed = !shared.resume.empty();
  if (resumed) folder.emplace(shared.resume, RunFolder::Use::resume);
  if (resumed && folder->finished()) {
    show_finished(*folder, shared);
    return ExitStatus::done;
  }
  const RunConfig config = configure(shared, resumed ? &*folder : nullptr);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  check_workers(config, shared.workers.value_or(shared.threads));
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  if (!resumed) folder.emplace(out, RunFolder::Use::begin);
  open_output(config, folder->path());
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const RunPlan plan = plan_run(config, shared, progress, stop);
  if (!resumed) folder->note_begin({.backend = shared.backend, .name = config.name, .learn = shared.learn});
  const LoopbackRun run = run_or_tell(plan, shared, progress, stop, *folder);
  progress.finish();
  if (run.stopped) {
    throw Interrupted("stopped before its end; go on with dipaco-run --backend loopback --resume " +
                      folder->path().string());
  }
  note_never_struck(run.never_struck);
  if (plan.learner->learns()) collect_model(folder->state(), folder->path() / "model");
  RunFacts facts = facts_of(run);
  add_program_cost(facts, start);
  leave_outputs(facts, plan, run.result, run.events, shared, *folder);
  folder->note_end();
  return ExitStatus::done;
}

}  // namespace dipaco
