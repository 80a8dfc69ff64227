#include "core/runtime/learner.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

Learner::Learner(const RunConfig& config, std::shared_ptr<const Prepared> prepared,
                 std::shared_ptr<const Trainer> trainer)
    : prepared_(std::move(prepared)),
      trainer_(std::move(trainer)),
      total_(prepared_->start.step + InnerSteps{config.outer.steps * config.inner.steps}),
      score_{.rows = config.inner.batch,
             .sequence = config.evaluate.sequence > 0 ? config.evaluate.sequence : config.model.sequence,
             .prefix = config.routing.prefix,
             .threads = 1} {
  for (std::size_t path = 0; path < prepared_->shards.size(); ++path) {
    readers_.emplace_back(prepared_->tokens, prepared_->shards[path].train,
                          ReaderOptions{.rows = config.inner.batch,
                                        .length = config.model.sequence,
                                        .prefix = config.routing.prefix,
                                        .seed = config.run.seed,
                                        .stream = path + 1});  // 0 is pretraining's
  }
}

InnerReport Learner::inner_steps(PathId path, TrainState& state, InnerSteps count,
                                 const std::atomic<bool>& stop) const {
  const ShardReader& reader = readers_[static_cast<std::size_t>(index(path))];
  return trainer_->inner_steps(
      state, [&reader](InnerSteps step) { return reader.batch(step); }, {.count = count, .total = total_}, stop);
}

Score Learner::evaluate(PathId path, std::span<const float> parameters) const {
  const auto& documents = prepared_->shards[static_cast<std::size_t>(index(path))].validation;
  return score_documents(*trainer_, parameters, *prepared_->tokens, documents, score_);
}

Tokens Learner::evaluated_tokens(PathId path) const {
  Tokens sum;
  for (const DocumentId id : prepared_->shards[static_cast<std::size_t>(index(path))].validation) {
    sum += Tokens{prepared_->tokens->document(id).tokens};
  }
  return sum;
}

}  // namespace dipaco
