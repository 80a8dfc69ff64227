#include "programs/dipaco/replay_command.hpp"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/replay/replay.hpp"
#include "programs/dipaco/finished_run.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/session.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

/// @throws ConfigError where it left none
std::filesystem::path order_of(const FinishedRun& run) {
  std::filesystem::path file = run.model() / "order";
  if (std::filesystem::exists(file)) return file;
  throw ConfigError(
      file.string() +
      " is not there: runs leave it whose outer.policy has no rounds (asynchronous, quorum); of outer.policy=" +
      run.config().outer.policy + " run.cfg says all: dipaco-run --run " +
      (run.model().parent_path() / "run.cfg").string() + " --backend loopback");
}

void print_text(const ReplayEnd& again, bool same, const FinishedRun& run) {
  std::cout << "tasks          " << again.tasks << "\n"
            << "versions       " << again.versions << " of shared modules\n"
            << "parameters     " << again.parameters_hash
            << (same ? ", as the run's" : ", and the run's are " + run.parameters_hash()) << "\n";
}

void print_json(const ReplayEnd& again, bool same, const FinishedRun& run) {
  const nlohmann::json all{{"tasks", again.tasks},
                           {"versions", again.versions},
                           {"parameters_hash", again.parameters_hash},
                           {"parameters_hash_of_the_run", run.parameters_hash()},
                           {"same", same}};
  std::cout << all.dump(2) << "\n";
}

}  // namespace

ProgramInfo replay_program() {
  return {.name = "dipaco replay",
          .purpose =
              "Computes a finished run without rounds again, task by task in the order that\n"
              "it left, and says whether it comes to the same parameters, bit for bit.",
          .usage = "DIR [options]",
          .example = "dipaco replay out/tiny",
          .options = shared_options(
              {Shared::device, Shared::deterministic, Shared::threads, Shared::format, Shared::progress}),
          .words = 1,
          .libraries = core_libraries()};
}

ExitStatus run_replay(const Arguments& arguments, const StopSignal& stop) {
  if (arguments.words().empty()) throw ConfigError("no folder; name the --out folder of a run, such as out/tiny");
  SharedOptions shared = read_shared(arguments);
  const FinishedRun run(arguments.words().front());
  const MappedFile order(order_of(run));
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const RunPlan plan = plan_run(run.config(), shared, progress, stop);
  const ReplayEnd again = replay(plan, order.bytes(), order_of(run).string(), [&](std::int64_t done, std::int64_t all) {
    progress.show("tasks", done, all);
    if (stop.requested()) throw Interrupted("nothing is kept; give the same command again");
  });
  progress.finish();
  const bool same = again.parameters_hash == run.parameters_hash();
  shared.json ? print_json(again, same, run) : print_text(again, same, run);
  return same ? ExitStatus::done : ExitStatus::data;
}

}  // namespace dipaco
