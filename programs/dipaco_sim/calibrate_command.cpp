#include "programs/dipaco_sim/calibrate_command.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/fidelity/measured_workers.hpp"
#include "analysis/run_files.hpp"
#include "backends/sim/engine/known_lines.hpp"
#include "backends/sim/engine/rehearsal.hpp"
#include "backends/sim/fleet/moved_scenario.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/base/xml_text.hpp"
#include "programs/dipaco_sim/line_calibrations.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

/// The scenario's workers, by site and in their order there.
std::map<std::string, std::vector<std::string>> workers_by_site(const Placement& placement) {
  std::map<std::string, std::vector<std::string>> workers;
  for (const PlacedNode& node : placement.with(Role::worker)) {
    workers[placement.sites[static_cast<std::size_t>(index(node.site))]].push_back(node.host);
  }
  return workers;
}

/// What is known of a scenario's workers and lines from real runs.
class FromRuns {
 public:
  FromRuns(const LoadedScenario& loaded, const std::vector<std::string>& folders)
      : loaded_(loaded), placement_(loaded.placement) {
    for (const std::string& folder : folders) {
      runs_.push_back(analysis::read_run(folder));
      named_ += (named_.empty() ? "" : ", ") + fs::path(folder).filename().string();
    }
    const auto workers = workers_by_site(placement_);
    for (analysis::MeasuredWorker& one : analysis::measured_workers(runs_)) {
      const auto site = workers.find(one.site);
      if (site == workers.end() || one.number >= std::ssize(site->second)) {
        throw ConfigError("--from " + folders.front() + ": worker " + std::to_string(one.number) + " of site " +
                          one.site + " is not in the scenario; name runs of the processes that it has");
      }
      const std::string& host = site->second[static_cast<std::size_t>(one.number)];
      measured_.push_back({host, std::to_string(one.tasks) + " tasks of " + named_, std::move(one)});
    }
    if (measured_.empty()) {
      throw DataError(folders.front() + "/tasks.csv: no worker has done an inner step; run longer");
    }
  }

  std::vector<Calibration> all() const {
    std::vector<Calibration> all;
    for (const Measured& one : measured_) {
      if (slept(one)) continue;
      const std::string host = "host:" + one.host;
      all.push_back({host, "step_time", format_number(one.times.step_time) + "s", "the median of " + one.source});
      if (!one.times.jitter) continue;
      all.push_back({host, "jitter", format_number(std::min(*one.times.jitter, 1.0)), "the spread of " + one.source});
    }
    if (const auto rate = intake()) {
      for (const std::string& site : placement_.sites) {
        all.push_back({"zone:" + site, "intake", format_fixed(*rate, 0) + "Bps",
                       "what puts to a site's own store took beyond the line's time, in " + named_});
      }
    }
    const auto lines = line_calibrations(loaded_, runs_, named_);
    all.insert(all.end(), lines.begin(), lines.end());
    return all;
  }

 private:
  struct Measured {
    std::string host;
    std::string source;
    analysis::MeasuredWorker times;
  };

  /// Whether the worker took as long as it was told to, which the scenario says already, and its coordinator knew.
  bool slept(const Measured& one) const {
    const std::vector<PlacedNode> workers = placement_.with(Role::worker);
    const auto node = std::ranges::find(workers, one.host, &PlacedNode::host);
    const bool told = node != workers.end() && node->step_time;
    return told && std::ranges::any_of(runs_, [](const analysis::Run& run) {
             return run.text("learned") == "false" && run.text("backend") != "sim";
           });
  }

  /// The one store of a worker's site, where that is on another host.
  std::optional<std::string> own_store(const Measured& one) const {
    std::optional<std::string> host;
    for (const PlacedNode& store : placement_.with(Role::store)) {
      if (placement_.sites[static_cast<std::size_t>(index(store.site))] != one.times.site) continue;
      if (host) return std::nullopt;
      host = store.host;
    }
    return host == one.host ? std::nullopt : host;
  }

  /// Bytes a second at which a state is taken in, beyond what the line takes; nullopt where that is nothing.
  std::optional<double> intake() const {
    const auto bytes = analysis::bytes_of_put(runs_.front());
    std::vector<double> seconds;
    for (const Measured& one : measured_) {
      const auto store = own_store(one);
      if (!bytes || !store || !one.times.commit) continue;
      const auto there = lone_message_time(one.host, *store, Bytes{static_cast<std::uint64_t>(*bytes)});
      const auto back = lone_message_time(*store, one.host, Bytes{0});
      if (there && back) seconds.push_back(*one.times.commit - there->count() - back->count());
    }
    if (seconds.empty()) return std::nullopt;
    std::ranges::sort(seconds);
    const double middle = seconds[(seconds.size() - 1) / 2];
    return middle > 0 ? std::optional(*bytes / middle) : std::nullopt;
  }

  const LoadedScenario& loaded_;
  const Placement& placement_;
  std::vector<analysis::Run> runs_;
  std::string named_;  ///< their folders' names
  std::vector<Measured> measured_;
};

/// "host,step_time" and a row a worker: "a-1,47ms".
std::vector<Calibration> from_table(const Placement& placement, const fs::path& file) {
  std::vector<std::string> hosts;
  for (const PlacedNode& node : placement.with(Role::worker)) hosts.push_back(node.host);
  std::vector<Calibration> all;
  int number = 0;
  for (const std::string& line : split(read_text(file), '\n')) {
    ++number;
    const std::string place = file.string() + ":" + std::to_string(number);
    if (number == 1 && line != "host,step_time") {
      throw DataError(place + ": \"" + line + "\" is not the header; write host,step_time");
    }
    if (number == 1 || line.empty() || line.starts_with("#")) continue;
    const std::vector<std::string> cells = split(line, ',');
    const auto time = cells.size() == 2 ? parse_seconds(cells[1]) : std::nullopt;
    if (!time || *time <= Seconds(0)) {
      throw DataError(place + ": \"" + line + "\"; write a host and the time of its inner step, such as a-1,47ms");
    }
    if (std::ranges::find(hosts, cells[0]) == hosts.end()) {
      throw ConfigError(place + ": \"" + cells[0] + "\" is no worker of the scenario" + did_you_mean(cells[0], hosts));
    }
    if (std::ranges::find(all, "host:" + cells[0], &Calibration::of) != all.end()) {
      throw DataError(place + ": \"" + cells[0] + "\" is there twice; write one row a worker");
    }
    all.push_back({"host:" + cells[0], "step_time", cells[1], place});
  }
  if (all.empty()) throw DataError(file.string() + ": no row; write a host and the time of its inner step a line");
  return all;
}

/// The scenario with these figures, and a comment that says where each is from.
std::string calibrated(const ScenarioFile& file, const std::vector<Calibration>& all, const fs::path& folder) {
  std::vector<ScenarioChange> changes;
  std::string comment =
      "<!-- By dipaco-sim calibrate, beside what " + xml_commented(file.path().filename().string()) + " says:\n";
  for (const Calibration& one : all) {
    changes.push_back(parse_change(one.of + "." + one.prop + "=" + one.value));
    comment += "     " + xml_commented(one.of + " " + one.prop + " " + one.value + ": " + one.source) + "\n";
  }
  std::string text = moved_scenario(file, changes, folder);
  const std::size_t root = text.find("<platform");
  check(root != std::string::npos, "a scenario is a platform");
  text.insert(root, comment + "-->\n");
  return text;
}

/// The file that --out names. @throws ConfigError where that cannot be
fs::path out_of(const Arguments& arguments, const fs::path& scenario) {
  if (!arguments.given("out")) throw ConfigError("no --out; write --out FILE.xml, where the new scenario goes");
  const fs::path out = fs::absolute(arguments.text("out"));
  std::error_code error;
  if (fs::equivalent(out, scenario, error)) {
    throw ConfigError("--out " + arguments.text("out") + ": that is the scenario itself; name another file");
  }
  return out;
}

}  // namespace

ProgramInfo calibrate_info() {
  return {.name = "dipaco-sim calibrate",
          .purpose = "Makes a scenario whose workers and lines are as fast as in real runs.",
          .usage = "SCENARIO.xml [options]",
          .example = "dipaco-sim calibrate measured.xml --from out/run --out calibrated.xml",
          .options = {{.name = "from",
                       .value = "DIR",
                       .help = "a real run's folder, of the scenario's processes",
                       .repeatable = true},
                      {.name = "step-times", .value = "FILE.csv", .help = "instead: host,step_time a row"},
                      {.name = "out", .value = "FILE.xml", .help = "where the scenario goes"}},
          .words = 1,
          .libraries = core_libraries()};
}

ExitStatus run_calibrate(const Arguments& arguments, const StopSignal& /*stop*/) {
  const std::vector<std::string> from = arguments.all("from");
  if (from.empty() != arguments.given("step-times")) {
    throw ConfigError("write either --from DIR, with a real run's folder, or --step-times FILE.csv");
  }
  if (arguments.words().empty()) throw ConfigError("no scenario; name one, such as preflight --scenario-out wrote");
  const ScenarioWords words{.scenario = arguments.words().front(), .cfg = {}, .without = {}, .changes = {}};
  const fs::path out = out_of(arguments, words.scenario);
  rehearse(words.scenario, [&] { load_scenario(words); });
  const LoadedScenario loaded = load_scenario(words);
  const std::vector<Calibration> all = arguments.given("step-times")
                                           ? from_table(loaded.placement, arguments.text("step-times"))
                                           : FromRuns(loaded, from).all();
  write_file(out, calibrated(loaded.file, all, out.parent_path()));
  for (const Calibration& one : all) {
    std::cout << one.of << " " << one.prop << " " << one.value << ": " << one.source << "\n";
  }
  return ExitStatus::done;
}

}  // namespace dipaco
