#include "bench/bare_loop.hpp"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "core/model/layout.hpp"

namespace dipaco {
namespace {

using at::Tensor;
namespace nn = torch::nn;

struct RmsNormImpl : nn::Module {
  RmsNormImpl(std::int64_t size, double epsilon) : epsilon_(epsilon) {
    weight_ = register_parameter("weight", torch::ones({size}));
  }
  Tensor forward(const Tensor& x) { return at::rms_norm(x, weight_.sizes(), weight_, epsilon_); }

 private:
  Tensor weight_;
  double epsilon_;
};
TORCH_MODULE(RmsNorm);

/// What the blocks read beside their input: made once a batch.
struct Positions {
  Tensor cosines;  ///< [rows, 1, length, head_size]
  Tensor sines;
  Tensor mask;  ///< [rows, 1, length, length] or undefined
};

Tensor rotated(const Tensor& x, const Positions& positions) {
  const auto halves = x.chunk(2, -1);
  return x * positions.cosines + at::cat({-halves[1], halves[0]}, -1) * positions.sines;
}

/// Rows of a batch that go through the model together.
struct Part {
  std::int64_t first = 0;
  std::int64_t rows = 0;
  at::Device device;
};

struct BlockImpl : nn::Module {
  explicit BlockImpl(const ModelOptions& model) : model_(model) {
    const std::int64_t queries = model.heads * model.head_size;
    const std::int64_t keys = key_value_heads(model) * model.head_size;
    const auto linear = [this](const char* name, std::int64_t in, std::int64_t out) {
      return register_module(name, nn::Linear(nn::LinearOptions(in, out).bias(false)));
    };
    attention_norm_ = register_module("input_layernorm", RmsNorm(model.hidden, model.norm_epsilon));
    mlp_norm_ = register_module("post_attention_layernorm", RmsNorm(model.hidden, model.norm_epsilon));
    query_ = linear("q_proj", model.hidden, queries);
    key_ = linear("k_proj", model.hidden, keys);
    value_ = linear("v_proj", model.hidden, keys);
    output_ = linear("o_proj", queries, model.hidden);
    gate_ = linear("gate_proj", model.hidden, mlp_width(model));
    up_ = linear("up_proj", model.hidden, mlp_width(model));
    down_ = linear("down_proj", mlp_width(model), model.hidden);
  }

  Tensor forward(Tensor x, const Positions& positions) {
    x = x + attention(attention_norm_(x), positions);
    const Tensor y = mlp_norm_(x);
    return x + down_(at::silu(gate_(y)) * up_(y));
  }

 private:
  Tensor attention(const Tensor& x, const Positions& positions) {
    const auto by_head = [&](const Tensor& y) {
      return y.view({x.size(0), x.size(1), -1, model_.head_size}).transpose(1, 2);
    };
    std::optional<Tensor> mask;
    if (positions.mask.defined()) mask = positions.mask;
    const Tensor mixed =
        at::scaled_dot_product_attention(rotated(by_head(query_(x)), positions), rotated(by_head(key_(x)), positions),
                                         by_head(value_(x)), mask, 0.0, !mask.has_value());
    return output_(mixed.transpose(1, 2).reshape({x.size(0), x.size(1), -1}));
  }

  ModelOptions model_;
  RmsNorm attention_norm_{nullptr}, mlp_norm_{nullptr};
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  nn::Linear gate_{nullptr}, up_{nullptr}, down_{nullptr};
};
TORCH_MODULE(Block);

struct ModelImpl : nn::Module {
  explicit ModelImpl(const ModelOptions& model) {
    embedding_ = register_module("embed_tokens", nn::Embedding(model.vocabulary, model.hidden));
    blocks_ = register_module("layers", nn::ModuleList());
    for (std::int64_t b = 0; b < model.blocks; ++b) blocks_->push_back(Block(model));
    norm_ = register_module("norm", RmsNorm(model.hidden, model.norm_epsilon));
    torch::NoGradGuard no_gradients;
    embedding_->weight.mul_(0.02);
  }

  Tensor forward(const Tensor& tokens, const Positions& positions) {
    Tensor x = embedding_(tokens);
    for (const auto& block : *blocks_) x = block->as<Block>()->forward(x, positions);
    return at::matmul(norm_(x), embedding_->weight.t());
  }

 private:
  nn::Embedding embedding_{nullptr};
  nn::ModuleList blocks_{nullptr};
  RmsNorm norm_{nullptr};
};
TORCH_MODULE(Model);

/// Rows first to first + rows - 1 of one of a batch's arrays.
Tensor as_tensor(const std::vector<std::int32_t>& values, const Batch& batch, const Part& part) {
  const auto first = values.begin() + part.first * batch.length;
  const std::vector<std::int64_t> numbers(first, first + part.rows * batch.length);
  return torch::tensor(numbers, at::kLong).view({part.rows, batch.length}).to(part.device);
}

Positions positions_of(const Batch& batch, const ModelOptions& model, const Part& part) {
  const auto floats = at::TensorOptions(part.device).dtype(at::kFloat);
  const Tensor frequencies =
      at::pow(model.rope_base, -at::arange(0, model.head_size, 2, floats) / static_cast<double>(model.head_size));
  const Tensor half = as_tensor(batch.positions, batch, part).unsqueeze(-1) * frequencies;
  const Tensor angles = at::cat({half, half}, -1).unsqueeze(1);
  const Positions result{angles.cos(), angles.sin(), {}};
  if (std::ranges::none_of(batch.segments, [](std::int32_t segment) { return segment > 0; })) return result;
  const Tensor segments = as_tensor(batch.segments, batch, part);
  const Tensor same = segments.unsqueeze(2) == segments.unsqueeze(1);
  const Tensor seen = same.logical_and(at::ones({batch.length, batch.length}, same.options()).tril());
  const Tensor mask = at::zeros(seen.sizes(), floats).masked_fill(~seen, -std::numeric_limits<float>::infinity());
  return {result.cosines, result.sines, mask.unsqueeze(1)};
}

/// Within its life matrix products and attention of the device are in bf16, if at all.
class Autocast {
 public:
  Autocast(at::Device device, bool bf16) : type_(device.type()) {
    at::autocast::set_autocast_dtype(type_, at::kBFloat16);
    at::autocast::set_autocast_enabled(type_, bf16);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(type_, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType type_;
};

}  // namespace

struct BareLoop::Parts {
  ModelOptions options;
  InnerOptions inner;
  at::Device device;
  Model model;
  torch::optim::AdamW adamw;
};

BareLoop::BareLoop(const ModelOptions& model, const InnerOptions& inner, const std::string& device) {
  Model made(model);
  made->to(at::Device(device));
  torch::optim::AdamW adamw(made->parameters(), torch::optim::AdamWOptions(inner.learning_rate)
                                                    .betas({inner.beta1, inner.beta2})
                                                    .eps(inner.epsilon)
                                                    .weight_decay(inner.weight_decay));
  parts_ = std::make_unique<Parts>(Parts{model, inner, at::Device(device), made, std::move(adamw)});
}

BareLoop::~BareLoop() = default;

Tensor BareLoop::step(const Batch& batch) {
  at::set_num_threads(1);
  parts_->adamw.zero_grad();
  const auto targets = std::ranges::count_if(batch.targets, [](std::int32_t target) { return target >= 0; });
  const std::int64_t rows = parts_->inner.micro_batch > 0 ? parts_->inner.micro_batch : batch.rows;
  const auto options = nn::functional::CrossEntropyFuncOptions().ignore_index(Batch::kNoTarget).reduction(torch::kSum);
  Tensor sum = at::zeros({}, at::TensorOptions(parts_->device));
  for (std::int64_t first = 0; first < batch.rows; first += rows) {
    const Part part{first, std::min(rows, batch.rows - first), parts_->device};
    Tensor loss;
    {
      const Autocast autocast(part.device, parts_->inner.precision == "bf16");
      const Tensor logits =
          parts_->model(as_tensor(batch.tokens, batch, part), positions_of(batch, parts_->options, part));
      loss = nn::functional::cross_entropy(logits.flatten(0, 1), as_tensor(batch.targets, batch, part).flatten(),
                                           options) /
             static_cast<double>(targets);
    }
    loss.backward();
    sum += loss.detach();
  }
  torch::nn::utils::clip_grad_norm_(parts_->model->parameters(), parts_->inner.clip);
  parts_->adamw.step();
  return sum;
}

}  // namespace dipaco
