// What safety costs a real run: the wall time of one whose nodes keep path states, modules and journal on disk, over that
// of the same run kept in memory, run in turn; and what encoding takes, which both do. All roles on loopback at the sizes
// of scenarios/runs/wan_4dc.cfg, with the LibTorch trainer, two workers. Exit status 1 above the bound.
//
// bench_checkpoint [FOLDER]     where the nodes' files go for the time of the run: a disk, not memory [.]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

#include "core/checkpoint/checkpoint.hpp"
#include "backends/loopback/run.hpp"
#include "core/trainer/trainer.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

constexpr double kBound = 0.03;
constexpr std::int64_t kOuterSteps = 3;
constexpr int kPairs = 5;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Wall seconds of a run. @param state  of its nodes; empty: in memory
double seconds_of(const RunPlan& plan, const std::filesystem::path& state) {
  const double start = now();
  static_cast<void>(run_loopback(plan, {.workers = 2, .state = state}));
  const double wall = now() - start;
  if (!state.empty()) std::filesystem::remove_all(state);
  return wall;
}

/// Seconds in which a state of `floats` parameters and its moments is encoded and hashed.
double seconds_to_encode(std::size_t floats) {
  Checkpoint state;
  for (const char* name : {"parameters", "first_moment", "second_moment"}) {
    state.arrays[name] = std::vector<float>(floats, 0.5F);
  }
  const double start = now();
  static_cast<void>(encode(state));
  return now() - start;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const std::filesystem::path& disk) {
  MadeUpRun made("2x4", "blocks:0,3;embedding");
  made.config.model = {.blocks = 4, .hidden = 96, .heads = 3, .head_size = 32, .vocabulary = 2048, .sequence = 128};
  made.config.inner.steps = 12;
  made.config.inner.batch = 16;
  made.config.outer.steps = kOuterSteps;
  const Topology topology = make_topology(made.config.topology, made.config.model, made.folder());
  const PathLayout layout = make_layout(made.config.model, topology);
  made.trainer = load_trainer({made.config.model, made.config.inner, layout});
  const RunPlan plan = made.plan();
  std::vector<double> in_memory;
  std::vector<double> more;
  for (int pair = 0; pair < kPairs; ++pair) {
    in_memory.push_back(seconds_of(plan, {}));
    more.push_back(seconds_of(plan, disk / made.folder().filename()) / in_memory.back() - 1);
    std::printf("in memory %.2f s, on disk %+.2f %%\n", in_memory.back(), 100 * more.back());
  }
  const auto states = static_cast<double>(topology.paths() * kOuterSteps);
  const double encoding = states * seconds_to_encode(layout.size) / median(in_memory);
  const double share = median(more) + encoding;
  std::printf("%d paths of %zu floats, %lld outer steps of %lld inner steps\n", static_cast<int>(topology.paths()),
              layout.size, static_cast<long long>(kOuterSteps), static_cast<long long>(made.config.inner.steps));
  std::printf("checkpointing: %.2f %% of the run's wall time, %.2f %% of it encoding (bound %.0f %%)\n", 100 * share,
              100 * encoding, 100 * kBound);
  return share <= kBound ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    return dipaco::run(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_checkpoint: %s\n", error.what());
    return 2;
  }
}
