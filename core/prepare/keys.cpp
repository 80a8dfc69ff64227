#include "core/prepare/keys.hpp"

#include <cmath>

#include "core/base/text.hpp"
#include "core/model/layout.hpp"

namespace dipaco {

Keys& Keys::add(std::string_view key, std::string_view value) {
  text_.append(key).append("=").append(value).append("\n");
  return *this;
}

Keys& Keys::add(std::string_view key, double value) { return add(key, std::string_view(format_number(value))); }

InnerSteps cosine_end(const RunConfig& config) {
  return {config.pretrain.steps + config.outer.steps * config.inner.steps};
}

InnerSteps steps_of_a_path(const RunConfig& config, std::int32_t paths) {
  const std::int64_t most = config.outer.steps * config.inner.steps;
  if (!config.routing.active_paths.empty()) return {most};  // the first path always trains
  return {std::llround(static_cast<double>(most * drawn_paths(config.routing, paths)) / paths)};
}

void add_model(Keys& keys, const ModelOptions& model) {
  keys.add("model.blocks", model.blocks)
      .add("model.hidden", model.hidden)
      .add("model.heads", model.heads)
      .add("model.key_value_heads", key_value_heads(model))
      .add("model.head_size", model.head_size)
      .add("model.mlp", mlp_width(model))
      .add("model.vocabulary", model.vocabulary)
      .add("model.rope_base", model.rope_base)
      .add("model.norm_epsilon", model.norm_epsilon);
}

void add_training(Keys& keys, const RunConfig& config) {
  const InnerOptions& inner = config.inner;
  keys.add("model.sequence", config.model.sequence)
      .add("inner.batch", inner.batch)
      .add("inner.learning_rate", inner.learning_rate)
      .add("inner.final_learning_rate", inner.final_learning_rate)
      .add("inner.warmup", inner.warmup)
      .add("inner.weight_decay", inner.weight_decay)
      .add("inner.beta1", inner.beta1)
      .add("inner.beta2", inner.beta2)
      .add("inner.epsilon", inner.epsilon)
      .add("inner.clip", inner.clip)
      .add("inner.precision", inner.precision)
      .add("pretrain.micro_batches", config.pretrain.micro_batches)
      .add("cosine_end", cosine_end(config).value)
      .add("run.seed", config.run.seed);
  // Not of the whole batch, so that what was prepared before there was a choice is found.
  if (inner.micro_batch > 0) keys.add("inner.micro_batch", inner.micro_batch);
}

}  // namespace dipaco
