#include "core/nn/block_chain.hpp"

#include <utility>

namespace dipaco {

at::Tensor BlockChain::run(const Part& part) const {
  const auto blocks = std::span<const BlockTensors>(path_.blocks).subspan(part.first, part.count);
  return run_blocks(options_, blocks, batch_, part.input);
}

at::Tensor BlockChain::forward(at::Tensor x) {
  const std::size_t blocks = path_.blocks.size(), step = recompute_ ? 1 : blocks;
  for (std::size_t first = 0; first < blocks; first += step) {
    Part part{.first = first, .count = step, .input = x.detach().requires_grad_(true), .output = {}};
    if (recompute_) {
      const at::NoGradGuard no_gradients;
      x = run(part);
    } else {
      x = part.output = run(part);
    }
    parts_.push_back(std::move(part));
  }
  return x.detach().requires_grad_(true);
}

at::Tensor BlockChain::backward(at::Tensor gradient) {
  while (!parts_.empty()) {
    Part part = std::move(parts_.back());
    parts_.pop_back();
    const at::Tensor output = part.output.defined() ? std::move(part.output) : run(part);
    output.backward(gradient);
    gradient = part.input.grad();
  }
  return gradient;
}

}  // namespace dipaco
