#include "tests/prepare/fake_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<SegmentScore> FakeTrainer::scores(std::span<const float> parameters, const Batch& batch) const {
  ++score_calls;
  const double nats =
      std::log(static_cast<double>(model_.vocabulary)) - 0.01 * static_cast<double>(mean_parameter(parameters));
  std::vector<SegmentScore> out;
  for_each_segment(batch, [&](std::int64_t row, std::int32_t segment, std::int64_t first, std::int64_t end) {
    SegmentScore score{.row = row, .segment = segment};
    for (std::int64_t i = first; i < end; ++i) {
      if (batch.targets[static_cast<std::size_t>(i)] != Batch::kNoTarget) ++score.tokens;
    }
    score.nats = nats * static_cast<double>(score.tokens);
    out.push_back(score);
  });
  return out;
}

std::vector<float> FakeTrainer::product(std::span<const float> a, std::span<const float> b, std::int64_t n,
                                        std::int64_t k, std::int64_t d) const {
  std::vector<float> out;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t c = 0; c < k; ++c) {
      const auto x = a.subspan(static_cast<std::size_t>(i * d), static_cast<std::size_t>(d));
      const auto y = b.subspan(static_cast<std::size_t>(c * d), static_cast<std::size_t>(d));
      out.push_back(std::inner_product(x.begin(), x.end(), y.begin(), 0.0F));
    }
  }
  return out;
}

}  // namespace dipaco::testing
