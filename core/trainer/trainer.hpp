#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/data/batch.hpp"
#include "core/model/layout.hpp"
#include "core/model/options.hpp"
#include "core/trainer/options.hpp"

namespace dipaco {

/// What AdamW changes: everything about one path that training needs to go on.
struct TrainState {
  std::vector<float> parameters;     ///< [n], in the order of PathLayout
  std::vector<float> first_moment;   ///< [n]
  std::vector<float> second_moment;  ///< [n]
  InnerSteps step;                   ///< inner steps done since the start of pretraining: learning rate and data cursor
};

/// What one call of Trainer::inner_steps did.
struct InnerReport {
  InnerSteps done;
  double loss_sum = 0;  ///< of every step's mean loss, in order, in nats a token
  double last_loss = 0;
  Tokens trained;                ///< positions in the loss
  std::vector<double> losses{};  ///< [done] every step's mean loss
};

/// How inner steps are computed. Neither `threads` nor the machine's load changes a bit of the result.
struct InnerPlan {
  InnerSteps count;
  InnerSteps total;                ///< where the cosine ends: pretraining and DiPaCo together (Choice)
  std::int64_t micro_batches = 1;  ///< parts of a batch whose gradients are added in order; changes bits
  int threads = 1;                 ///< micro-batches worked on at a time
};

/// The loss of each row and segment under some parameters.
struct SegmentScore {
  std::int64_t row = 0;
  std::int32_t segment = 0;
  double nats = 0;          ///< summed over the positions in the loss
  std::int64_t tokens = 0;  ///< positions in the loss
};

/// Computes with parameters: the seam behind which LibTorch lies (core/nn). Thread-safe: many paths may be
/// worked on at once, each call on its caller's thread with one intra-op thread, so results depend on inputs alone.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Library, version, device and instruction set: results are bit-equal only where this is equal.
  virtual std::string description() const = 0;

  /// `plan.count` AdamW steps on `state`, in place (Alg. 1 lines 5-9). Stops early, after a whole step, once `stop`
  /// is true: as a notice or a lost host asks. @throws DataError if a loss is not finite, naming the step.
  virtual InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                  const std::atomic<bool>& stop) const = 0;

  /// g(document): for every segment of `batch` the mean of the last block's output (before the final norm) over the
  /// segment's first `prefix` positions, or all where it is shorter (§2.4, §7.2.1). Returns [segments, hidden],
  /// row-major, in the order of rows and segments.
  virtual std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                                      std::int64_t prefix) const = 0;

  /// Negative log-likelihood of every segment, in the order of rows and segments.
  virtual std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const = 0;

  /// out [n, k] = a [n, d] times the transpose of b [k, d]: distances and logits of the routers.
  virtual std::vector<float> product(std::span<const float> a, std::span<const float> b, std::int64_t n, std::int64_t k,
                                     std::int64_t d) const = 0;
};

/// What a trainer is made for.
struct TrainerOptions {
  ModelOptions model;
  InnerOptions inner;
  PathLayout layout;
};

/// Loads the LibTorch trainer from its shared object, so that a program that learns nothing never loads LibTorch.
/// The object is `libdipaco_nn.so` beside the program or in ../lib, and is looked for nowhere else.
/// @throws ConfigError if it cannot be loaded, saying where it was looked for.
std::shared_ptr<const Trainer> load_trainer(const TrainerOptions& options);

}  // namespace dipaco
