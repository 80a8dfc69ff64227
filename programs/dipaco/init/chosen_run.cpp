#include "programs/dipaco/init/chosen_run.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"

namespace dipaco {
namespace {

/// A path's model: heads of 32, and 64 from a width of 512 on. The peak rate falls with the width, from the demo's to
/// the paper's.
struct Shape {
  std::int64_t blocks;
  std::int64_t hidden;
  double learning_rate;
};
constexpr std::array<Shape, 9> kShapes{{{2, 64, 2e-3},
                                        {4, 96, 2e-3},
                                        {4, 128, 1.5e-3},
                                        {6, 192, 1e-3},
                                        {8, 256, 8e-4},
                                        {8, 384, 6e-4},
                                        {12, 512, 4e-4},
                                        {12, 768, 4e-4},
                                        {12, 896, 4e-4}}};

/// A parameter learns from 20 tokens (Hoffmann et al. 2022), and each token is worth reading four times (Muennighoff
/// et al. 2023).
constexpr std::int64_t kTokensPerParameter = 20;
constexpr std::int64_t kReadings = 4;
constexpr double kPasses = kReadings - 1;  // the first reading is pretraining's
constexpr std::int64_t kStepsAPass = 1000;
constexpr std::int64_t kRowsAStep = 16;
constexpr std::int64_t kShortestRow = 64;
constexpr std::int64_t kLongestRow = 1024;
constexpr std::int64_t kExchanges = 30;
constexpr std::int64_t kFewOuterSteps = 100;
constexpr std::int64_t kDocumentsAPath = kLeastDocuments / 4;

std::int64_t power_of_two_below(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 1))));
}

/// Paths: as many as domains, or as the text has millions of tokens; 4, 8 or 16.
std::int64_t path_count(const TextFacts& text) {
  const auto wanted = text.domains.size() > 1 ? std::ssize(text.domains) : text.tokens / 1'000'000;
  std::int64_t paths = 4;
  while (paths < 16 && paths < wanted && 2 * paths * kDocumentsAPath <= text.documents) paths *= 2;
  return paths;
}

void choose_rows(const TextFacts& text, ChosenRun& chosen) {
  RunConfig& config = chosen.config;
  const std::int64_t step_tokens = power_of_two_below(text.tokens / kStepsAPass);
  const std::int64_t by_text = power_of_two_below(text.median_tokens);
  const std::int64_t asked = std::min(by_text, step_tokens / kRowsAStep);
  config.model.sequence = std::clamp(asked, kShortestRow, kLongestRow);
  chosen.least_row = asked < kShortestRow;
  config.routing.prefix = std::clamp<std::int64_t>(std::min(by_text, config.model.sequence) / 4, 4, 32);
  config.inner.batch = std::clamp<std::int64_t>(step_tokens / config.model.sequence, 4, 512);
}

void choose_shape(const Shape& shape, RunConfig& config) {
  config.model.blocks = shape.blocks;
  config.model.hidden = shape.hidden;
  config.model.head_size = shape.hidden < 512 ? 32 : 64;
  config.model.heads = shape.hidden / config.model.head_size;
  config.inner.learning_rate = shape.learning_rate;
}

std::int64_t parameters_of(const RunConfig& config) {
  return static_cast<std::int64_t>(
      make_layout(config.model, make_topology(config.topology, config.model, config.folder)).size);
}

/// Steps for `share` of the usual passes.
void choose_steps(const TextFacts& text, std::int64_t paths, double share, ChosenRun& chosen) {
  RunConfig& config = chosen.config;
  const auto step_tokens = static_cast<double>(config.inner.batch * config.model.sequence);
  const double pass = static_cast<double>(text.tokens) / step_tokens;
  const auto path_pass = pass / static_cast<double>(paths);
  const auto steps = std::max<std::int64_t>(std::llround(share * kPasses * path_pass), 6);
  config.pretrain.steps = std::max<std::int64_t>(std::llround(share * pass), 10);
  config.inner.steps = std::clamp<std::int64_t>(steps / kExchanges, 1, 150);
  config.outer.steps = std::max<std::int64_t>(steps / config.inner.steps, 3);
  config.inner.warmup = std::clamp<std::int64_t>(config.pretrain.steps / 10, 1, 1000);
  const bool few = config.outer.steps < kFewOuterSteps;
  config.outer.learning_rate = few ? 0.9 : 0.7;
  config.outer.momentum = few ? 0.3 : 0.9;
  chosen.passes = static_cast<double>(config.outer.steps * config.inner.steps) / path_pass;
  chosen.dense_passes = static_cast<double>(config.pretrain.steps) / pass;
}

Seconds training_time(const RunConfig& config, std::int64_t paths, std::int64_t cores, FlopsPerSecond speed) {
  const double step = inner_step_flops(config.model, config.inner.batch * config.model.sequence) / speed.value;
  const auto path_steps = static_cast<double>(config.outer.steps * config.inner.steps);
  const double dense = static_cast<double>(config.pretrain.steps) + path_steps;
  const auto side_by_side = static_cast<double>(std::min(cores, config.pretrain.micro_batches));
  const auto in_turn = static_cast<double>((paths + cores - 1) / cores);  // tasks of a core between two exchanges
  return Seconds(step * (dense / side_by_side + path_steps * in_turn));
}

/// Half of the machine's memory is for the paths that are trained at a time; where whole batches take more, rows go
/// through them a few at a time. False where even a single row takes more.
bool fit_memory(const TrainingMachine& machine, const Trial& trial, std::int64_t at_a_time, ChosenRun& chosen) {
  RunConfig& config = chosen.config;
  const double row =
      static_cast<double>(trial.memory.value) * static_cast<double>(at_a_time) / static_cast<double>(trial.rows);
  const auto rows = static_cast<std::int64_t>(static_cast<double>(machine.memory.value) / 2 / std::max(row, 1.0));
  config.inner.micro_batch = rows < config.inner.batch ? power_of_two_below(rows) : 0;
  chosen.memory = {static_cast<std::uint64_t>(row * static_cast<double>(rows_at_a_time(config.inner)))};
  return rows > 0;
}

/// The largest shape that the text is enough for, and that is measured to be quick and small enough; else the smallest.
/// REQUIRES that this is chosen. @returns a core's speed with it, while all that are needed train
FlopsPerSecond choose_size(const TrainingMachine& machine, std::int64_t paths, const StepMeasures& measures,
                           ChosenRun& chosen) {
  RunConfig& config = chosen.config;
  const std::int64_t at_a_time = std::min(machine.cores, paths);
  const auto in_time = [&](FlopsPerSecond speed) {
    return training_time(config, paths, machine.cores, speed) <= machine.allowed;
  };
  const Trial smallest = measures.alone(config);
  for (auto shape = kShapes.rbegin(); std::next(shape) != kShapes.rend(); ++shape) {
    choose_shape(*shape, config);
    config.inner.micro_batch = 0;
    if (parameters_of(config) > chosen.most_parameters || !in_time(smallest.speed)) continue;
    if (!fit_memory(machine, measures.alone(config), at_a_time, chosen)) continue;
    const FlopsPerSecond speed = measures.side_by_side(config, at_a_time);
    if (in_time(speed)) return speed;
  }
  choose_shape(kShapes.front(), config);
  fit_memory(machine, smallest, at_a_time, chosen);
  return measures.side_by_side(config, at_a_time);
}

}  // namespace

ChosenRun choose_run(const TextFacts& text, const TrainingMachine& machine, const StepMeasures& measures) {
  if (text.documents < kLeastDocuments) {
    throw DataError("the text has " + std::to_string(text.documents) + " documents, and four paths share at least " +
                    std::to_string(kLeastDocuments) + "; name more text, or write its parts as documents of their own");
  }
  const std::int64_t paths = path_count(text);
  ChosenRun chosen;
  RunConfig& config = chosen.config;
  config.topology.levels = paths == 4 ? "2x2" : paths == 8 ? "2x4" : "4x4";
  config.model.vocabulary = text.vocabulary;
  config.data.validation_fraction = std::clamp(20.0 / static_cast<double>(text.documents), 0.05, 0.2);
  choose_rows(text, chosen);
  config.pretrain.micro_batches = std::min(machine.cores, config.inner.batch);
  chosen.most_parameters = kReadings * text.tokens / kTokensPerParameter;
  choose_shape(kShapes.front(), config);
  choose_steps(text, paths, 1, chosen);
  const FlopsPerSecond speed = choose_size(machine, paths, measures, chosen);
  const Seconds whole = training_time(config, paths, machine.cores, speed);
  if (whole > machine.allowed) choose_steps(text, paths, machine.allowed / whole, chosen);
  chosen.parameters = parameters_of(config);
  chosen.training = training_time(config, paths, machine.cores, speed);
  return chosen;
}

}  // namespace dipaco
