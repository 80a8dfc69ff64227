#include "tests/support/toy_trainer.hpp"

#include <cmath>

#include "core/base/random.hpp"

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

}  // namespace

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
      state.first_moment[k] = 0.9F * state.first_moment[k] + 0.1F * gradient;
      state.second_moment[k] = 0.95F * state.second_moment[k] + 0.05F * gradient * gradient;
      state.parameters[k] -= rate * state.first_moment[k] / (std::sqrt(state.second_moment[k]) + 0.1F);
    }
    report.loss_sum += loss;
    report.last_loss = loss;
    report.losses.push_back(loss);
    report.done += InnerSteps{1};
    state.step += InnerSteps{1};
  }
  return report;
}

std::vector<float> ToyTrainer::features(std::span<const float> parameters, const Batch& batch,
                                        std::int64_t prefix) const {
  // The mean token and the share of low tokens of the prefix: two numbers that tell made-up domains apart.
  std::vector<float> features;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    float mean = 0;
    float low = 0;
    std::int64_t count = 0;
    for (std::int64_t at = 0; at < std::min(prefix, batch.length); ++at) {
      const auto k = static_cast<std::size_t>(row * batch.length + at);
      if (batch.segments[k] == Batch::kPadding) continue;
      mean += static_cast<float>(batch.tokens[k]);
      low += batch.tokens[k] < 40 ? 1.0F : 0.0F;
      ++count;
    }
    const float scale = 1.0F / static_cast<float>(std::max<std::int64_t>(count, 1));
    features.push_back(mean * scale * (1.0F + 0.0F * parameters[0]));
    features.push_back(low * scale);
  }
  return features;
}

std::vector<SegmentScore> ToyTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  double size = 0;
  for (const float p : parameters) size += static_cast<double>(p) * p;
  const double nats = 1.0 + size / static_cast<double>(parameters.size());
  std::vector<SegmentScore> scores;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    std::int32_t last = Batch::kPadding;
    for (std::int64_t at = 0; at < batch.length; ++at) {
      const auto k = static_cast<std::size_t>(row * batch.length + at);
      if (batch.segments[k] != last && batch.segments[k] != Batch::kPadding) {
        last = batch.segments[k];
        scores.push_back({.row = row, .segment = last});
      }
      if (batch.targets[k] == Batch::kNoTarget) continue;
      scores.back().nats += nats;
      ++scores.back().tokens;
    }
  }
  return scores;
}

std::vector<float> ToyTrainer::product(std::span<const float> a, std::span<const float> b, std::int64_t n,
                                       std::int64_t k, std::int64_t d) const {
  std::vector<float> out(static_cast<std::size_t>(n * k));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < d; ++c) {
        sum += static_cast<double>(a[static_cast<std::size_t>(i * d + c)]) * b[static_cast<std::size_t>(j * d + c)];
      }
      out[static_cast<std::size_t>(i * k + j)] = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace dipaco
