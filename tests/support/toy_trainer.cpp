#include "tests/support/toy_trainer.hpp"

#include <cmath>

#include "core/base/random.hpp"
#include "core/trainer/segments.hpp"

namespace dipaco {
namespace {

/// One number that every token and target of the batch goes into.
std::uint64_t digest(const Batch& batch) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < batch.tokens.size(); ++k) {
    const auto token = static_cast<std::uint64_t>(batch.tokens[k] + 1);
    sum += (k + 1) * token * (batch.targets[k] == Batch::kNoTarget ? 3 : 7);
  }
  return sum;
}

float wanted(std::uint64_t batch, std::size_t k) {
  return static_cast<float>(0.5 * draw_normal(batch % 5, Draw::jitter, k, 1));  // five kinds of batch
}

/// One parameter's step along its gradient.
void update(TrainState& state, std::size_t k, float gradient, float rate) {
  state.first_moment[k] = 0.9F * state.first_moment[k] + 0.1F * gradient;
  state.second_moment[k] = 0.95F * state.second_moment[k] + 0.05F * gradient * gradient;
  state.parameters[k] -= rate * state.first_moment[k] / (std::sqrt(state.second_moment[k]) + 0.1F);
}

void add_step(InnerReport& report, double loss) {
  report.loss_sum += loss;
  report.last_loss = loss;
  report.losses.push_back(loss);
  report.done += InnerSteps{1};
}

/// Where a router of `size` parameters keeps its logits behind a token.
struct TableRow {
  std::int32_t token = 0;
  std::int32_t path_count = 0;

  std::size_t entry(std::size_t size, std::int32_t path) const {
    return static_cast<std::size_t>(token * path_count + path) % size;
  }
};

/// Adds the gradient of the cross-entropy of one position; returns the cross-entropy.
double add_gradient(const std::vector<float>& router, TableRow row, std::int32_t target, std::vector<float>& gradient) {
  double sum = 0;
  const auto weight = [&](std::int32_t path) {
    return std::exp(static_cast<double>(router[row.entry(router.size(), path)]));
  };
  for (std::int32_t path = 0; path < row.path_count; ++path) sum += weight(path);
  for (std::int32_t path = 0; path < row.path_count; ++path) {
    const double probability = weight(path) / sum;
    gradient[row.entry(router.size(), path)] += static_cast<float>(probability - (path == target ? 1 : 0));
  }
  return std::log(sum / weight(target));
}

}  // namespace

BatchGradient ToyTrainer::gradient(std::span<const float> parameters, const Batch& batch, InnerSteps /*step*/) const {
  const std::uint64_t drawn_by = digest(batch);
  BatchGradient gradient;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const float distance = parameters[k] - wanted(drawn_by, k);
    gradient.values.push_back(distance);
    gradient.loss += static_cast<double>(distance) * distance / static_cast<double>(parameters.size());
  }
  return gradient;
}

InnerReport ToyTrainer::inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                    const std::atomic<bool>& stop) const {
  InnerReport report;
  while (report.done < plan.count && !stop) {
    const std::uint64_t batch = digest(batches(state.step));
    const float rate = 0.1F / (1.0F + 0.01F * static_cast<float>(state.step.value));
    double loss = 0;
    for (std::size_t k = 0; k < state.parameters.size(); ++k) {
      const float gradient = state.parameters[k] - wanted(batch, k);
      loss += static_cast<double>(gradient) * gradient / static_cast<double>(state.parameters.size());
      update(state, k, gradient, rate);
    }
    add_step(report, loss);
    state.step += InnerSteps{1};
  }
  return report;
}

std::vector<float> ToyTrainer::features(std::span<const float> parameters, const Batch& batch,
                                        std::int64_t prefix) const {
  // Mean token, share of low tokens, and two sums that vary from document to document.
  std::vector<float> features;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    float mean = 0;
    float low = 0;
    float odd = 0;
    float mixed = 0;
    std::int64_t count = 0;
    for (std::int64_t at = 0; at < std::min(prefix, batch.length); ++at) {
      const auto k = static_cast<std::size_t>(row * batch.length + at);
      if (batch.segments[k] == Batch::kPadding) continue;
      mean += static_cast<float>(batch.tokens[k]);
      low += batch.tokens[k] < 40 ? 1.0F : 0.0F;
      odd += static_cast<float>(batch.tokens[k] % 2);
      mixed += static_cast<float>(batch.tokens[k] * 7 % 5);
      ++count;
    }
    const float scale = 1.0F / static_cast<float>(std::max<std::int64_t>(count, 1));
    features.push_back(mean * scale * (1.0F + 0.0F * parameters[0]));
    features.push_back(low * scale);
    features.push_back(odd * scale);
    features.push_back(mixed * scale);
  }
  return features;
}

std::vector<float> ToyTrainer::token_scores(std::span<const float> parameters, const Batch& batch) const {
  double size = 0;
  for (const float p : parameters) size += static_cast<double>(p) * p;
  const double nats = 1.0 + size / static_cast<double>(parameters.size());
  std::vector<float> scores(batch.targets.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (batch.targets[k] == Batch::kNoTarget) continue;
    const float own = parameters[static_cast<std::size_t>(batch.targets[k]) % parameters.size()];
    scores[k] = static_cast<float>(nats + static_cast<double>(own) * own);
  }
  return scores;
}

std::vector<SegmentScore> ToyTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  return scores_of(batch, token_scores(parameters, batch));
}

InnerReport ToyTrainer::router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                                     const std::atomic<bool>& stop) const {
  InnerReport report;
  while (report.done < plan.steps.count && !stop) {
    const RouterBatch batch = batches(state.step);
    std::vector<float> gradient(state.parameters.size());
    double nats = 0;
    Tokens trained;
    for (std::size_t at = 0; at < batch.paths.size(); ++at) {
      if (batch.paths[at] == Batch::kNoTarget) continue;
      nats += add_gradient(state.parameters, {batch.batch.tokens[at], plan.path_count}, batch.paths[at], gradient);
      trained += Tokens{1};
    }
    for (std::size_t k = 0; k < gradient.size(); ++k) update(state, k, gradient[k], 0.1F);
    add_step(report, nats / static_cast<double>(trained.value));
    report.trained += trained;
    state.step += InnerSteps{1};
  }
  return report;
}

std::vector<float> ToyTrainer::router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                             std::span<const std::int64_t> positions) const {
  std::vector<float> logits;
  for (const std::int64_t at : positions) {
    const TableRow row{batch.tokens[static_cast<std::size_t>(at)], path_count};
    for (std::int32_t path = 0; path < path_count; ++path) logits.push_back(router[row.entry(router.size(), path)]);
  }
  return logits;
}

std::vector<float> ToyTrainer::product(std::span<const float> a, std::span<const float> b,
                                       const ProductShape& shape) const {
  const auto [n, k, d, transposed] = shape;
  std::vector<float> out(static_cast<std::size_t>(n * k));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < d; ++c) {
        sum += static_cast<double>(a[static_cast<std::size_t>(transposed ? c * n + i : i * d + c)]) *
               b[static_cast<std::size_t>(transposed ? c * k + j : j * d + c)];
      }
      out[static_cast<std::size_t>(i * k + j)] = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace dipaco
