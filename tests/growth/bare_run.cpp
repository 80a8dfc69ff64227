#include "tests/growth/bare_run.hpp"

#include <sstream>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Both programs allocate alike, so that what differs is ours.
const std::vector<std::string> kAllocator{"/usr/bin/env", "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1"};

Ended run_program(const char* name, const SiteRun& run, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = kAllocator;
  words.insert(words.end(), run.under.begin(), run.under.end());
  words.push_back(std::string(DIPACO_BINARY_DIR "/bin/") + name);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_counted(words);
}

/// Bytes of one message.
std::string each(const nlohmann::json& summary, const std::string& kind) {
  return std::to_string(summary.at("bytes_" + kind).get<std::uint64_t>() /
                        summary.at("messages_" + kind).get<std::uint64_t>());
}

}  // namespace

SimulatedRun run_simulated(const SiteRun& run, const RunSize& size, const std::vector<std::string>& set) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  std::vector<std::string> arguments{run.scenario,
                                     "--learn",
                                     "off",
                                     "--progress",
                                     "off",
                                     "--out",
                                     out,
                                     "--set",
                                     "topology.levels=" + size.experts,
                                     "--set",
                                     "outer.steps=" + std::to_string(size.outer_steps)};
  for (const std::string& key : set) arguments.insert(arguments.end(), {"--set", key});
  Ended ended = run_program("dipaco-sim", run, arguments);
  return {std::move(ended), nlohmann::json::parse(read_text(out + "/summary.json"))};
}

BareRun run_bare(const SiteRun& run, const RunSize& size, const nlohmann::json& summary) {
  std::string sites;
  for (const std::string& site : run.sites) sites += (sites.empty() ? "" : ",") + site;
  const double task_s = summary.at("worker_compute_s").get<double>() / summary.at("tasks_completed").get<double>();
  const Ended ended = run_program(
      "bare_rounds_jemalloc", run,
      {run.scenario, "rounds=" + std::to_string(size.outer_steps), "experts=" + size.experts, "sites=" + sites,
       "workers=" + std::to_string(run.workers), "executors=" + std::to_string(run.executors),
       "executor=" + std::to_string(run.executor), "store=" + std::to_string(run.store),
       "flops=" + format_number(task_s * run.speed), "module_bytes=" + each(summary, "outer_gradient"),
       "state_bytes=" + each(summary, "put_path_state"), "task_bytes=" + each(summary, "task"),
       "stored_bytes=" + each(summary, "stored"), "committed_bytes=" + each(summary, "committed"),
       "done_bytes=" + each(summary, "task_done"), "ready_bytes=" + each(summary, "module_ready")});
  BareRun result{.ended = ended};
  std::istringstream lines(ended.output);
  std::string name;
  lines >> name >> result.messages >> name >> result.simulated_s;
  return result;
}

}  // namespace dipaco::testing
