#include "programs/dipaco_run/gloo_command.hpp"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <optional>

#include "backends/gloo/meeting/rendezvous.hpp"
#include "backends/gloo/run.hpp"
#include "backends/gloo/status/status_desk.hpp"
#include "core/base/ended_early.hpp"
#include "core/config/fleet.hpp"
#include "core/config/run_file.hpp"
#include "core/faults/parse.hpp"
#include "programs/dipaco_run/gloo_options.hpp"
#include "programs/dipaco_run/outputs.hpp"
#include "programs/dipaco_run/process.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

/// What goes to stderr from several threads: progress, and notes between its lines.
class Screen {
 public:
  explicit Screen(ProgressMode mode) : progress_(std::cerr, mode, stderr_columns) {}
  /// For the calling thread alone, before others are there.
  Progress& progress() { return progress_; }
  void note(const std::string& text) {
    const std::lock_guard lock(mutex_);
    progress_.finish();
    std::cerr << time_of_day() << " " << text << std::endl;
  }
  std::function<void(const RunProgress&)> show_run() {
    return [this, show = dipaco::show_run(progress_, "elapsed")](const RunProgress& now) {
      const std::lock_guard lock(mutex_);
      show(now);
    };
  }
  void finish() { progress_.finish(); }

 private:
  Progress progress_;
  std::mutex mutex_;
};

/// The run's folder of the process that has the coordinator: it begins the run, or goes on with it.
class CoordinatorFolder {
 public:
  CoordinatorFolder(const std::filesystem::path& out, const RunConfig& config, const SharedOptions& shared)
      : folder_(out, unfinished(out) ? RunFolder::Use::resume : RunFolder::Use::begin), resumed_(unfinished(out)) {
    if (!resumed_) {
      open_output(config, out);
      return;
    }
    if (folder_.mark().backend != "gloo") {
      throw ConfigError(out.string() + ": the run was begun with backend " + folder_.mark().backend +
                        ", not gloo; name another --out");
    }
    std::filesystem::remove(out / "summary.json");  // of a part that ended for want of progress
    SharedOptions same = shared;
    same.out.clear();
    resume_config(folder_, same, false);
  }
  const RunFolder& get() const { return folder_; }
  void note_begin(const RunConfig& config, bool learn) {
    if (!resumed_) folder_.note_begin({.backend = "gloo", .name = config.name, .learn = learn});
  }
  void note_end() { folder_.note_end(); }

 private:
  static bool unfinished(const std::filesystem::path& out) { return std::filesystem::exists(out / "state" / "run"); }

  RunFolder folder_;
  bool resumed_;
};

/// Of the lines that --lines tells of.
RoundTrip longest_round_trip(const SiteLines& lines) {
  RoundTrip longest;
  for (const auto& [ends, time] : lines.round_trips) {
    if (time > longest.time) longest = {time, "site \"" + ends.first + "\"", "site \"" + ends.second + "\""};
  }
  return longest;
}

/// What is known beforehand of who takes part.
void check_fleet(const RunConfig& config, const GlooArguments& gloo) {
  if (gloo.expected.workers > 0) check_workers(config, gloo.expected.workers);
  if (gloo.lines) check_round_trip(config.liveness, longest_round_trip(*gloo.lines), "--lines", "as it was measured");
  if (gloo.step_time && gloo.has(Role::worker)) check_deadline(config, *gloo.step_time, "here (--step-time)");
}

void check_possible(const RunConfig& config, const GlooArguments& gloo) {
  if (!parse_faults(config.faults).empty()) {
    throw ConfigError("[faults] of a run file are for loopback and the simulator; end real processes instead");
  }
  if (gloo.lines && !gloo.has(Role::coordinator)) {
    throw ConfigError("--lines is for the coordinator, which gives tasks and modules out; leave it out here");
  }
  if (gloo.lines && !config.run.known_lines) {
    throw ConfigError(
        "--lines says what lines carry, and run.known_lines=off that nobody knows; leave one of them out");
  }
  check_fleet(config, gloo);
}

std::unique_ptr<Rendezvous> rendezvous_of(const GlooArguments& gloo, const std::string& run_name, Screen& screen) {
  return make_rendezvous(gloo.rendezvous, {.run_name = run_name,
                                           .secret = gloo.secret ? &*gloo.secret : nullptr,
                                           .publishes = gloo.has(Role::coordinator),
                                           .note = [&screen](const std::string& text) { screen.note(text); }});
}

GlooOptions options_of(const GlooArguments& gloo, const std::filesystem::path& out, Rendezvous& rendezvous,
                       Screen& screen) {
  GlooOptions options = links_of(gloo, rendezvous, [&screen](const std::string& text) { screen.note(text); });
  options.out = out;
  options.lines = gloo.lines;
  options.expected = {.executors = gloo.expected.executors,
                      .stores = gloo.expected.stores,
                      .workers = gloo.expected.workers,
                      .evaluators = gloo.expected.evaluators,
                      .progress = screen.show_run(),
                      .note = options.note};
  return options;
}

void note_launch(const GlooArguments& gloo, Screen& screen) {
  if (gloo.launched.empty()) return;
  std::string roles;
  for (const Role role : gloo.roles) roles += (roles.empty() ? "" : ", ") + std::string(name(role));
  screen.note("started by " + gloo.launched + ": " + roles + "; rendezvous " + gloo.rendezvous);
}

RunFacts facts_of(const GlooRun& run, std::chrono::steady_clock::time_point start) {
  RunFacts facts{.sites = run.sites, .nodes = run.nodes, .traffic = run.traffic};
  if (run.resumed_from) facts.more["resumed_from_outer_step"] = static_cast<std::int64_t>(*run.resumed_from);
  add_program_cost(facts, start);
  return facts;
}

/// @param unfinished  is told of a run that has ended early here; the same command goes on with it
GlooRun run_or_tell(const RunPlan& plan, const GlooOptions& options,
                    const std::function<void(const EndedEarly<GlooRun>&)>& unfinished) {
  try {
    return run_gloo(plan, options);
  } catch (const EndedEarly<GlooRun>& end) {
    unfinished(end);
    throw;
  }
}

/// How this process ends where the run has not: by what it took away.
ExitStatus stopped(const GlooRun& run, Screen& screen) {
  screen.finish();
  if (run.awaited) {
    throw Interrupted("stopped before the run's end, which waits for it; the same command goes on");
  }
  std::cerr << "note: this process has left the run; what it had in hand goes to another\n";
  return ExitStatus::done;
}

}  // namespace

ProgramInfo gloo_info() {
  ProgramInfo info{.name = "dipaco-run",
                   .purpose = "Trains by DiPaCo for real: this process's part of a run of several (docs/cluster.md).",
                   .usage = "--backend gloo --run FILE.cfg --rendezvous URL --role ROLE... [options]",
                   .example =
                       "dipaco-run --backend gloo --run scenarios/runs/tiny.cfg --role worker \\\n"
                       "           --rendezvous tcp://127.0.0.1:29400",
                   .options = shared_options({Shared::backend, Shared::run}),
                   .libraries = core_libraries()};
  for (ProgramOption& option : gloo_options()) info.options.push_back(std::move(option));
  for (ProgramOption& option :
       shared_options({Shared::set, Shared::learn, Shared::out, Shared::threads, Shared::device, Shared::deterministic,
                       Shared::format, Shared::progress, Shared::events})) {
    info.options.push_back(std::move(option));
  }
  return info;
}

ExitStatus run_gloo_command(const Arguments& arguments, const StopSignal& stop) {
  const auto start = std::chrono::steady_clock::now();
  const SharedOptions shared = read_shared(arguments);
  const RunConfig config = resolve_config(shared);
  const GlooArguments gloo = read_gloo(arguments, environment);
  check_possible(config, gloo);
  Screen screen(shared.progress);
  note_launch(gloo, screen);
  const auto out = shared.out.empty() ? std::filesystem::path("out") / config.name : shared.out;
  const bool coordinates = gloo.has(Role::coordinator);
  std::optional<CoordinatorFolder> folder;
  if (coordinates) folder.emplace(out, config, shared);
  const auto rendezvous = rendezvous_of(gloo, config.name, screen);
  std::optional<StatusDesk> status;
  if (gloo.metrics) status.emplace(*gloo.metrics, config.name, gloo.roles);
  const auto tell = [&](const PrepareProgress& now) {
    if (status) status->prepares({std::string(now.stage), now.done, now.total});
  };
  const RunPlan plan = plan_run(config, shared, screen.progress(), stop, tell, shared.threads);
  screen.finish();
  if (coordinates) folder->note_begin(config, shared.learn);
  GlooOptions options = options_of(gloo, out, *rendezvous, screen);
  options.stop = &stop.requested();
  options.status = status ? &*status : nullptr;
  const GlooRun run = run_or_tell(plan, options, [&](const EndedEarly<GlooRun>& end) {
    screen.finish();
    const GlooRun& so_far = end.so_far();
    leave_unfinished(facts_of(so_far, start), plan, {end, so_far.ended}, so_far.events, shared, folder->get());
  });
  if (run.stopped) return stopped(run, screen);
  screen.finish();
  if (!run.result) return ExitStatus::done;
  RunFacts facts = facts_of(run, start);
  leave_outputs(facts, plan, *run.result, run.events, shared, folder->get());
  folder->note_end();
  forget_run(run);
  rendezvous->withdraw();
  return ExitStatus::done;
}

}  // namespace dipaco
