#include "core/nn/torch_trainer.hpp"

#include <torch/version.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/nn/functions.hpp"
#include "core/nn/head.hpp"
#include "core/nn/process.hpp"
#include "core/nn/staging.hpp"
#include "core/nn/training.hpp"
#include "core/trainer/segments.hpp"
#include "core/trainer/transformer_router.hpp"

namespace dipaco {
namespace {

bool is_bf16(const std::string& precision) {
  if (precision == "fp32") return false;
  if (precision == "bf16") return true;
  throw ConfigError("[inner] precision=" + precision + " is unknown; write fp32 or bf16");
}

void check_paths(const RouterBatch& batch, std::int32_t path_count) {
  check(std::ssize(batch.paths) == batch.batch.rows * batch.batch.length, "a router batch's paths are [rows, length]");
  const auto too_high = [&](std::int32_t path) { return path >= path_count; };
  check(std::none_of(batch.paths.begin(), batch.paths.end(), too_high), "a router's targets are paths of its own");
}

/// Throws it on; where LibTorch found no memory, as all others do, and where a GPU has none, with its figures.
[[noreturn]] void throw_on(const c10::Error& error) {
  const std::string_view what = error.what_without_backtrace();
  if (what.find("DefaultCPUAllocator") != std::string_view::npos) throw std::bad_alloc();
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) == nullptr) throw;
  // "Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 3.38 GiB is free", and more.
  constexpr std::string_view kLast = " is free";
  const std::size_t end = std::min(what.find(kLast), what.size() - std::min(what.size(), kLast.size()));
  throw ConfigError("the GPU's memory does not hold a step: " + std::string(what.substr(0, end + kLast.size())) +
                    "; write a smaller [inner] micro_batch, or recompute=on");
}

}  // namespace

TorchTrainer::TorchTrainer(const TrainerOptions& options)
    : options_(options),
      places_(open_places(options)),
      transformer_{.model = options.model, .bf16 = is_bf16(options.inner.precision), .place = places_.front()},
      table_(options.model.sequence, options.model.head_size, options.model.rope_base, transformer_.place) {}

Training TorchTrainer::training() const {
  return {.transformer = transformer_,
          .predicts = Predicts::tokens,
          .options = options_.inner,
          .layout = options_.layout,
          .table = table_,
          .others = std::span(places_).subspan(1)};
}

std::string TorchTrainer::description() const { return "LibTorch " TORCH_VERSION " " + describe(transformer_.place); }

InnerReport TorchTrainer::inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                      const std::atomic<bool>& stop) const try {
  check(state.parameters.size() == options_.layout.size, "a state's vectors have the layout's size");
  return adamw_steps(training(), state, batches, plan, stop);
} catch (const c10::Error& error) {
  throw_on(error);
}

BatchGradient TorchTrainer::gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const try {
  check(parameters.size() == options_.layout.size, "parameters have the layout's size");
  return clipped_gradient(training(), parameters, batch, step);
} catch (const c10::Error& error) {
  throw_on(error);
}

InnerReport TorchTrainer::router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                                       const std::atomic<bool>& stop) const try {
  check_router_size(state.parameters.size(), plan.path_count);
  InnerOptions options = options_.inner;
  options.warmup = 0;
  const BatchSource targets_are_paths = [&](InnerSteps step) {
    RouterBatch batch = batches(step);
    check_paths(batch, plan.path_count);
    batch.batch.targets = std::move(batch.paths);
    return std::move(batch.batch);
  };
  return adamw_steps({transformer_, Predicts::paths, options, options_.layout, table_}, state, targets_are_paths,
                     plan.steps, stop);
} catch (const c10::Error& error) {
  throw_on(error);
}

void TorchTrainer::check_router_size(std::size_t size, std::int32_t path_count) const {
  check(size == router_size(options_.layout.size, options_.model.hidden, path_count),
        "a router's vectors have the size of an LM and a head for its paths");
}

BatchTensors TorchTrainer::to_tensors(const Batch& batch) const {
  const ModelOptions& model = options_.model;
  const Place& place = transformer_.place;
  if (batch.length <= model.sequence) return {batch, table_, place, masked_length(model)};
  return {batch, RotaryTable(batch.length, model.head_size, model.rope_base, place), place, masked_length(model)};
}

std::vector<float> TorchTrainer::features(std::span<const float> parameters, const Batch& batch,
                                          std::int64_t prefix) const try {
  check(parameters.size() == options_.layout.size, "parameters have the layout's size");
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const at::DeviceGuard guard(transformer_.place.device);
  const PathTensors path(to_tensor(parameters, transformer_.place), options_.layout, options_.model);
  const BatchTensors tensors = to_tensors(batch);
  const at::Tensor states = run_blocks(transformer_, path.blocks, tensors, embed(path, tensors));
  std::vector<at::Tensor> means;
  for (const Segment& segment : segments_of(batch)) {
    const std::int64_t count = std::min(prefix, segment.end - segment.begin);
    means.push_back(states.narrow(0, segment.row * batch.length + segment.begin, count).mean(0));
  }
  return means.empty() ? std::vector<float>{} : to_vector(at::cat(means));
} catch (const c10::Error& error) {
  throw_on(error);
}

std::vector<float> TorchTrainer::token_scores(std::span<const float> parameters, const Batch& batch) const try {
  check(parameters.size() == options_.layout.size, "parameters have the layout's size");
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const at::DeviceGuard guard(transformer_.place.device);
  const PathTensors path(to_tensor(parameters, transformer_.place), options_.layout, options_.model);
  const BatchTensors tensors = to_tensors(batch);
  const at::Tensor states = run_blocks(transformer_, path.blocks, tensors, embed(path, tensors));
  const at::Tensor hidden = head_input(transformer_, path, states, tensors.loss_positions);
  const std::vector<float> nats =
      negative_log_likelihood({hidden, {path.embedding, {}}, tensors.loss_targets, transformer_.bf16});
  std::vector<float> result(batch.targets.size());
  auto next = nats.begin();
  for (std::size_t t = 0; t < result.size(); ++t) {
    if (batch.targets[t] >= 0) result[t] = *next++;
  }
  return result;
} catch (const c10::Error& error) {
  throw_on(error);
}

std::vector<SegmentScore> TorchTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  return scores_of(batch, token_scores(parameters, batch));
}

std::vector<float> TorchTrainer::router_logits(std::span<const float> router, std::int32_t path_count,
                                               const Batch& batch, std::span<const std::int64_t> positions) const try {
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const at::DeviceGuard guard(transformer_.place.device);
  check_router_size(router.size(), path_count);
  const auto inside = [&](std::int64_t at) { return at >= 0 && at < batch.rows * batch.length; };
  check(std::all_of(positions.begin(), positions.end(), inside), "positions are in [0, rows * length)");
  if (positions.empty()) return {};
  const at::Tensor flat = to_tensor(router, transformer_.place);
  const PathTensors path(flat, options_.layout, options_.model);
  const BatchTensors tensors = to_tensors(batch);
  const at::Tensor states = run_blocks(transformer_, path.blocks, tensors, embed(path, tensors));
  const at::Tensor hidden = head_input(transformer_, path, states, int64_tensor(positions, transformer_.place));
  return to_vector(logits_of(hidden, router_head(flat, options_.layout, options_.model), transformer_.bf16));
} catch (const c10::Error& error) {
  throw_on(error);
}

std::vector<float> TorchTrainer::product(std::span<const float> a, std::span<const float> b,
                                         const ProductShape& shape) const try {
  use_one_thread();
  const at::NoGradGuard no_gradients;
  const at::DeviceGuard guard(transformer_.place.device);
  const auto [n, k, d, transposed] = shape;
  const at::Tensor left = to_tensor(a, transformer_.place), right = to_tensor(b, transformer_.place);
  check(std::ssize(a) == n * d && std::ssize(b) == k * d, "a and b have n and k rows, or columns, of d numbers");
  if (transposed) return to_vector(at::mm(left.view({d, n}).t(), right.view({d, k})));
  return to_vector(at::mm(left.view({n, d}), right.view({k, d}).t()));
} catch (const c10::Error& error) {
  throw_on(error);
}

}  // namespace dipaco
