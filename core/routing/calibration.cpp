#include "core/routing/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/error.hpp"
#include "core/routing/minimise.hpp"

namespace dipaco {
namespace {

using Logits = std::span<const float>;

constexpr double kNear = 0.02;  // of a target: good enough

struct Softening {
  std::span<const double> bias;  ///< [P]
  double temperature = 0;        ///< T
};

/// ShareSums over one part of the documents.
struct ShareSums {
  double value = 0;            ///< of softened maxima
  std::vector<double> shares;  ///< [P]
};

/// Adds a document's softened max, and how it is shared out among the paths. `parts` [P] is overwritten.
void add_document(ShareSums& sums, Logits logits, const Softening& softening, std::span<double> parts) {
  const auto& [bias, temperature] = softening;
  double most = static_cast<double>(logits[0]) + bias[0];
  for (std::size_t p = 1; p < logits.size(); ++p) most = std::max(most, static_cast<double>(logits[p]) + bias[p]);
  constexpr double kNothing = -40;  // exp of it is below a double's rounding
  double sum = 0;
  for (std::size_t p = 0; p < logits.size(); ++p) {
    const double exponent = (static_cast<double>(logits[p]) + bias[p] - most) / temperature;
    parts[p] = exponent < kNothing ? 0 : std::exp(exponent);
    sum += parts[p];
  }
  const double scale = 1 / sum;
  for (std::size_t p = 0; p < logits.size(); ++p) sums.shares[p] += parts[p] * scale;
  sums.value += most + temperature * std::log(sum);
}

class Calibration {
 public:
  Calibration(Logits logits, std::span<const double> targets, const SideBySide& side_by_side)
      : logits_(logits), targets_(targets), side_by_side_(side_by_side) {}

  std::size_t documents() const { return logits_.size() / targets_.size(); }

  /// The mean over documents of their logits' deviation from the document's own mean.
  double deviation() const {
    const auto paths = static_cast<double>(targets_.size());
    double sum = 0;
    for (std::size_t i = 0; i < documents(); ++i) {
      const Logits row = of(i);
      const double mean = std::accumulate(row.begin(), row.end(), 0.0) / paths;
      double squares = 0;
      for (const float logit : row) {
        const double difference = static_cast<double>(logit) - mean;
        squares += difference * difference;
      }
      sum += std::sqrt(squares / paths);
    }
    return sum / static_cast<double>(documents());
  }

  std::vector<double> minimum(std::vector<double> start, double temperature) const {
    constexpr double kClose = 0.005;  // of a target
    constexpr int kEvaluations = 60;
    const MinimiseOptions how{.done =
                                  [&](std::span<const double> gradient) {
                                    return std::equal(
                                        gradient.begin(), gradient.end(), targets_.begin(),
                                        [](double g, double target) { return std::abs(g) <= kClose * target; });
                                  },
                              .metric =
                                  [&](std::span<const double> gradient) {
                                    std::vector<double> out(gradient.begin(), gradient.end());
                                    for (std::size_t p = 0; p < out.size(); ++p) out[p] *= temperature / targets_[p];
                                    return out;
                                  },
                              .evaluations = kEvaluations};
    const Objective softened = [&](std::span<const double> bias, std::span<double> gradient) {
      return evaluate({bias, temperature}, gradient);
    };
    return minimise(softened, std::move(start), how).x;
  }

  /// How far the worst path is from its target, where 1 is near enough.
  double error(std::span<const float> bias) const {
    const std::vector<double> shares = best_path_shares(logits_, bias);
    double worst = 0;
    for (std::size_t p = 0; p < shares.size(); ++p) {
      const double near = std::max(kNear * targets_[p], 1 / static_cast<double>(documents()));
      worst = std::max(worst, std::abs(shares[p] - targets_[p]) / near);
    }
    return worst;
  }

 private:
  Logits of(std::size_t document) const { return logits_.subspan(document * targets_.size(), targets_.size()); }

  double evaluate(const Softening& softening, std::span<double> gradient) const {
    const std::span<const double> bias = softening.bias;
    double value = 0;
    const double share = 1 / static_cast<double>(documents());
    for (std::size_t p = 0; p < bias.size(); ++p) {
      value -= targets_[p] * bias[p];
      gradient[p] = -targets_[p];
    }
    const auto work = [&](DocumentPart part) {
      ShareSums sums{.value = 0, .shares = std::vector<double>(bias.size())};
      std::vector<double> parts(bias.size());
      for (std::size_t i = part.first; i < part.first + part.count; ++i) {
        add_document(sums, of(i), softening, parts);
      }
      return sums;
    };
    for_each_document_part(documents(), side_by_side_, work, [&](const ShareSums& sums) {
      value += share * sums.value;
      for (std::size_t p = 0; p < bias.size(); ++p) gradient[p] += share * sums.shares[p];
    });
    return value;
  }

  Logits logits_;
  std::span<const double> targets_;
  const SideBySide& side_by_side_;
};

std::vector<float> centred(const std::vector<double>& bias) {
  const double mean = std::accumulate(bias.begin(), bias.end(), 0.0) / static_cast<double>(bias.size());
  std::vector<float> out;
  for (const double value : bias) out.push_back(static_cast<float>(value - mean));
  return out;
}

}  // namespace

std::vector<double> calibration_targets(std::span<const PathId> labels, std::int32_t paths) {
  constexpr double kLeast = kLeastTarget / (1 - kLeastTarget);  // the sum is at most 1 + kLeast
  check(paths > 0 && !labels.empty(), "there are paths and labels");
  std::vector<double> targets(static_cast<std::size_t>(paths));
  for (const PathId label : labels) {
    check(index(label) >= 0 && index(label) < paths, "a label is a path");
    targets[static_cast<std::size_t>(index(label))] += 1 / static_cast<double>(labels.size());
  }
  double sum = 0;
  for (double& target : targets) sum += target = std::max(target, kLeast / paths);
  for (double& target : targets) target /= sum;
  return targets;
}

std::vector<double> best_path_shares(std::span<const float> logits, std::span<const float> bias) {
  const std::size_t paths = bias.size();
  std::vector<std::size_t> counts(paths);
  for (std::size_t first = 0; first < logits.size(); first += paths) {
    std::size_t best = 0;
    for (std::size_t p = 1; p < paths; ++p) {
      if (logits[first + p] + bias[p] > logits[first + best] + bias[best]) best = p;
    }
    ++counts[best];
  }
  std::vector<double> shares;
  const auto documents = static_cast<double>(logits.size() / paths);
  for (const std::size_t count : counts) shares.push_back(static_cast<double>(count) / documents);
  return shares;
}

std::vector<float> calibrated_bias(std::span<const float> logits, std::span<const double> targets,
                                   const SideBySide& side_by_side) {
  constexpr int kTemperatures = 12;
  check(!targets.empty() && !logits.empty() && logits.size() % targets.size() == 0, "logits are [n, P], n > 0");
  check(std::all_of(targets.begin(), targets.end(), [](double target) { return target > 0; }),
        "every path has a target");
  const Calibration calibration(logits, targets, side_by_side);
  std::vector<double> bias(targets.size());
  std::vector<float> best(targets.size());
  double error = calibration.error(best);
  double temperature = calibration.deviation();
  for (int i = 0; i < kTemperatures && error > 1 && temperature > 0; ++i, temperature /= 3) {
    bias = calibration.minimum(std::move(bias), temperature);
    const std::vector<float> candidate = centred(bias);
    const double candidate_error = calibration.error(candidate);
    if (candidate_error >= error) continue;
    best = candidate;
    error = candidate_error;
  }
  return best;
}

}  // namespace dipaco
