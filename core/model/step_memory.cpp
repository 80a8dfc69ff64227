#include "core/model/step_memory.hpp"

#include "core/model/layout.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kLogitsAtATime = 1 << 28;  // as core/nn/head.cpp has it on a GPU

Bytes bytes(std::int64_t values, std::int64_t each) { return {static_cast<std::uint64_t>(values * each)}; }

}  // namespace

std::int64_t StepMemory::rows_in(Bytes memory) const {
  if (memory < state) return 0;
  const std::uint64_t rest = memory.value - state.value;
  const std::uint64_t with_all_logits = rest / (row.value + logits.value);
  const std::uint64_t with_the_most = rest < most_logits.value ? 0 : (rest - most_logits.value) / row.value;
  return static_cast<std::int64_t>(std::max(with_all_logits, with_the_most));
}

StepMemory step_memory(const ModelOptions& model, const StepForm& form) {
  const std::int64_t width = form.bf16 ? 2 : 4;
  const std::int64_t logit = form.bf16 ? 2 : 8;  // in fp32 their logarithms lie beside them
  const std::int64_t queries = model.heads * model.head_size;
  const std::int64_t keys = key_value_heads(model) * model.head_size;
  const std::int64_t block = model.hidden * (2 * queries + 2 * keys + 3 * mlp_width(model) + 2);
  const std::int64_t parameters = model.blocks * block + model.hidden * (model.vocabulary + 1);
  // A block's input and the sum behind attention, each also normed; queries and keys, each also turned, values, and
  // what attention makes of them; gate, the width beside it, and their product.
  const std::int64_t inside = 4 * model.hidden + 3 * queries + 3 * keys + 3 * mlp_width(model);
  const std::int64_t kept = form.recompute ? model.blocks * model.hidden + inside : model.blocks * inside;
  return {.state = bytes(parameters, form.bf16 ? 18 : 16),
          .row = bytes(model.sequence * kept, width),
          .logits = bytes(model.sequence * model.vocabulary, logit),
          .most_logits = bytes(kLogitsAtATime, logit)};
}

}  // namespace dipaco
