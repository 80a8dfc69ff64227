#include "programs/dipaco_run/preflight_command.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <mutex>

#include "backends/gloo/meeting/rendezvous.hpp"
#include "backends/gloo/preflight.hpp"
#include "core/base/file.hpp"
#include "core/preflight/scenario.hpp"
#include "programs/dipaco_run/gloo_options.hpp"
#include "programs/dipaco_run/process.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostProcesses = 10'000;

/// Notes, and how far it is, as lines of a log from several threads.
class Log {
 public:
  void line(const std::string& text) {
    const std::lock_guard lock(mutex_);
    std::cerr << time_of_day() << " " << text << std::endl;
  }

 private:
  std::mutex mutex_;
};

/// The options of a run that say who meets where and how; the others have no meaning here.
std::vector<ProgramOption> links_options() {
  std::vector<ProgramOption> options;
  for (ProgramOption& option : gloo_options()) {
    if (option.name == "metrics" || option.name == "lines") continue;
    if (option.name == "step-time") option.help = "of an inner step here, for the scenario, such as 50ms";
    if (option.name == "expect") option.help = "with --role auto: the run's";
    options.push_back(std::move(option));
  }
  return options;
}

std::int32_t number_of_processes(const Arguments& arguments, const GlooArguments& gloo) {
  const auto given = arguments.integer("processes", 2, kMostProcesses);
  if (given) return static_cast<std::int32_t>(*given);
  if (gloo.processes && *gloo.processes >= 2) return *gloo.processes;
  if (!gloo.has(Role::coordinator)) return 0;
  throw ConfigError("the coordinator has to know for how many processes to wait, itself among them; add --processes N");
}

void leave_scenario(const NetworkMeasures& measures, const std::filesystem::path& file,
                    const std::filesystem::path& run) {
  namespace fs = std::filesystem;
  std::string from_scenario;
  if (!run.empty()) from_scenario = fs::proximate(fs::absolute(run), fs::absolute(file).parent_path()).string();
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const std::string text = measured_scenario(measures, from_scenario);
  write_file(file, text);
  std::cerr << "note: wrote " << file.string() << "; try dipaco-sim " << file.string()
            << (run.empty() ? " --run FILE.cfg" : "") << " --learn off\n";
  const auto unknown = std::ranges::count_if(measures.attendees, [](const Attendee& who) {
    return !who.step_time && std::ranges::find(who.roles, Role::worker) != who.roles.end();
  });
  if (unknown > 0) {
    std::cerr << "note: " << unknown
              << " workers have not said --step-time: put their step_time, or speed and mfu, into " << file.string()
              << "\n";
  }
}

}  // namespace

ProgramInfo preflight_info() {
  ProgramInfo info{
      .name = "dipaco-run",
      .purpose = "Measures the network between the processes of a run (docs/cluster.md).",
      .usage = "preflight --rendezvous URL --role ROLE... [options]",
      .example =
          "dipaco-run preflight --role coordinator --processes 4 \\\n"
          "           --rendezvous tcp://127.0.0.1:29400 --scenario-out measured.xml",
      .options = {{.name = "processes", .value = "N", .help = "coordinator: so many take part, with it"},
                  {.name = "scenario-out", .value = "FILE", .help = "coordinator: a scenario for dipaco-sim"}},
      .words = 1,
      .libraries = core_libraries()};
  for (ProgramOption& option : links_options()) info.options.push_back(std::move(option));
  for (ProgramOption& option : shared_options({Shared::run, Shared::format, Shared::progress})) {
    info.options.push_back(std::move(option));
  }
  return info;
}

ExitStatus run_preflight_command(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  if (!shared.run.empty()) resolve_config(shared);
  const GlooArguments gloo = read_gloo(arguments, environment);
  const std::filesystem::path scenario = arguments.text("scenario-out");
  const std::int32_t processes = number_of_processes(arguments, gloo);
  Log log;
  const auto rendezvous = make_rendezvous(gloo.rendezvous, {.run_name = "preflight",
                                                            .secret = gloo.secret ? &*gloo.secret : nullptr,
                                                            .publishes = gloo.has(Role::coordinator),
                                                            .note = [&](const std::string& text) { log.line(text); }});
  GlooOptions options = links_of(gloo, *rendezvous, [&](const std::string& text) { log.line(text); });
  options.stop = &stop.requested();
  const auto tell = [&](const std::string& text) {
    if (shared.progress != ProgressMode::off) log.line(text);
  };
  const GlooPreflight done = preflight_gloo(options, processes, tell);
  rendezvous->withdraw();
  if (done.stopped) throw Interrupted("stopped before all was measured");
  if (!done.measures) return ExitStatus::done;
  std::cout << (shared.json ? measures_json(*done.measures) : measures_text(*done.measures));
  if (!scenario.empty()) leave_scenario(*done.measures, scenario, shared.run);
  return ExitStatus::done;
}

}  // namespace dipaco
