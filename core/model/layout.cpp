#include "core/model/layout.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/random.hpp"

namespace dipaco {
namespace {

constexpr double kDeviation = 0.02;

/// Appends slots one after the other.
class Builder {
 public:
  explicit Builder(const ModelOptions& model) : model_(model) {}

  void level(const Level& level) {
    const std::size_t start = layout_.size;
    for (const std::int64_t b : level.blocks) block("model.layers." + std::to_string(b) + ".");
    if (level.embedding) add("model.embed_tokens.weight", {model_.vocabulary, model_.hidden});
    if (level.final_norm) add("model.norm.weight", {model_.hidden});
    layout_.levels.push_back({start, layout_.size - start});
  }
  PathLayout take() { return std::move(layout_); }

 private:
  void block(const std::string& name) {
    const std::int64_t queries = model_.heads * model_.head_size;
    const std::int64_t keys = key_value_heads(model_) * model_.head_size;
    const std::int64_t mlp = mlp_width(model_);
    add(name + "input_layernorm.weight", {model_.hidden});
    add(name + "self_attn.q_proj.weight", {queries, model_.hidden});
    add(name + "self_attn.k_proj.weight", {keys, model_.hidden});
    add(name + "self_attn.v_proj.weight", {keys, model_.hidden});
    add(name + "self_attn.o_proj.weight", {model_.hidden, queries});
    add(name + "post_attention_layernorm.weight", {model_.hidden});
    add(name + "mlp.gate_proj.weight", {mlp, model_.hidden});
    add(name + "mlp.up_proj.weight", {mlp, model_.hidden});
    add(name + "mlp.down_proj.weight", {model_.hidden, mlp});
  }

  void add(std::string name, std::vector<std::int64_t> shape) {
    std::size_t size = 1;
    for (const std::int64_t n : shape) size *= static_cast<std::size_t>(n);
    layout_.slots.push_back({std::move(name), std::move(shape), layout_.size, size});
    layout_.size += size;
  }

  const ModelOptions& model_;
  PathLayout layout_;
};

void check_shapes(const ModelOptions& model) {
  for (const std::int64_t n : {model.blocks, model.hidden, model.heads, model.head_size, model.vocabulary}) {
    if (n < 1) throw ConfigError("[model] blocks, hidden, heads, head_size and vocabulary must be 1 at least");
  }
  if (model.heads % key_value_heads(model) != 0) {
    throw ConfigError("[model] heads=" + std::to_string(model.heads) + " is no multiple of key_value_heads=" +
                      std::to_string(model.key_value_heads) + "; each group of heads shares one");
  }
  if (model.head_size % 2 != 0) {
    throw ConfigError("[model] head_size=" + std::to_string(model.head_size) +
                      " is odd; rotary positions turn pairs, so make it even");
  }
}

/// Floating-point operations of all blocks, forward, for one token in a row of model.sequence.
double blocks_forward_flops(const ModelOptions& model) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto queries = static_cast<double>(model.heads * model.head_size);
  const auto keys = static_cast<double>(key_value_heads(model) * model.head_size);
  const auto blocks = static_cast<double>(model.blocks);
  const double block = hidden * (2 * queries + 2 * keys) + 3 * hidden * static_cast<double>(mlp_width(model));
  // Scores and weighted values: two products of 2 x queries operations for each of the row's positions. Choice: all of
  // them, as published figures of mfu count, though a causal kernel need not compute those that lie ahead.
  const double attention = blocks * 2 * 2 * queries * static_cast<double>(model.sequence);
  return 2 * blocks * block + attention;
}

}  // namespace

std::int64_t mlp_width(const ModelOptions& model) {
  if (model.mlp > 0) return model.mlp;
  // A gated MLP has three matrices where the plain one has two: 3 x width = 2 x 4 x hidden.
  const double exact = 8.0 * static_cast<double>(model.hidden) / 3.0;
  return std::max<std::int64_t>(8, 8 * std::llround(exact / 8.0));
}

std::int64_t key_value_heads(const ModelOptions& model) {
  return model.key_value_heads > 0 ? model.key_value_heads : model.heads;
}

PathLayout make_layout(const ModelOptions& model, const Topology& topology) {
  check_shapes(model);
  Builder builder(model);
  for (std::int32_t l = 0; l < topology.levels(); ++l) builder.level(topology.level(l));
  return builder.take();
}

double inner_step_flops(const ModelOptions& model, std::int64_t tokens) {
  const double head = 2 * static_cast<double>(model.hidden) * static_cast<double>(model.vocabulary);
  return 3 * (blocks_forward_flops(model) + head) * static_cast<double>(tokens);
}

double recompute_flops(const ModelOptions& model, std::int64_t tokens) {
  return blocks_forward_flops(model) * static_cast<double>(tokens);
}

std::vector<float> initial_parameters(const PathLayout& layout, const ModelOptions& model, std::uint64_t seed) {
  std::vector<float> values(layout.size);
  const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(model.blocks));
  for (const TensorSlot& slot : layout.slots) {
    const std::span<float> part = std::span(values).subspan(slot.offset, slot.size);
    if (slot.shape.size() == 1) {
      std::fill(part.begin(), part.end(), 1.0F);
      continue;
    }
    const bool into_residual = slot.name.ends_with("o_proj.weight") || slot.name.ends_with("down_proj.weight");
    const double deviation = into_residual ? residual : kDeviation;
    // By name, not by place: the same model starts alike under every topology.
    const std::uint64_t which = checksum(std::as_bytes(std::span(slot.name.data(), slot.name.size())));
    for (std::size_t k = 0; k < part.size(); ++k) {
      part[k] = static_cast<float>(deviation * draw_normal(seed, Draw::initial_parameters, which, k));
    }
  }
  return values;
}

}  // namespace dipaco
