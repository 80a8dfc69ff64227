#include "core/prepare/dense.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/data/shard_reader.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

constexpr InnerSteps kSlice{20};  // between two reports of progress
/// Draws of dense training are none of a path's: those count from 1, P for each phase.
constexpr std::uint64_t kDenseStream = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::vector<DocumentId> dense_documents(const Corpus& corpus, const DataOptions& options) {
  std::vector<DocumentId> documents;
  for (const DocumentId id : corpus.splits.train) {
    if (!in_holdout(corpus.tokens->document(id), options)) documents.push_back(id);
  }
  return documents;
}

void train_densely(const Preparation& preparation, const Corpus& corpus, std::string_view stage,
                   const DenseSteps& steps, TrainState& state) {
  const InnerSteps count = steps.count;
  if (count.value == 0) return;
  const RunConfig& config = preparation.config;
  const std::vector<DocumentId> documents = dense_documents(corpus, config.data);
  if (documents.empty()) {
    throw ConfigError("data.holdout_fraction=" + format_number(config.data.holdout_fraction) + ": all " +
                      std::to_string(corpus.splits.train.size()) +
                      " train documents are hold-outs, and none is left to learn; write a lower one");
  }
  const ShardReader reader(corpus.tokens, documents,
                           {.rows = config.inner.batch,
                            .length = config.model.sequence,
                            .prefix = config.routing.prefix,
                            .seed = config.run.seed,
                            .stream = kDenseStream,
                            .name = "dense training"});
  const std::atomic<bool> stop{false};
  for (InnerSteps done; done < count;) {
    const InnerPlan plan{.count = std::min(kSlice, count - done),
                         .total = steps.cosine_end,
                         .micro_batches = config.pretrain.micro_batches,
                         .threads = preparation.options.threads};
    const InnerReport report = preparation.trainer.inner_steps(
        state, [&](InnerSteps step) { return reader.batch(step); }, plan, stop);
    check(report.done == plan.count, "a trainer that is not stopped does all steps");
    done += report.done;
    preparation.tell(stage, done.value, count.value, report.loss_sum / static_cast<double>(report.done.value));
  }
}

}  // namespace dipaco
