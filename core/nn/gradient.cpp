#include "core/nn/gradient.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "core/base/error.hpp"
#include "core/nn/process.hpp"

namespace dipaco {
namespace {

Head head_of(const Gradient::Options& options, const PathLayout& layout, const at::Tensor& flat,
             const PathTensors& path) {
  if (options.predicts == Predicts::paths) return router_head(flat, layout, options.transformer.model);
  return {path.embedding, {}};
}

}  // namespace

Gradient::Gradient(const Options& options, const at::Tensor& parameters, const PathLayout& layout) : options_(options) {
  check(options.micro_batches > 0 && options.threads > 0, "micro-batches and threads are 1 at least");
  const ModelOptions& model = options.transformer.model;
  value_ = at::zeros_like(parameters);
  const std::int64_t count = std::min<std::int64_t>(options.micro_batches, options.threads);
  for (std::int64_t r = 0; r < count; ++r) {
    // One micro-batch needs no sum.
    const at::Tensor value = options.micro_batches == 1 ? value_ : at::zeros_like(parameters);
    const PathTensors path(parameters, layout, model), gradients(value, layout, model);
    replicas_.push_back({path, gradients, head_of(options, layout, parameters, path),
                         head_of(options, layout, value, gradients), value});
    collect_gradients(replicas_.back().path, replicas_.back().gradients);
  }
}

double Gradient::add_rows(Replica& replica, const Batch& rows, const RotaryTable& table, double scale) const {
  replica.value.zero_();
  if (loss_positions(rows) == 0) return 0;
  const TransformerOptions& transformer = options_.transformer;
  const BatchTensors batch(rows, table, transformer.place);
  const at::Tensor embedded = embed(replica.path, batch).requires_grad_(true);
  const at::Tensor last_block = run_blocks(transformer, replica.path, batch, embedded);
  const at::Tensor hidden = head_input(transformer, replica.path, last_block, batch.loss_positions);
  // The head's loss and gradient come from one pass over the logits; autograd goes on from what the head read.
  const HeadGradients head{at::empty_like(hidden), replica.head_gradients, scale};
  const double nats = head_loss({hidden.detach(), replica.head, batch.loss_targets, transformer.bf16}, head);
  hidden.backward(head.hidden);
  replica.gradients.embedding.index_add_(0, batch.tokens, embedded.grad());
  return nats;
}

double Gradient::compute(const Batch& batch, const RotaryTable& table) {
  const std::int64_t positions = loss_positions(batch);
  check(positions > 0, "a batch has a position in the loss");
  const double scale = 1.0 / static_cast<double>(positions);
  const std::int64_t parts = options_.micro_batches;
  if (parts == 1) return add_rows(replicas_[0], batch, table, scale) * scale;
  value_.zero_();
  double nats = 0;
  const auto at_a_time = static_cast<std::int64_t>(replicas_.size());
  for (std::int64_t first = 0; first < parts; first += at_a_time) {
    const std::int64_t count = std::min(at_a_time, parts - first);
    std::vector<std::future<double>> others;
    const auto work = [&](std::int64_t k) {
      use_one_thread();
      const at::DeviceGuard guard(options_.transformer.place.device);
      const std::int64_t begin = (first + k) * batch.rows / parts;
      const std::int64_t end = (first + k + 1) * batch.rows / parts;
      return add_rows(replicas_[static_cast<std::size_t>(k)], rows_of(batch, begin, end - begin), table, scale);
    };
    for (std::int64_t k = 1; k < count; ++k) others.push_back(std::async(std::launch::async, work, k));
    nats += work(0);
    for (auto& other : others) nats += other.get();
    for (std::int64_t k = 0; k < count; ++k) value_.add_(replicas_[static_cast<std::size_t>(k)].value);
  }
  return nats * scale;
}

}  // namespace dipaco
