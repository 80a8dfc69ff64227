#include "programs/dipaco/init/trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/data/piece.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostRows = 8;
constexpr Seconds kLong{0.5};

/// Rows of drawn tokens, each a document of its own.
Batch made_up_batch(const RunConfig& config, std::int64_t rows) {
  Batch batch = empty_batch(rows, config.model.sequence);
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i) % config.model.sequence;
    const auto token = draw_below(static_cast<std::uint64_t>(config.model.vocabulary), 1, Draw::jitter, i, 0);
    batch.tokens[i] = static_cast<std::int32_t>(token);
    batch.targets[i] = batch.tokens[i];
    batch.segments[i] = 0;
    batch.positions[i] = static_cast<std::int32_t>(position);
  }
  return batch;
}

/// A line of /proc/self/status: VmRSS, what the program has in memory now, or VmHWM, the most since restart_peak().
Bytes memory_line(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    check(digits != std::string::npos, "a line about memory has a number");
    return {1024 * static_cast<std::uint64_t>(std::stoll(line.substr(digits)))};
  }
  check(false, "Linux says how much memory a program has");
  return {};
}

void restart_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

Trial Trials::measure(const RunConfig& config) {
  const PathLayout layout = make_layout(config.model, make_topology(config.topology, config.model, config.folder));
  const auto trainer = load_trainer({.model = config.model, .inner = config.inner, .layout = layout});
  if (!before_) before_ = memory_line("VmRSS:");
  restart_peak();
  const std::int64_t rows = std::min(config.inner.batch, kMostRows);
  const Batch batch = made_up_batch(config, rows);
  TrainState state{.parameters = initial_parameters(layout, config.model, config.run.seed),
                   .first_moment = std::vector<float>(layout.size),
                   .second_moment = std::vector<float>(layout.size),
                   .step = {}};
  const std::atomic<bool> stop{false};
  const InnerPlan plan{.count = InnerSteps{1}, .total = InnerSteps{1'000'000}};
  const auto step = [&] {
    trainer->inner_steps(
        state, [&](InnerSteps) { return batch; }, plan, stop);
  };
  step();  // the first one also makes room
  const auto begin = std::chrono::steady_clock::now();
  Seconds lasted{};
  std::int64_t steps = 0;
  while (lasted < kLong) {
    step();
    ++steps;
    lasted = std::chrono::steady_clock::now() - begin;
  }
  const double flops = inner_step_flops(config.model, rows * config.model.sequence) * static_cast<double>(steps);
  const Bytes peak = memory_line("VmHWM:");
  return {.speed = {flops / lasted.count()}, .memory = {peak.value - std::min(peak, *before_).value}, .rows = rows};
}

}  // namespace dipaco
