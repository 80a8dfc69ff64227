// dipaco-run: runs a run file for real. Its backends: loopback (all roles in this process, a thread each).

#include <chrono>
#include <filesystem>
#include <iostream>

#include "core/base/file.hpp"
#include "core/cli/program.hpp"
#include "core/cli/session.hpp"
#include "core/config/run_file.hpp"
#include "core/log/report.hpp"
#include "core/runtime/loopback_run.hpp"

namespace dipaco {
namespace {

ProgramInfo run_info() {
  return {.name = "dipaco-run",
          .purpose = "Trains by DiPaCo for real: all roles in this process, a thread each.",
          .usage = "--backend loopback --run FILE.cfg [options]",
          .example = "dipaco-run --backend loopback --run scenarios/runs/tiny.cfg --workers 2",
          .options = shared_options({Shared::backend, Shared::run, Shared::workers, Shared::set, Shared::learn,
                                     Shared::out, Shared::seed, Shared::threads, Shared::format, Shared::progress,
                                     Shared::events, Shared::dump_config}),
          .libraries = core_libraries()};
}

/// The modules that executors and stores left, from their folders into the run's model/.
void collect_model(const std::filesystem::path& state, const std::filesystem::path& model) {
  for (const auto& node : std::filesystem::directory_iterator(state)) {
    const auto modules = node.path() / "model";
    if (!std::filesystem::is_directory(modules)) continue;
    for (const auto& module : std::filesystem::directory_iterator(modules)) {
      write_file(model / ("module-" + module.path().filename().string()), read_file(module.path()));
    }
  }
}

void print_result(const RunFacts& facts, const std::vector<Event>& events, const SharedOptions& shared,
                  const std::filesystem::path& out) {
  if (shared.json) {
    std::cout << read_text(out / "summary.json");
  } else {
    print_summary(std::cout, facts, events, out);
  }
}

ExitStatus run(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  const SharedOptions shared = read_shared(arguments);
  if (shared.backend.empty()) throw ConfigError("no backend; add --backend loopback");
  const RunConfig config = resolve_config(shared);
  if (shared.dump_config) {
    std::cout << dump_config(config);
    return ExitStatus::done;
  }
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  open_output(config, out);
  Progress progress(std::cerr, shared.progress, stderr_is_terminal());
  const RunPlan plan = plan_run(config, shared, progress, stop);
  std::filesystem::remove_all(out / "state");
  LoopbackRun run = run_loopback(plan, {.workers = shared.workers.value_or(shared.threads),
                                        .state = out / "state",
                                        .progress = show_run(progress, "elapsed"),
                                        .stop = &stop.requested()});
  progress.finish();
  if (run.stopped) throw Interrupted("stopped before its end; run it again to start over");
  RunFacts facts{.sites = {"local"}, .nodes = run.nodes, .traffic = run.traffic};
  facts.more["backend"] = std::string("loopback");
  add_result(facts, plan, run.result);
  if (plan.learner != nullptr) collect_model(out / "state", out / "model");
  copy_model_files(plan, out / "model");
  add_program_cost(facts, start);
  write_outputs(facts, run.events, {.folder = out, .events = shared.events});
  print_result(facts, run.events, shared, out);
  return ExitStatus::done;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) { return dipaco::run_program(dipaco::run_info(), argc, argv, dipaco::run); }
