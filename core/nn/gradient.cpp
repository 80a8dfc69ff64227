#include "core/nn/gradient.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "core/base/error.hpp"
#include "core/nn/block_chain.hpp"
#include "core/nn/process.hpp"

namespace dipaco {
namespace {

Head head_of(const Gradient::Options& options, const PathLayout& layout, const at::Tensor& flat,
             const PathTensors& path) {
  if (options.predicts == Predicts::paths) return router_head(flat, layout, options.transformer.model);
  return {path.embedding, {}};
}

/// To another device.
void copy_without_waiting(const at::Tensor& to, const at::Tensor& from) {
  const at::NoGradGuard no_gradients;
  to.copy_(from, /*non_blocking=*/true);
}

/// The k-th of `parts` runs of rows, as even as they come.
Batch part_of(const Batch& batch, std::int64_t k, std::int64_t parts) {
  const std::int64_t begin = k * batch.rows / parts, end = (k + 1) * batch.rows / parts;
  return rows_of(batch, begin, end - begin);
}

}  // namespace

Gradient::Gradient(const Options& options, const at::Tensor& parameters, const PathLayout& layout,
                   const RotaryTable& table)
    : options_(options), parameters_(parameters), value_(at::zeros_like(parameters)) {
  check(options.micro_batches > 0 && options.threads > 0 && options.ranks > 0,
        "micro-batches, threads and ranks are 1 at least");
  const bool cpu = options.transformer.place.device.is_cpu(), ranked = options.ranks > 1;
  // One micro-batch needs no sum. A GPU is busy with one, and adds to the sum itself.
  const bool one = !ranked && (!cpu || (options.micro_batches == 1 && options.rows == 0));
  const std::int64_t devices = cpu ? options.threads : ranked ? std::ssize(options.others) + 1 : 1;
  const std::int64_t count = std::min(ranked ? options.ranks : options.micro_batches, devices);
  for (std::int64_t r = 0; r < count; ++r) add_replica(layout, table, static_cast<std::size_t>(r), one);
}

void Gradient::add_replica(const PathLayout& layout, const RotaryTable& table, std::size_t number, bool adds_to_value) {
  const ModelOptions& model = options_.transformer.model;
  TransformerOptions transformer = options_.transformer;
  if (number > 0 && !transformer.place.device.is_cpu()) transformer.place = options_.others[number - 1];
  const bool away = transformer.place.device != options_.transformer.place.device;
  const at::Tensor parameters = away ? at::empty(parameters_.sizes(), transformer.place.floats()) : parameters_;
  const at::Tensor value = adds_to_value ? value_ : at::zeros_like(parameters);
  const RotaryTable own =
      away ? RotaryTable(model.sequence, model.head_size, model.rope_base, transformer.place) : table;
  const PathTensors path(parameters, layout, model), gradients(value, layout, model);
  const Head head = head_of(options_, layout, parameters, path), sums = head_of(options_, layout, value, gradients);
  replicas_.push_back({std::move(transformer), own, parameters, path, gradients, head, sums, value});
  collect_gradients(replicas_.back().path, replicas_.back().gradients);
}

std::int64_t Gradient::parts_of(const Batch& batch) const {
  const std::int64_t fewest = options_.rows > 0 ? (batch.rows + options_.rows - 1) / options_.rows : 1;
  return std::max(options_.micro_batches, fewest);
}

at::Tensor Gradient::add_rows(Replica& replica, const Batch& rows, double scale) const {
  if (loss_positions(rows) == 0) return at::zeros({}, replica.value.options().dtype(at::kDouble));
  const TransformerOptions& transformer = replica.transformer;
  const BatchTensors batch(rows, replica.table, transformer.place, masked_length(transformer.model));
  BlockChain blocks(transformer, replica.path, batch, options_.recompute);
  const at::Tensor last_block = blocks.forward(embed(replica.path, batch));
  const at::Tensor hidden = head_input(transformer, replica.path, last_block, batch.loss_positions);
  // The head's loss and gradient come from one pass over the logits; autograd goes on from what the head read.
  const HeadGradients head{at::empty_like(hidden), replica.head_gradients, scale};
  const FusedKernels* const fused = options_.predicts == Predicts::tokens ? transformer.place.fused.get() : nullptr;
  const at::Tensor nats = head_loss({hidden.detach(), replica.head, batch.loss_targets, transformer.bf16, fused}, head);
  hidden.backward(head.hidden);
  replica.gradients.embedding.index_add_(0, batch.tokens, blocks.backward(last_block.grad()));
  return nats;
}

at::Tensor Gradient::add_rank(Replica& replica, const Batch& rows, double scale) const {
  const std::int64_t parts = options_.rows > 0 ? (rows.rows + options_.rows - 1) / options_.rows : 1;
  at::Tensor nats = at::zeros({}, replica.value.options().dtype(at::kDouble));
  for (std::int64_t k = 0; k < parts; ++k) nats.add_(add_rows(replica, part_of(rows, k, parts), scale));
  return nats;
}

at::Tensor Gradient::compute(const Batch& batch) {
  const std::int64_t positions = loss_positions(batch);
  check(positions > 0, "a batch has a position in the loss");
  const double scale = 1.0 / static_cast<double>(positions);
  value_.zero_();
  if (!replicas_[0].value.is_same(value_)) return add_side_by_side(batch, scale).mul_(scale);
  const std::int64_t parts = parts_of(batch);
  at::Tensor nats = at::zeros({}, value_.options().dtype(at::kDouble));
  for (std::int64_t k = 0; k < parts; ++k) nats.add_(add_rows(replicas_[0], part_of(batch, k, parts), scale));
  return nats.mul_(scale);
}

at::Tensor Gradient::add_side_by_side(const Batch& batch, double scale) {
  const bool ranked = options_.ranks > 1;
  for (const Replica& replica : replicas_) {
    if (!replica.parameters.is_same(parameters_)) copy_without_waiting(replica.parameters, parameters_);
  }
  at::Tensor nats = at::zeros({}, value_.options().dtype(at::kDouble));
  const std::int64_t parts = ranked ? options_.ranks : parts_of(batch), at_a_time = std::ssize(replicas_);
  for (std::int64_t first = 0; first < parts; first += at_a_time) {
    const std::int64_t count = std::min(at_a_time, parts - first);
    std::vector<std::future<at::Tensor>> others;
    const auto work = [&](std::int64_t k) {
      use_one_thread();
      Replica& replica = replicas_[static_cast<std::size_t>(k)];
      const at::DeviceGuard guard(replica.transformer.place.device);
      replica.value.zero_();
      const Batch rows = part_of(batch, first + k, parts);
      return ranked ? add_rank(replica, rows, scale) : add_rows(replica, rows, scale);
    };
    for (std::int64_t k = 1; k < count; ++k) others.push_back(std::async(std::launch::async, work, k));
    nats.add_(work(0));
    for (auto& other : others) nats.add_(other.get().to(nats.device()));
    for (std::int64_t k = 0; k < count; ++k) {
      value_.add_(replicas_[static_cast<std::size_t>(k)].value.to(value_.device(), /*non_blocking=*/true));
    }
  }
  return nats;
}

}  // namespace dipaco
