#include "core/nn/path_tensors.hpp"

#include <map>
#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

class Slots {
 public:
  Slots(const at::Tensor& flat, const PathLayout& layout) : flat_(flat) {
    for (const TensorSlot& slot : layout.slots) slots_[slot.name] = &slot;
  }

  at::Tensor vector(const std::string& name) const {
    const TensorSlot& slot = at(name);
    return flat_.narrow(0, static_cast<std::int64_t>(slot.offset), static_cast<std::int64_t>(slot.size));
  }

  /// Matrices of one width that follow one another, as one.
  at::Tensor matrix(const std::vector<std::string>& names) const {
    const TensorSlot& first = at(names.front());
    std::size_t end = first.offset;
    for (const std::string& name : names) {
      check(at(name).offset == end && at(name).shape.at(1) == first.shape.at(1), name + " follows the one before it");
      end += at(name).size;
    }
    const auto size = static_cast<std::int64_t>(end - first.offset);
    const std::int64_t width = first.shape[1];
    return flat_.narrow(0, static_cast<std::int64_t>(first.offset), size).view({size / width, width});
  }

 private:
  const TensorSlot& at(const std::string& name) const {
    const auto found = slots_.find(name);
    check(found != slots_.end(), "the layout has " + name);
    return *found->second;
  }

  const at::Tensor& flat_;
  std::map<std::string, const TensorSlot*> slots_;
};

void collect(at::Tensor& parameter, const at::Tensor& gradient) {
  parameter.requires_grad_(true);
  parameter.mutable_grad() = gradient;
}

}  // namespace

PathTensors::PathTensors(const at::Tensor& flat, const PathLayout& layout, const ModelOptions& model) {
  const Slots slots(flat, layout);
  for (std::int64_t b = 0; b < model.blocks; ++b) {
    const std::string block = "model.layers." + std::to_string(b) + ".";
    const std::string attention = block + "self_attn.";
    const std::string mlp = block + "mlp.";
    blocks.push_back(
        {.attention_norm = slots.vector(block + "input_layernorm.weight"),
         .qkv = slots.matrix({attention + "q_proj.weight", attention + "k_proj.weight", attention + "v_proj.weight"}),
         .output = slots.matrix({attention + "o_proj.weight"}),
         .mlp_norm = slots.vector(block + "post_attention_layernorm.weight"),
         .gate_up = slots.matrix({mlp + "gate_proj.weight", mlp + "up_proj.weight"}),
         .down = slots.matrix({mlp + "down_proj.weight"})});
  }
  final_norm = slots.vector("model.norm.weight");
  embedding = slots.matrix({"model.embed_tokens.weight"});
}

void collect_gradients(PathTensors& tensors, const PathTensors& gradients) {
  for (std::size_t b = 0; b < tensors.blocks.size(); ++b) {
    BlockTensors& block = tensors.blocks[b];
    const BlockTensors& gradient = gradients.blocks[b];
    collect(block.attention_norm, gradient.attention_norm);
    collect(block.qkv, gradient.qkv);
    collect(block.output, gradient.output);
    collect(block.mlp_norm, gradient.mlp_norm);
    collect(block.gate_up, gradient.gate_up);
    collect(block.down, gradient.down);
  }
  collect(tensors.final_norm, gradients.final_norm);
}

}  // namespace dipaco
