#include "core/prepare/dense_stage.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/prepare/dense.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

constexpr const char* kDenseFile = "dense.ckpt";
constexpr const char* kStart = "start";
constexpr const char* kEqualSteps = "equal_steps";

std::string dense_keys(const Preparation& preparation, const Stage& start, std::int32_t paths) {
  const RunConfig& config = preparation.config;
  Keys keys;
  keys.add("format", 3)
      .add("start", start.hash)
      .add("precision", config.inner.precision)
      .add("data.validation_documents", config.data.validation_documents)
      .add("data.validation_fraction", config.data.validation.empty() ? config.data.validation_fraction : 0.0)
      .add("evaluate.sequence", evaluation_sequence(config))
      .add("evaluate.dense_equal_steps", config.evaluate.dense_equal_steps);
  if (config.evaluate.dense_equal_steps) {
    keys.add("steps", steps_of_a_path(config, paths).value)
        .add("data.holdout_fraction", config.data.holdout_fraction)
        .add("routing.router_fraction", config.routing.router_fraction);
    add_training(keys, config);
  }
  return keys.text();
}

/// The cosine of a model that does fewer steps than outer steps have ends with them, too.
InnerSteps dense_cosine_end(const RunConfig& config, InnerSteps count) {
  return cosine_end(config) - InnerSteps{config.outer.steps * config.inner.steps} + count;
}

Score score_validation(const Preparation& preparation, const Corpus& corpus, std::span<const float> parameters) {
  const RunConfig& config = preparation.config;
  return score_documents(preparation.trainer, parameters, *corpus.tokens, corpus.splits.validation,
                         {.sequence = evaluation_sequence(config),
                          .prefix = config.routing.prefix,
                          .threads = preparation.options.threads})
      .total;
}

void add_score(Checkpoint& checkpoint, const std::string& name, const Score& score) {
  checkpoint.facts[name + ".nats"] = format_number(score.nats);
  checkpoint.facts[name + ".tokens"] = std::to_string(score.tokens);
  checkpoint.facts[name + ".bytes"] = std::to_string(score.bytes);
  checkpoint.facts[name + ".documents"] = std::to_string(score.documents);
}

Score read_score(const Checkpoint& checkpoint, const std::string& name, const std::string& source) {
  const auto nats = checkpoint.facts.find(name + ".nats");
  const auto number = nats == checkpoint.facts.end() ? std::nullopt : parse_number(nats->second);
  if (!number) throw DataError(source + ": the fact \"" + name + ".nats\" is missing or no number");
  return {.nats = *number,
          .tokens = checkpoint.integer(name + ".tokens", source),
          .bytes = checkpoint.integer(name + ".bytes", source),
          .documents = checkpoint.integer(name + ".documents", source)};
}

}  // namespace

Stage dense_stage(const Preparation& preparation, const Stage& start, const Corpus& corpus, std::int32_t paths,
                  const TrainState& state) {
  const StageRequest request{.name = "dense", .keys = dense_keys(preparation, start, paths)};
  return open_stage(preparation.options.cache, request, [&](const std::filesystem::path& folder) {
    const RunConfig& config = preparation.config;
    Checkpoint checkpoint{.facts = {{"kind", "dense"}}, .arrays = {}};
    add_score(checkpoint, kStart, score_validation(preparation, corpus, state.parameters));
    if (config.evaluate.dense_equal_steps) {
      TrainState dense = state;
      const InnerSteps count = steps_of_a_path(config, paths);
      train_densely(preparation, corpus, "dense", {count, dense_cosine_end(config, count)}, dense);
      add_score(checkpoint, kEqualSteps, score_validation(preparation, corpus, dense.parameters));
    }
    write_file(folder / kDenseFile, encode(checkpoint));
  });
}

DenseScores open_dense(const Stage& stage) {
  const auto file = stage.folder / kDenseFile;
  const Checkpoint checkpoint = decode_checkpoint(MappedFile(file).bytes(), file.string());
  DenseScores scores{.start = read_score(checkpoint, kStart, file.string()), .equal_steps = {}};
  if (checkpoint.facts.contains(std::string(kEqualSteps) + ".nats")) {
    scores.equal_steps = read_score(checkpoint, kEqualSteps, file.string());
  }
  return scores;
}

}  // namespace dipaco
