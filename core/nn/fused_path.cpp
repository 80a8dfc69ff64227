#include "core/nn/fused_path.hpp"

#include "core/model/layout.hpp"
#include "core/nn/attention.hpp"

namespace dipaco {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using Handle = c10::intrusive_ptr<FusedKernels>;
using Name = FusedKernels::Name;

constexpr int kThreads = 256;              // of a block
constexpr std::int64_t kRows = 8;          // of a weight's gradient that a warp adds up, at least
constexpr std::int64_t kMostBlocks = 528;  // that share a weight's gradient: a few for each part of a large GPU

std::int64_t blocks_for(std::int64_t work, int threads) { return (work + threads - 1) / threads; }

template <class T>
T* data(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.data_ptr()) : nullptr;
}

void keep(AutogradContext* context, const Handle& kernels) {
  context->saved_data["kernels"] = c10::IValue::make_capsule(kernels);
}

Handle kept(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<FusedKernels>(context->saved_data["kernels"].toCapsule());
}

at::TensorOptions bf16_of(const at::Tensor& x) { return x.options().dtype(at::kBFloat16); }

struct Normed {
  at::Tensor sum;      ///< [n, hidden]; x itself where nothing was added
  at::Tensor y;        ///< [n, hidden] bf16
  at::Tensor inverse;  ///< [n]
};

Normed add_norm(const FusedKernels& kernels, const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight) {
  const std::int64_t n = x.size(0);
  const int warps = kernels.norm_warps();
  const Normed result{added.defined() ? at::empty_like(x) : x, at::empty(x.sizes(), bf16_of(x)),
                      at::empty({n}, x.options())};
  kernels.start(Name::add_norm, blocks_for(n, warps), 32 * warps, static_cast<long long>(n), data<const float>(x),
                data<const void>(added), data<const float>(weight), static_cast<float>(kernels.model().norm_epsilon),
                data<float>(result.sum), data<void>(result.y), data<float>(result.inverse));
  return result;
}

struct NormGradients {
  at::Tensor x;       ///< [n, hidden]
  at::Tensor added;   ///< [n, hidden] bf16, where asked for
  at::Tensor weight;  ///< [hidden]
};

/// `saved`: sum, weight, inverse. `of_sum` may be undefined.
NormGradients add_norm_gradient(const FusedKernels& kernels, const variable_list& saved, const at::Tensor& of_y,
                                const at::Tensor& of_sum, bool with_added) {
  const at::Tensor& sum = saved[0];
  const std::int64_t n = sum.size(0);
  const int warps = kernels.norm_warps();
  const std::int64_t blocks = std::min(kMostBlocks, blocks_for(n, static_cast<int>(kRows) * warps));
  const at::Tensor y_gradient = of_y.contiguous();
  const at::Tensor sum_gradient = of_sum.defined() ? of_sum.contiguous() : of_sum;
  NormGradients result{at::empty_like(sum), with_added ? at::empty(sum.sizes(), bf16_of(sum)) : at::Tensor(), {}};
  const at::Tensor parts = at::empty({blocks, sum.size(1)}, sum.options());
  kernels.start(Name::add_norm_gradient, blocks, 32 * warps, static_cast<long long>(n), data<const float>(sum),
                data<const float>(saved[1]), data<const float>(saved[2]), data<const void>(y_gradient),
                data<const float>(sum_gradient), data<float>(result.x), data<void>(result.added), data<float>(parts));
  result.weight = parts.sum(0);
  return result;
}

/// RMSNorm of x: y in bf16.
struct NormFunction : Function<NormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const Handle& kernels) {
    Normed normed = add_norm(*kernels, x, {}, weight);
    context->save_for_backward({x, weight, normed.inverse});
    keep(context, kernels);
    return normed.y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    NormGradients made =
        add_norm_gradient(*kept(context), context->get_saved_variables(), gradients[0], {}, /*with_added=*/false);
    return {std::move(made.x), std::move(made.weight), at::Tensor()};
  }
};

/// x + added, and its RMSNorm.
struct AddNormFunction : Function<AddNormFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& added,
                               const at::Tensor& weight, const Handle& kernels) {
    Normed normed = add_norm(*kernels, x, added, weight);
    context->save_for_backward({normed.sum, weight, normed.inverse});
    keep(context, kernels);
    return {normed.sum, normed.y};
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    NormGradients made = add_norm_gradient(*kept(context), context->get_saved_variables(), gradients[1], gradients[0],
                                           /*with_added=*/true);
    return {std::move(made.x), std::move(made.added), std::move(made.weight), at::Tensor()};
  }
};

struct GateFunction : Function<GateFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up, const Handle& kernels) {
    context->save_for_backward({gate_up});
    keep(context, kernels);
    const std::int64_t n = gate_up.size(0), width = gate_up.size(1) / 2;
    at::Tensor out = at::empty({n, width}, gate_up.options());
    kernels->start(Name::gate, blocks_for(n * width / pack_of(width), kThreads), kThreads, static_cast<long long>(n),
                   data<const void>(gate_up), data<void>(out));
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor gate_up = context->get_saved_variables()[0];
    const at::Tensor out_gradient = gradients[0].contiguous();
    const std::int64_t n = gate_up.size(0), width = gate_up.size(1) / 2;
    at::Tensor result = at::empty_like(gate_up);
    kept(context)->start(Name::gate_gradient, blocks_for(n * width / pack_of(width), kThreads), kThreads,
                         static_cast<long long>(n), data<const void>(gate_up), data<const void>(out_gradient),
                         data<void>(result));
    return {std::move(result), at::Tensor()};
  }

 private:
  static std::int64_t pack_of(std::int64_t width) { return width % 8 == 0 ? 8 : 1; }
};

/// qkv [n, (heads + 2 key_value_heads) * head_size] taken apart and turned, as split_and_rotate does.
struct SplitFunction : Function<SplitFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const BatchTensors& batch,
                               const Handle& kernels) {
    context->save_for_backward({batch.cosines, batch.sines});
    keep(context, kernels);
    const ModelOptions& model = kernels->model();
    const auto part = [&](std::int64_t heads) {
      return at::empty({batch.rows, batch.length, heads, model.head_size}, qkv.options());
    };
    const std::int64_t key_heads = key_value_heads(model);
    variable_list parts{part(model.heads), part(key_heads), part(key_heads)};
    kernels->start(Name::rotate, blocks_for(threads_of(model, qkv.size(0)), kThreads), kThreads,
                   static_cast<long long>(qkv.size(0)), data<const void>(qkv), data<const float>(batch.cosines),
                   data<const float>(batch.sines), data<void>(parts[0]), data<void>(parts[1]), data<void>(parts[2]));
    return parts;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Handle kernels = kept(context);
    const ModelOptions& model = kernels->model();
    const variable_list saved = context->get_saved_variables();
    const at::Tensor q = gradients[0].contiguous(), k = gradients[1].contiguous(), v = gradients[2].contiguous();
    const std::int64_t n = saved[0].size(0);
    at::Tensor result = at::empty({n, (model.heads + 2 * key_value_heads(model)) * model.head_size}, q.options());
    kernels->start(Name::rotate_gradient, blocks_for(threads_of(model, n), kThreads), kThreads,
                   static_cast<long long>(n), data<const void>(q), data<const void>(k), data<const void>(v),
                   data<const float>(saved[0]), data<const float>(saved[1]), data<void>(result));
    return {std::move(result), at::Tensor(), at::Tensor()};
  }

 private:
  static std::int64_t threads_of(const ModelOptions& model, std::int64_t n) {
    const std::int64_t half = model.head_size / 2;
    return n * (model.heads + 2 * key_value_heads(model)) * (half % 8 == 0 ? half / 8 : half);
  }
};

at::Tensor times(const at::Tensor& x, const at::Tensor& weight) { return at::mm(x, weight.to(at::kBFloat16).t()); }

}  // namespace

at::Tensor run_fused_blocks(const Handle& kernels, std::span<const BlockTensors> blocks, const BatchTensors& batch,
                            at::Tensor x) {
  at::Tensor added;  // to x, in the next norm
  const auto norm = [&](const at::Tensor& weight) {
    if (!added.defined()) return NormFunction::apply(x, weight, kernels);
    variable_list both = AddNormFunction::apply(x, added, weight, kernels);
    x = std::move(both[0]);
    return std::move(both[1]);
  };
  for (const BlockTensors& block : blocks) {
    variable_list parts = SplitFunction::apply(times(norm(block.attention_norm), block.qkv), batch, kernels);
    added = times(attention({parts[0], parts[1], parts[2]}, batch), block.output);
    added = times(GateFunction::apply(times(norm(block.mlp_norm), block.gate_up), kernels), block.down);
  }
  return added.defined() ? x + added : x;
}

at::Tensor to_logit_gradient(const FusedKernels& kernels, const at::Tensor& logits, const at::Tensor& targets,
                             double scale) {
  constexpr int kHeadThreads = 512;
  at::Tensor nats = at::empty({logits.size(0)}, logits.options().dtype(at::kFloat));
  kernels.start(Name::head_gradient, logits.size(0), kHeadThreads, data<void>(logits), data<const void>(targets),
                static_cast<float>(scale), data<float>(nats));
  return nats;
}

}  // namespace dipaco
