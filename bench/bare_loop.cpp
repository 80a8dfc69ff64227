#include "bench/bare_loop.hpp"

#include <torch/torch.h>

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

Tensor as_tensor(const std::vector<std::int32_t>& values, const Batch& batch) {
  return torch::tensor(values, at::kLong).view({batch.rows, batch.length});
}

Positions positions_of(const Batch& batch, const ModelOptions& model) {
  const Tensor frequencies =
      at::pow(model.rope_base, -at::arange(0, model.head_size, 2, at::kFloat) / static_cast<double>(model.head_size));
  const Tensor half = as_tensor(batch.positions, batch).unsqueeze(-1) * frequencies;
  const Tensor angles = at::cat({half, half}, -1).unsqueeze(1);
  const Tensor segments = as_tensor(batch.segments, batch);
  const Tensor same = segments.unsqueeze(2) == segments.unsqueeze(1);
  const Tensor seen = same.logical_and(at::ones({batch.length, batch.length}, at::kBool).tril());
  Positions result{angles.cos(), angles.sin(), {}};
  if (segments.max().item<std::int64_t>() == 0) return result;
  result.mask = at::zeros(seen.sizes()).masked_fill(~seen, -std::numeric_limits<float>::infinity()).unsqueeze(1);
  return result;
}

}  // namespace

struct BareLoop::Parts {
  ModelOptions options;
  InnerOptions inner;
  Model model;
  torch::optim::AdamW adamw;
};

BareLoop::BareLoop(const ModelOptions& model, const InnerOptions& inner) {
  Model made(model);
  torch::optim::AdamW adamw(made->parameters(), torch::optim::AdamWOptions(inner.learning_rate)
                                                    .betas({inner.beta1, inner.beta2})
                                                    .eps(inner.epsilon)
                                                    .weight_decay(inner.weight_decay));
  parts_ = std::make_unique<Parts>(Parts{model, inner, made, std::move(adamw)});
}

BareLoop::~BareLoop() = default;

double BareLoop::step(const Batch& batch) {
  at::set_num_threads(1);
  parts_->adamw.zero_grad();
  const Tensor logits = parts_->model(as_tensor(batch.tokens, batch), positions_of(batch, parts_->options));
  const auto options = nn::functional::CrossEntropyFuncOptions().ignore_index(Batch::kNoTarget);
  const Tensor loss =
      nn::functional::cross_entropy(logits.flatten(0, 1), as_tensor(batch.targets, batch).flatten(), options);
  loss.backward();
  torch::nn::utils::clip_grad_norm_(parts_->model->parameters(), parts_->inner.clip);
  parts_->adamw.step();
  return loss.item<double>();
}

}  // namespace dipaco
