#include "core/nn/torch_trainer.hpp"

#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/nn/adamw.hpp"
#include "core/nn/functions.hpp"
#include "core/nn/gradient.hpp"
#include "core/nn/head.hpp"
#include "core/nn/process.hpp"
#include "core/trainer/schedule.hpp"

namespace dipaco {
namespace {

bool is_bf16(const std::string& precision) {
  if (precision == "fp32") return false;
  if (precision == "bf16") return true;
  throw ConfigError("[inner] precision=" + precision + " is unknown; write fp32 or bf16");
}

void check_finite(bool finite, InnerSteps step, const std::string& what) {
  if (finite) return;
  throw DataError("inner step " + std::to_string(step.value) + ": " + what +
                  " is not finite: the training has diverged; lower [inner] learning_rate, or clip");
}

}  // namespace

TorchTrainer::TorchTrainer(const TrainerOptions& options)
    : options_(options),
      transformer_{.model = options.model, .bf16 = is_bf16(options.inner.precision)},
      table_(options.model.sequence, options.model.head_size, options.model.rope_base) {}

std::string TorchTrainer::description() const { return "LibTorch " TORCH_VERSION " cpu " + at::get_cpu_capability(); }

InnerReport TorchTrainer::inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                      const std::atomic<bool>& stop) const {
  use_one_thread();
  const std::size_t n = options_.layout.size;
  check(state.parameters.size() == n && state.first_moment.size() == n && state.second_moment.size() == n,
        "a state's vectors have the layout's size");
  const at::Tensor parameters = to_tensor(state.parameters);
  AdamW adamw(options_.inner, state);
  Gradient gradient({transformer_, plan.micro_batches, plan.threads}, parameters, options_.layout);
  InnerReport report;
  InnerSteps step = state.step;
  while (report.done < plan.count && !stop) {
    const Batch batch = batches(step);
    check(batch.length <= options_.model.sequence, "rows of training are no longer than model.sequence");
    const double loss = gradient.compute(batch, table_);
    check_finite(std::isfinite(loss), step, "the loss");
    const double rate = learning_rate_at(options_.inner, step, plan.total);
    check_finite(adamw.step(parameters, gradient.value(), step, rate), step, "the gradient");
    report.loss_sum += loss;
    report.last_loss = loss;
    report.losses.push_back(loss);
    report.trained += Tokens{loss_positions(batch)};
    report.done += InnerSteps{1};
    step += InnerSteps{1};
  }
  state = {to_vector(parameters), to_vector(adamw.first_moment()), to_vector(adamw.second_moment()), step};
  return report;
}

BatchTensors TorchTrainer::to_tensors(const Batch& batch) const {
  if (batch.length <= options_.model.sequence) return {batch, table_};
  const ModelOptions& model = options_.model;
  return {batch, RotaryTable(batch.length, model.head_size, model.rope_base)};
}

std::vector<float> TorchTrainer::features(std::span<const float> parameters, const Batch& batch,
                                          std::int64_t prefix) const {
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const PathTensors path(to_tensor(parameters), options_.layout, options_.model);
  const BatchTensors tensors = to_tensors(batch);
  const at::Tensor states = run_blocks(transformer_, path, tensors, embed(path, tensors));
  std::vector<at::Tensor> means;
  for (const Segment& segment : segments_of(batch)) {
    const std::int64_t count = std::min(prefix, segment.end - segment.begin);
    means.push_back(states.narrow(0, segment.row * batch.length + segment.begin, count).mean(0));
  }
  return means.empty() ? std::vector<float>{} : to_vector(at::cat(means));
}

std::vector<SegmentScore> TorchTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const PathTensors path(to_tensor(parameters), options_.layout, options_.model);
  const BatchTensors tensors = to_tensors(batch);
  const at::Tensor states = run_blocks(transformer_, path, tensors, embed(path, tensors));
  const std::vector<double> nats = negative_log_likelihood(
      {head_input(transformer_, path, tensors, states), path.embedding, tensors.loss_targets, transformer_.bf16});
  std::vector<SegmentScore> result;
  auto next = nats.begin();  // positions in the loss come in the order of rows and segments
  for (const Segment& segment : segments_of(batch)) {
    SegmentScore score{.row = segment.row, .segment = segment.number};
    for (std::int64_t t = segment.begin; t < segment.end; ++t) {
      if (batch.targets[static_cast<std::size_t>(segment.row * batch.length + t)] < 0) continue;
      score.nats += *next++;
      ++score.tokens;
    }
    result.push_back(score);
  }
  check(next == nats.end(), "every position in the loss lies in a segment");
  return result;
}

std::vector<float> TorchTrainer::product(std::span<const float> a, std::span<const float> b, std::int64_t n,
                                         std::int64_t k, std::int64_t d) const {
  use_one_thread();
  const at::NoGradGuard no_gradients;
  check(std::ssize(a) == n * d && std::ssize(b) == k * d, "a is [n, d] and b [k, d]");
  return to_vector(at::mm(to_tensor(a).view({n, d}), to_tensor(b).view({k, d}).t()));
}

}  // namespace dipaco
