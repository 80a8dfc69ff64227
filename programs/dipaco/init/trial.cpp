#include "programs/dipaco/init/trial.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <string>
#include <string_view>
#include <vector>

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

/// Steps of one path, one after another.
class TrialPath {
 public:
  TrialPath(const RunConfig& config, const PathLayout& layout, const Trainer& trainer, std::int64_t rows)
      : trainer_(trainer),
        batch_(made_up_batch(config, rows)),
        state_{.parameters = initial_parameters(layout, config.model, config.run.seed),
               .first_moment = std::vector<float>(layout.size),
               .second_moment = std::vector<float>(layout.size),
               .step = {}} {}

  /// One, and then as many as begin within half a second. @returns what each of these took
  Seconds time_a_step() {
    step();  // the first one also makes room
    const auto begin = std::chrono::steady_clock::now();
    Seconds lasted{};
    std::int64_t steps = 0;
    while (lasted < kLong) {
      step();
      ++steps;
      lasted = std::chrono::steady_clock::now() - begin;
    }
    return lasted / static_cast<double>(steps);
  }

 private:
  void step() {
    const std::atomic<bool> stop{false};
    const InnerPlan plan{.count = InnerSteps{1}, .total = InnerSteps{1'000'000}};
    trainer_.inner_steps(
        state_, [&](InnerSteps) { return batch_; }, plan, stop);
  }

  const Trainer& trainer_;
  Batch batch_;
  TrainState state_;
};

PathLayout layout_of(const RunConfig& config) {
  return make_layout(config.model, make_topology(config.topology, config.model, config.folder));
}

FlopsPerSecond speed_of(const RunConfig& config, std::int64_t rows, Seconds step) {
  return {inner_step_flops(config.model, rows * config.model.sequence) / step.count()};
}

void restart_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

Trial Trials::measure(const RunConfig& config) {
  const PathLayout layout = layout_of(config);
  const auto trainer = load_trainer({.model = config.model, .inner = config.inner, .layout = layout});
  if (!before_) before_ = memory_line("VmRSS:");
  restart_peak();
  const std::int64_t rows = std::min(config.inner.batch, kMostRows);
  TrialPath path(config, layout, *trainer, rows);
  const FlopsPerSecond speed = speed_of(config, rows, path.time_a_step());
  const Bytes peak = memory_line("VmHWM:");
  return {.speed = speed, .memory = {peak.value - std::min(peak, *before_).value}, .rows = rows};
}

FlopsPerSecond Trials::side_by_side(const RunConfig& config, std::int64_t cores) const {
  const PathLayout layout = layout_of(config);
  const auto trainer = load_trainer({.model = config.model, .inner = config.inner, .layout = layout});
  const std::int64_t rows = std::min(rows_at_a_time(config.inner), kMostRows);
  std::vector<std::future<Seconds>> steps;
  for (std::int64_t k = 0; k < cores; ++k) {
    steps.push_back(
        std::async(std::launch::async, [&] { return TrialPath(config, layout, *trainer, rows).time_a_step(); }));
  }
  Seconds sum{};
  for (auto& step : steps) sum += step.get();
  return speed_of(config, rows, sum / static_cast<double>(cores));
}

}  // namespace dipaco
