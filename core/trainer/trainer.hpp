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

/// What AdamW changes: everything about one path, or one transformer router, that training needs to go on.
struct TrainState {
  std::vector<float> parameters;     ///< [n], in the order of PathLayout; a router's head lies behind
  std::vector<float> first_moment;   ///< [n]
  std::vector<float> second_moment;  ///< [n]
  InnerSteps step;  ///< done since the start of pretraining, or of the router: learning rate and data cursor
};

/// What one call of Trainer::inner_steps did.
struct InnerReport {
  InnerSteps done;
  double loss_sum = 0;           ///< of every step's mean loss, in order, in nats a token
  double last_loss = 0;          ///< mean loss of the last step, in nats a token; 0 where no step was done
  Tokens trained;                ///< positions in the loss
  std::vector<double> losses{};  ///< [done] every step's mean loss, in nats a token
};

/// How inner steps are computed. Neither `threads` nor the machine's load changes a bit of the result.
struct InnerPlan {
  InnerSteps count;                ///< to do in this call
  InnerSteps total;                ///< where the cosine ends: pretraining and DiPaCo together (Choice)
  std::int64_t micro_batches = 1;  ///< parts of a batch whose gradients are added in order; changes bits
  int threads = 1;                 ///< micro-batches, or ranks, worked on at a time; of a CPU
  std::int64_t ranks = 1;          ///< InnerOptions::ranks, in whose place they are micro-batches elsewhere
  InnerSteps sat_out{};            ///< by which the schedule is ahead of the state's steps: others trained meanwhile
};

/// The loss of each row and segment under some parameters.
struct SegmentScore {
  std::int64_t row = 0;
  std::int32_t segment = 0;
  double nats = 0;          ///< summed over the positions in the loss
  std::int64_t tokens = 0;  ///< positions in the loss
};

/// What a transformer router learns from (§7.2.2): at each position, the path that should continue behind it.
struct RouterBatch {
  Batch batch;                      ///< its own targets are not read
  std::vector<std::int32_t> paths;  ///< [rows, length], in [0, path_count) or Batch::kNoTarget: not in the loss
};

/// The batch of a router step, counted from router_start. A pure function; may be called on any thread.
using RouterBatchSource = std::function<RouterBatch(InnerSteps step)>;

/// How router steps are computed.
struct RouterPlan {
  std::int32_t path_count = 0;  ///< K, the classes: the state has router_size(n, hidden, K) parameters
  InnerPlan steps;              ///< `total` is where the router's own cosine ends
};

/// Sizes of a matrix product, and how its operands lie.
struct ProductShape {
  std::int64_t n = 0;       ///< rows of the result
  std::int64_t k = 0;       ///< columns of the result
  std::int64_t d = 0;       ///< numbers that are multiplied and added for each
  bool transposed = false;  ///< the operands lie with a column for each row and column of the result
};

/// What one batch says of parameters.
struct BatchGradient {
  std::vector<float> values;  ///< [n], clipped as that of an inner step
  double loss = 0;            ///< mean over the positions in the loss, nats a token
  Tokens trained;             ///< positions in the loss
};

/// Computes with parameters: the seam behind which LibTorch lies (core/nn). Thread-safe: many paths may be
/// worked on at once, each call on its caller's thread with one intra-op thread, so results depend on inputs alone.
/// REQUIRES that `parameters` are [n] in the order of the layout that the trainer was made for. A call throws
/// std::bad_alloc where memory runs out, and ConfigError where a GPU's does.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Library, version, device and instruction set: results are bit-equal only where this is equal.
  virtual std::string description() const = 0;

  /// Whether equal calls give equal bits. A GPU that may add in any order is faster.
  virtual bool repeats() const { return true; }

  /// `plan.count` AdamW steps on `state`, in place (Alg. 1 lines 5-9). Stops early, after a whole step, once `stop`
  /// is true: as a notice or a lost host asks.
  /// REQUIRES that every batch has a position in the loss, and rows no longer than model.sequence.
  /// @param batches  asked for steps state.step, state.step + 1, ...
  /// @throws DataError if a loss or a gradient is not finite, naming the step; the state is left as it was.
  virtual InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                                  const std::atomic<bool>& stop) const = 0;

  /// The gradient of the mean loss over `batch` at `parameters` [n], which changes nothing (§4.5).
  /// REQUIRES of the batch what inner_steps() does. @param step  the inner step that it is of, for the error
  /// @throws DataError if it, or the loss, is not finite, naming the step
  virtual BatchGradient gradient(std::span<const float> parameters, const Batch& batch, InnerSteps step) const = 0;

  /// g(document): for every segment of `batch` the mean of the last block's output (before the final norm) over the
  /// segment's first `prefix` positions, or all where it is shorter (§2.4, §7.2.1). Returns [segments, hidden],
  /// row-major, in the order of rows and segments.
  virtual std::vector<float> features(std::span<const float> parameters, const Batch& batch,
                                      std::int64_t prefix) const = 0;

  /// Negative log-likelihood of every segment in nats, in the order of rows and segments. Rows may be longer than
  /// model.sequence here, in features() and in token_scores(). Not finite where training has diverged.
  virtual std::vector<SegmentScore> scores(std::span<const float> parameters, const Batch& batch) const = 0;

  /// Negative log-likelihood of every position's target in nats, [rows * length]: element t is the loss of the token
  /// behind position t, -S_ijp of §7.2.2; 0 where the position is not in the loss. Not finite where training has
  /// diverged. Added by segment in doubles, in order, they are scores(), bit for bit.
  virtual std::vector<float> token_scores(std::span<const float> parameters, const Batch& batch) const = 0;

  /// `plan.steps.count` AdamW steps on a transformer router (§7.2.2), in place, as inner_steps does them: the loss is
  /// the mean cross-entropy over positions with a path, the options those of the inner steps, with `state.step` counted
  /// from router_start and a cosine that begins at its peak (without warmup). Every parameter learns, the path's too.
  /// REQUIRES that every batch has a position with a path, and rows no longer than model.sequence.
  /// @returns losses in nats a position; `trained` counts positions with a path.
  /// @throws DataError if a loss or a gradient is not finite, naming the step; the state is left as it was.
  virtual InnerReport router_steps(TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan,
                                   const std::atomic<bool>& stop) const = 0;

  /// What a transformer router says at some positions (§2.4.3, §7.2.2): of each path, how likely it should continue
  /// behind the position, from the tokens of its segment up to and with it. Rows may be longer than model.sequence.
  /// @param router     [router_size(n, hidden, path_count)]
  /// @param positions  row * length + t, in any order; their number bounds the memory of the logits
  /// @returns logits [positions, path_count], row-major
  virtual std::vector<float> router_logits(std::span<const float> router, std::int32_t path_count, const Batch& batch,
                                           std::span<const std::int64_t> positions) const = 0;

  /// out [n, k]: each row of a [n, d] times each row of b [k, d]; or, where shape.transposed, each column of a [d, n]
  /// times each column of b [d, k]. For distances, logits and gradients of the routers.
  virtual std::vector<float> product(std::span<const float> a, std::span<const float> b,
                                     const ProductShape& shape) const = 0;
};

/// What a trainer is made for.
struct TrainerOptions {
  ModelOptions model;
  InnerOptions inner;
  PathLayout layout;           ///< in whose order all parameters lie
  std::string device = "cpu";  ///< or cuda, cuda:I, or several for ranks: cuda:0,cuda:1
  Kernels kernels = Kernels::own;
  bool deterministic = false;  ///< on a GPU, too, equal calls give equal bits; a CPU's always do
};

/// Loads the LibTorch trainer from its shared object, so that a program that learns nothing never loads LibTorch.
/// The object is `libdipaco_nn.so` beside the program, in ../lib or ../lib/dipaco, or on the program's RUNPATH.
/// @throws ConfigError if it cannot be loaded, saying where it was looked for, cannot compute on that device, or does
///         not know options.inner.precision.
std::shared_ptr<const Trainer> load_trainer(const TrainerOptions& options);

}  // namespace dipaco
