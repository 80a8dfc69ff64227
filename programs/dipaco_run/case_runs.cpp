#include "programs/dipaco_run/case_runs.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "analysis/fidelity/departures.hpp"
#include "backends/gloo/shaped/shaped_sites.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "programs/shared/program.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPort = "29400";
/// Between the starts of processes, so that they join in their order: a worker that learns loads its trainer first.
constexpr Seconds kBetween{0.5};
constexpr Seconds kBetweenLearners{4};

/// A program of this build or installation.
std::string beside_this(const std::string& program) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / program).string();
}

template <class... Lists>
std::vector<std::string> joined(std::vector<std::string> words, const Lists&... lists) {
  (words.insert(words.end(), lists.begin(), lists.end()), ...);
  return words;
}

/// Whether a run has come to its end there.
bool finished(const fs::path& folder) {
  return fs::exists(folder / "summary.json") && !fs::exists(folder / "state" / "run");
}

/// How often a run that is to lose a process is looked at.
constexpr Seconds kLook(0.2);

std::string in_seconds(double seconds) { return format_number(seconds) + "s"; }

}  // namespace

CaseRuns::CaseRuns(const ValidationCase& one, Options options) : case_(one), options_(std::move(options)) {
  const fs::path said = options_.folder / "case.txt";
  if (!fs::exists(said)) {
    std::error_code error;
    fs::create_directories(options_.folder, error);
    if (error) throw DataError(options_.folder.string() + ": cannot make the folder: " + error.message());
    write_file(said, case_.text);
  } else if (read_text(said) != case_.text) {
    throw ConfigError(options_.folder.string() + ": has runs of the case " + case_.name +
                      " as it was described before; remove that folder, or name another --out");
  }
}

fs::path CaseRuns::real_folder(int number) const { return options_.folder / ("real-" + std::to_string(number)); }

int CaseRuns::missing() const {
  int count = 0;
  for (int k = 1; k <= options_.repeat; ++k) count += finished(real_folder(k)) ? 0 : 1;
  return count;
}

analysis::ComparedCase CaseRuns::compare() {
  if (!fs::exists(options_.folder / "measured.xml")) measure_lines();
  std::vector<analysis::Run> real;
  for (int k = 1; k <= options_.repeat; ++k) {
    if (!finished(real_folder(k))) run_for_real(k);
    real.push_back(analysis::read_run(real_folder(k)));
  }
  analysis::ComparedCase compared{.name = case_.name,
                                  .what = described(case_),
                                  .policy = read_run_file(case_.run, case_.set).outer.policy,
                                  .apart = case_.apart,
                                  .real = {},
                                  .simulated = {}};
  for (const analysis::Run& run : real) compared.real.push_back(analysis::phases_of(run));
  compared.simulated = simulate(real);
  return compared;
}

CaseRuns::Words CaseRuns::preflight_words(std::size_t process) const {
  const CaseProcess& own = case_.processes[process];
  Words words{"preflight", "--progress", "off"};
  if (process == 0) {
    words = joined(std::move(words), Words{"--processes", std::to_string(case_.processes.size()), "--scenario-out",
                                           (options_.folder / "measured.part.xml").string(), "--format", "json"});
  }
  if (own.step_time) words = joined(std::move(words), Words{"--step-time", in_seconds(own.step_time->count())});
  return words;
}

CaseRuns::Words CaseRuns::run_words(std::size_t process, int number) const {
  const CaseProcess& own = case_.processes[process];
  Words words{"--backend", "gloo", "--run", case_.run.string(),           "--progress", "off",
              "--threads", "1",    "--out", real_folder(number).string(), "--learn",    case_.learns ? "on" : "off"};
  for (const std::string& set : case_.set) words = joined(std::move(words), Words{"--set", set});
  if (!case_.learns) {
    // One that does not work needs a time, too, but spends none.
    const auto worker = std::ranges::find_if(case_.processes, [](const auto& one) { return one.has(Role::worker); });
    const Seconds time = own.step_time ? *own.step_time : *worker->step_time;
    words = joined(std::move(words), Words{"--step-time", in_seconds(time.count())});
  }
  if (process != 0) return words;
  const auto number_of = [&](Role role) {
    return std::to_string(std::ranges::count_if(case_.processes, [&](const auto& one) { return one.has(role); }));
  };
  std::string expected = "executors=" + number_of(Role::executor) + ",stores=" + number_of(Role::store);
  if (case_.known_lines) expected += ",workers=" + number_of(Role::worker);
  words = joined(std::move(words), Words{"--events", "on", "--expect", expected});
  if (case_.known_lines) {
    words = joined(std::move(words), Words{"--lines", (options_.folder / "preflight-0.out").string()});
  }
  return words;
}

/// One after the other, so that they are numbered as in the simulation: the first store serves sites without one, the
/// first worker gets the first path.
void CaseRuns::start(const ShapedSites& sites, const std::string& log, const std::function<Words(std::size_t)>& words) {
  for (std::size_t k = 0; k < case_.processes.size(); ++k) {
    const CaseProcess& own = case_.processes[k];
    Words roles;
    for (const Role role : own.roles) roles = joined(std::move(roles), Words{"--role", name(role)});
    const Words meeting{"--site",        own.site,
                        "--interface",   ShapedSites::device(),
                        "--rendezvous",  "tcp://" + ShapedSites::first_address() + ":" + std::string(kPort),
                        "--secret-file", (options_.folder / "secret").string()};
    const std::string files = (options_.folder / (log + "-" + std::to_string(k))).string();
    started_.emplace_back(joined(sites.within(own.site), Words{beside_this("dipaco-run")}, words(k), roles, meeting),
                          ChildOutput{files + ".out", files + ".log"});
    pause(case_.learns ? kBetweenLearners : kBetween);
  }
}

void CaseRuns::measure_lines() {
  options_.note(case_.name + ": the preflight");
  // It guards a network that ends at this machine, and only as long as a run lasts.
  write_file(options_.folder / "secret", "dipaco-run validate " + case_.name + "\n");
  const ShapedSites sites(case_.lines, options_.folder);
  start(sites, "preflight", [this](std::size_t k) { return preflight_words(k); });
  wait_for_all(std::nullopt);
  fs::rename(options_.folder / "measured.part.xml", options_.folder / "measured.xml");
}

void CaseRuns::run_for_real(int number) {
  options_.note(case_.name + ": real run " + std::to_string(number) + " of " + std::to_string(options_.repeat));
  fs::remove_all(real_folder(number));
  if (case_.learns) {
    Words words{beside_this("dipaco"), "prepare", "--run", case_.run.string(), "--progress", "off"};
    for (const std::string& set : case_.set) words = joined(std::move(words), Words{"--set", set});
    run_tool(words, "prepare");
  }
  ShapedSites sites(case_.lines, options_.folder);
  start(sites, "real-" + std::to_string(number), [&](std::size_t k) { return run_words(k, number); });
  strike(sites);
  wait_for_all(case_.lost);
}

/// At the moments that the case says, from now on.
void CaseRuns::strike(ShapedSites& sites) {
  const bool lost_first = case_.lost && (!case_.preempted || case_.lost->after <= case_.preempted->after);
  Seconds now{0};
  for (const bool lost : {lost_first, !lost_first}) {
    const std::optional<CaseLoss>& loss = lost ? case_.lost : case_.preempted;
    if (!loss) continue;
    for (; now < loss->after; now += kLook) {
      pause(std::min(kLook, loss->after - now));
      if (std::ranges::any_of(started_, [](ChildProcess& one) { return !one.look(); })) continue;
      throw RunError(static_cast<int>(ExitStatus::no_progress),
                     "case " + case_.name + ": the run had ended before " + case_.processes[loss->process].name +
                         " went; let it go earlier, or give the run more outer steps");
    }
    now = loss->after;
    if (lost) sites.cut(case_.processes[loss->process].site);
    started_[loss->process].signal(lost ? SIGKILL : SIGTERM);
  }
}

void CaseRuns::wait_for_all(const std::optional<CaseLoss>& killed) {
  for (std::size_t left = started_.size(); left > 0;) {
    left = 0;
    for (std::size_t k = 0; k < started_.size(); ++k) {
      const auto status = started_[k].look();
      if (!status) ++left;
      if (!status || *status == 0 || (killed && killed->process == k)) continue;
      const std::string said = started_[k].last_words();
      started_.clear();
      throw RunError(*status < 128 ? *status : static_cast<int>(ExitStatus::peers_lost),
                     "case " + case_.name + ": " + case_.processes[k].name + " ended with status " +
                         std::to_string(*status) + ": " + said);
    }
    if (left > 0) pause(Seconds(0.05));
  }
  started_.clear();
}

void CaseRuns::pause(Seconds time) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(time);
  while (std::chrono::steady_clock::now() < end) {
    if (options_.stop) throw Interrupted("what is finished stays; the same command goes on");
    const auto left = end - std::chrono::steady_clock::now();
    std::this_thread::sleep_for(
        std::clamp<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(0), std::chrono::milliseconds(50)));
  }
}

void CaseRuns::run_tool(const Words& words, const std::string& log) {
  const std::string files = (options_.folder / log).string();
  ChildProcess process(words, {files + ".out", files + ".log"});
  std::optional<int> status;
  while (!(status = process.look())) pause(Seconds(0.02));
  if (*status != 0) {
    throw RunError(*status < 128 ? *status : static_cast<int>(ExitStatus::peers_lost),
                   "case " + case_.name + ": " + process.last_words());
  }
}

/// What is known of the case's machines: what the preflight has measured and, unless it is kept apart, what the real
/// runs say of workers and lines.
fs::path CaseRuns::scenario() {
  const fs::path measured = options_.folder / "measured.xml";
  if (case_.apart) return measured;
  const fs::path calibrated = options_.folder / "calibrated.xml";
  Words words{beside_this("dipaco-sim"), "calibrate", measured.string(), "--out", calibrated.string()};
  for (int k = 1; k <= options_.repeat; ++k) words = joined(std::move(words), Words{"--from", real_folder(k).string()});
  run_tool(words, "calibrate");
  return calibrated;
}

/// The machine that went in the real run goes at the same second of the simulated one.
CaseRuns::Words CaseRuns::losses(const analysis::Run& real) const {
  if (!case_.lost && !case_.preempted) return {};
  const auto down = analysis::first_loss(fs::path(real.folder) / "events.csv");
  if (!down) {
    throw RunError(static_cast<int>(ExitStatus::no_progress),
                   "case " + case_.name + ": " + real.folder +
                       " had ended before its worker went; let it go earlier, or give the run more outer steps");
  }
  const RunConfig config = read_run_file(case_.run, case_.set);
  if (case_.lost) {
    const CaseProcess& gone = case_.processes[case_.lost->process];
    const double missed_for = config.liveness.limit.count();
    return {"--set", "host:" + gone.name + ".failures=" + in_seconds(*down - missed_for), "--set",
            "host:" + gone.name + ".repair=1000h"};
  }
  const CaseProcess& gone = case_.processes[case_.preempted->process];
  const auto there = std::ranges::count_if(case_.processes, [&](const CaseProcess& one) {
    return one.site == gone.site && one.roles == std::vector<Role>{Role::worker};
  });
  // SIGTERM does not say when the machine goes: the process stopped with the step at hand, put what it had, and left.
  // So long is the notice; the machine goes half a step later than the process, which may have had less of its step
  // left.
  const analysis::Phases real_phases = analysis::phases_of(real);
  const double step = real_phases.compute / static_cast<double>(config.inner.steps);
  return {"--set",
          "zone:" + gone.site + ".capacity=" + std::to_string(there - 1) + " from " + in_seconds(*down + step / 2),
          "--set", "zone:" + gone.site + ".notice=" + in_seconds(step + real_phases.upload)};
}

std::vector<analysis::Phases> CaseRuns::simulate(const std::vector<analysis::Run>& real) {
  options_.note(case_.name + ": the simulation");
  const fs::path from = scenario();
  std::vector<analysis::Phases> phases;
  for (int k = 1; k <= options_.simulations; ++k) {
    const fs::path out = options_.folder / ("simulated-" + std::to_string(k));
    Words words{beside_this("dipaco-sim"),
                from.string(),
                "--run",
                case_.run.string(),
                "--learn",
                "off",
                "--progress",
                "off",
                "--out",
                out.string(),
                "--seed",
                std::to_string(k),
                "--set",
                std::string("run.known_lines=") + (case_.known_lines ? "on" : "off")};
    for (const std::string& set : case_.set) words = joined(std::move(words), Words{"--set", set});
    words = joined(std::move(words), losses(real[static_cast<std::size_t>(k - 1) % real.size()]));
    run_tool(words, "simulated-" + std::to_string(k));
    phases.push_back(analysis::phases_of(analysis::read_run(out)));
  }
  return phases;
}

}  // namespace dipaco
