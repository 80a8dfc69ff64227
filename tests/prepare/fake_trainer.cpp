#include "tests/prepare/fake_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/trainer/segments.hpp"
#include "core/trainer/transformer_router.hpp"

namespace dipaco::testing {
namespace {

float mean_token(const Batch& batch) {
  const auto sum = std::accumulate(batch.tokens.begin(), batch.tokens.end(), std::int64_t{0});
  return static_cast<float>(sum) / static_cast<float>(batch.tokens.size());
}

float mean_parameter(std::span<const float> parameters) {
  const double sum = std::accumulate(parameters.begin(), parameters.end(), 0.0);
  return static_cast<float>(sum / static_cast<double>(parameters.size()));
}

/// Calls visit(row, segment, first position, end) for every segment, by row and segment.
template <class Visit>
void for_each_segment(const Batch& batch, Visit visit) {
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const std::int64_t end = (row + 1) * batch.length;
    const auto segment_at = [&](std::int64_t i) { return batch.segments[static_cast<std::size_t>(i)]; };
    for (std::int64_t i = row * batch.length; i < end && segment_at(i) != Batch::kPadding;) {
      const std::int64_t first = i;
      while (i < end && segment_at(i) == segment_at(first)) ++i;
      visit(row, segment_at(first), first, i);
    }
  }
}

}  // namespace

InnerReport FakeTrainer::inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                     const std::atomic<bool>& stop) const {
  InnerReport report;
  totals_seen = plan.total.value;
  while (report.done < plan.count && !stop) {
    const Batch batch = batches(state.step);
    const float mean = mean_token(batch);
    for (std::size_t i = 0; i < state.parameters.size(); ++i) {
      state.parameters[i] += 1e-3F * mean;
      state.first_moment[i] = mean;
      state.second_moment[i] = mean * mean;
    }
    ++state.step.value;
    ++report.done.value;
    report.last_loss = static_cast<double>(mean);
    report.loss_sum += report.last_loss;
    report.losses.push_back(report.last_loss);
    ++steps_done;
  }
  return report;
}

BatchGradient FakeTrainer::gradient(std::span<const float> parameters, const Batch& batch, InnerSteps /*step*/) const {
  const float mean = mean_token(batch);
  return {.values = std::vector<float>(parameters.size(), mean), .loss = static_cast<double>(mean), .trained = {}};
}

std::vector<float> FakeTrainer::features(std::span<const float> parameters, const Batch& batch,
                                         std::int64_t prefix) const {
  ++feature_calls;
  const auto width = static_cast<std::size_t>(model_.hidden);
  const float factor = 1 + mean_parameter(parameters);
  std::vector<float> out;
  for_each_segment(batch, [&](std::int64_t, std::int32_t, std::int64_t first, std::int64_t end) {
    std::vector<float> feature(width);
    for (std::int64_t i = first; i < std::min(end, first + prefix); ++i) {
      feature[static_cast<std::size_t>(batch.tokens[static_cast<std::size_t>(i)]) % width] += factor;
    }
    out.insert(out.end(), feature.begin(), feature.end());
  });
  return out;
}

std::vector<float> FakeTrainer::token_scores(std::span<const float> parameters, const Batch& batch) const {
  const double nats =
      std::log(static_cast<double>(model_.vocabulary)) - 0.01 * static_cast<double>(mean_parameter(parameters));
  std::vector<float> out(batch.targets.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (batch.targets[i] != Batch::kNoTarget) out[i] = static_cast<float>(nats);
  }
  return out;
}

std::vector<SegmentScore> FakeTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  ++score_calls;
  return scores_of(batch, token_scores(parameters, batch));
}

InnerReport FakeTrainer::router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                                      const std::atomic<bool>& stop) const {
  InnerReport report;
  while (report.done < plan.steps.count && !stop) {
    const RouterBatch batch = batches(state.step);
    for (std::size_t i = 0; i < batch.paths.size(); ++i) {
      if (batch.paths[i] == Batch::kNoTarget) continue;
      const std::size_t head = state.parameters.size() - head_size(plan.path_count);
      state.parameters[head + head_element(batch.paths[i], batch.batch.tokens[i])] += 1;
      report.trained += Tokens{1};
    }
    state.step += InnerSteps{1};
    report.done += InnerSteps{1};
    report.losses.push_back(0);
  }
  return report;
}

std::vector<float> FakeTrainer::router_logits(std::span<const float> router, std::int32_t path_count,
                                              const Batch& batch, std::span<const std::int64_t> positions) const {
  const std::span<const float> head = router.last(head_size(path_count));
  std::vector<float> out;
  for (const std::int64_t at : positions) {
    for (std::int32_t path = 0; path < path_count; ++path) {
      out.push_back(head[head_element(path, batch.tokens[static_cast<std::size_t>(at)])]);
    }
  }
  return out;
}

std::size_t FakeTrainer::head_size(std::int32_t path_count) const { return router_size(0, model_.hidden, path_count); }

std::size_t FakeTrainer::head_element(std::int32_t path, std::int32_t token) const {
  return static_cast<std::size_t>(path * model_.hidden + token % model_.hidden);
}

std::vector<float> FakeTrainer::product(std::span<const float> a, std::span<const float> b,
                                        const ProductShape& shape) const {
  const auto [n, k, d, transposed] = shape;
  std::vector<float> out(static_cast<std::size_t>(n * k));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t c = 0; c < k; ++c) {
      float& sum = out[static_cast<std::size_t>(i * k + c)];
      for (std::int64_t j = 0; j < d; ++j) {
        sum += a[static_cast<std::size_t>(transposed ? j * n + i : i * d + j)] *
               b[static_cast<std::size_t>(transposed ? j * k + c : c * d + j)];
      }
    }
  }
  return out;
}

}  // namespace dipaco::testing
