#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/config/run_config.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/score.hpp"
#include "core/outer/policies.hpp"
#include "core/prepare/prepared.hpp"
#include "core/prepare/routing.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// One path's documents in one phase (§2.4.2), and the batches of those that it trains on.
struct PathShard {
  Shard documents;
  ShardReader reader;
};

/// How many threads a node may take.
struct LearnerThreads {
  int fit = 1;    ///< for what all paths wait for, the fit of a router
  int ranks = 1;  ///< for the inner steps of one path, where inner.ranks has it so
};

/// A trainer with the data of every path: what a worker needs to learn. Thread-safe, immutable. Throws what the trainer
/// throws. One that learns nothing has no text: its scores, labels and routes are empty, its shards null, and its
/// router has the size of one for the charged model.
class Learner {
 public:
  /// Learns nothing: a model without parameters, and no text. Its steps are only counted.
  explicit Learner(const RunConfig& config, std::int32_t paths);
  /// REQUIRES that `trainer` was made for config.model, config.inner and the plan's layout.
  /// @param threads  of its node; they change no bit
  /// @param exchange  what inner_steps() makes
  /// @throws DataError where a shard has no token to learn behind the prefix, naming the path
  Learner(const RunConfig& config, std::shared_ptr<const Prepared> prepared, std::shared_ptr<const Trainer> trainer,
          LearnerThreads threads = {}, Exchange exchange = Exchange::parameters);

  bool learns() const { return learns_; }
  const Prepared& prepared() const { return *prepared_; }
  const Trainer& trainer() const { return *trainer_; }

  /// The path's prepared shard: phase 0. Null where nothing is learned.
  std::shared_ptr<const PathShard> shard(PathId path) const { return shards_[static_cast<std::size_t>(index(path))]; }
  /// Of a later phase, whose batches are drawn anew. @throws DataError as the constructor
  std::shared_ptr<const PathShard> make_shard(std::int32_t phase, PathId path, Shard documents) const;

  /// Up to `count` inner steps from `state`, in place (Alg. 1 lines 5-9). Where gradients are exchanged (§4.5): one
  /// step, whose gradient, clipped, stands for the parameters afterwards; moments are left alone.
  /// @param sat_out  inner steps of the outer steps before this one at which the path was not drawn (§2.6.2)
  /// @throws DataError if a loss or a gradient is not finite, naming the step; the state is left as it was
  InnerReport inner_steps(const std::shared_ptr<const PathShard>& shard, TrainState& state, InnerSteps count,
                          InnerSteps sat_out, const std::atomic<bool>& stop) const;
  /// The documents under `parameters` [n]. @throws DataError where a loss is not finite, naming the document
  Score score(const std::vector<DocumentId>& documents, std::span<const float> parameters) const;
  /// How many tokens the documents have. @param most  counted of a document; 0: all
  Tokens tokens_of(const std::vector<DocumentId>& documents, std::int64_t most) const;

  // Re-sharding (§2.4.2). Features are those of the dense start.

  const std::vector<DocumentId>& router_documents() const { return prepared_->splits.router; }
  /// All documents that have a path: those of training, then those of validation.
  std::int32_t routed_documents() const;
  /// Negative log-likelihood of each router document under `parameters` in nats, behind its prefix and as far as
  /// routing.label_tokens says: [router documents]. -sum_j S_ijp of §7.2.1, for one path p.
  /// @throws DataError where a loss is not finite, naming the document
  std::vector<float> score_router_documents(std::span<const float> parameters) const;
  /// The file of the discriminative router for these labels (§7.2.1).
  /// @param labels  [router documents] path numbers, each the path under which the document has the lowest score
  std::string fit_router(std::span<const float> labels) const;
  /// The best paths of routed documents [first, first + count): [count, routing.overlap] path numbers, best first.
  /// @param router  what fit_router() made
  /// @throws DataError where it is damaged
  std::vector<float> route(const std::string& router, std::int32_t first, std::int32_t count) const;
  /// Each path's documents. Choice: one that no train document goes to keeps those that it trained on `before`.
  /// @param routes  [routed documents, routing.overlap] path numbers
  std::vector<Shard> make_shards(std::span<const float> routes, const std::vector<Shard>& before) const;

 private:
  std::string router_of_size() const;
  InnerReport gradient(const PathShard& shard, TrainState& state, const std::atomic<bool>& stop) const;
  FeatureSource features() const;

  bool learns_;
  std::shared_ptr<const Prepared> prepared_;
  std::shared_ptr<const Trainer> trainer_;
  RunConfig config_;
  LearnerThreads threads_;
  Exchange exchange_;
  std::vector<std::shared_ptr<const PathShard>> shards_;  ///< [P] of phase 0
  InnerSteps total_;
  ScoreOptions score_;
};

}  // namespace dipaco
