#include "core/nn/functions.hpp"

#include <array>

#include "core/nn/kernels.hpp"

namespace dipaco {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct RmsNormFunction : Function<RmsNormFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    const at::Tensor y = at::empty_like(x);
    const at::Tensor inverse_rms = at::empty({x.size(0)}, x.options());
    rms_norm({.n = x.size(0),
              .d = x.size(1),
              .epsilon = static_cast<float>(epsilon),
              .x = x.const_data_ptr<float>(),
              .weight = weight.const_data_ptr<float>(),
              .y = y.mutable_data_ptr<float>(),
              .inverse_rms = inverse_rms.mutable_data_ptr<float>()});
    context->save_for_backward({x, weight, inverse_rms});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor y_gradient = gradients[0].contiguous();
    at::Tensor x_gradient = at::empty_like(saved[0]);
    at::Tensor weight_gradient = at::empty_like(saved[1]);
    rms_norm_gradient({.n = saved[0].size(0),
                       .d = saved[0].size(1),
                       .x = saved[0].const_data_ptr<float>(),
                       .weight = saved[1].const_data_ptr<float>(),
                       .inverse_rms = saved[2].const_data_ptr<float>(),
                       .y_gradient = y_gradient.const_data_ptr<float>(),
                       .x_gradient = x_gradient.mutable_data_ptr<float>(),
                       .weight_gradient = weight_gradient.mutable_data_ptr<float>()});
    return {std::move(x_gradient), std::move(weight_gradient), at::Tensor()};
  }
};

/// Where what goes into a run is made in fp32: there, or in a tensor of its own, which to_run then puts there.
at::Tensor fp32_run(const at::Tensor& run) {
  return run.scalar_type() == at::kFloat ? run : at::empty(run.sizes(), run.options().dtype(at::kFloat));
}
void to_run(const at::Tensor& run, const at::Tensor& made) {
  if (!made.is_same(run)) run.copy_(made);
}

struct GatedFunction : Function<GatedFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up) {
    const std::int64_t width = gate_up.size(1) / 2;
    context->save_for_backward({gate_up});
    const at::Tensor result = at::empty({gate_up.size(0), width}, gate_up.options());
    for_each_run(gate_up, [&](std::int64_t first, std::int64_t rows) {
      const at::Tensor from = gate_up.narrow(0, first, rows).to(at::kFloat), to = result.narrow(0, first, rows);
      at::Tensor made = fp32_run(to);
      at::silu_out(made, from.narrow(1, 0, width)).mul_(from.narrow(1, width, width));
      to_run(to, made);
    });
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor gate_up = context->get_saved_variables()[0];
    const std::int64_t width = gate_up.size(1) / 2;
    at::Tensor result = at::empty_like(gate_up);
    for_each_run(gate_up, [&](std::int64_t first, std::int64_t rows) {
      const at::Tensor from = gate_up.narrow(0, first, rows).to(at::kFloat);
      const at::Tensor gradient = gradients[0].narrow(0, first, rows).to(at::kFloat);
      const at::Tensor gate = from.narrow(1, 0, width), to = result.narrow(0, first, rows), made = fp32_run(to);
      at::Tensor gate_gradient = made.narrow(1, 0, width), up_gradient = made.narrow(1, width, width);
      at::silu_out(up_gradient, gate).mul_(gradient);
      at::mul_out(gate_gradient, gradient, from.narrow(1, width, width));
      at::silu_backward_out(gate_gradient, gate_gradient, gate);
      to_run(to, made);
    });
    return {std::move(result)};
  }
};

/// Queries, keys and values lie side by side in each row of qkv, and each apart in one tensor of its own, in fp32.
struct RotateFunction : Function<RotateFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& cosines,
                               const at::Tensor& sines, const HeadShape& shape) {
    context->save_for_backward({cosines, sines});
    context->saved_data["heads"] = shape.heads;
    context->saved_data["key_value_heads"] = shape.key_value_heads;
    context->saved_data["type"] = qkv.scalar_type();
    const auto apart = [&](std::int64_t heads) {
      return at::empty({shape.rows, shape.length, heads, shape.head_size}, cosines.options());
    };
    variable_list parts{apart(shape.heads), apart(shape.key_value_heads), apart(shape.key_value_heads)};
    for_each_run(qkv, [&](std::int64_t first, std::int64_t rows) {
      const at::Tensor run = qkv.narrow(0, first, rows).to(at::kFloat);
      Rotation rotation = rotation_of(cosines, sines, first, rows);
      const float* from = run.const_data_ptr<float>();
      for (std::size_t part = 0; part < 3; ++part) {
        rotation.heads = parts[part].size(2);
        const std::int64_t width = rotation.heads * shape.head_size;
        const Heads<float> to{parts[part].mutable_data_ptr<float>() + first * width, width};
        (part < 2 ? rotate : copy_heads)(rotation, {from, qkv.size(1)}, to);
        from += width;
      }
    });
    return parts;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const std::int64_t key_value_heads = context->saved_data["key_value_heads"].toInt();
    const std::int64_t head_size = 2 * saved[0].size(1), stride = (heads + 2 * key_value_heads) * head_size;
    at::Tensor result =
        at::empty({saved[0].size(0), stride}, saved[0].options().dtype(context->saved_data["type"].toScalarType()));
    const std::array<at::Tensor, 3> parts{gradients[0].contiguous(), gradients[1].contiguous(),
                                          gradients[2].contiguous()};
    for_each_run(result, [&](std::int64_t first, std::int64_t rows) {
      const at::Tensor to_rows = result.narrow(0, first, rows), made = fp32_run(to_rows);
      Rotation rotation = rotation_of(saved[0], saved[1], first, rows);
      rotation.direction = -1;
      float* to = made.mutable_data_ptr<float>();
      for (std::size_t part = 0; part < 3; ++part) {
        rotation.heads = part == 0 ? heads : key_value_heads;
        const std::int64_t width = rotation.heads * head_size;
        const float* const from = parts[part].const_data_ptr<float>() + first * width;
        (part < 2 ? rotate : copy_heads)(rotation, {from, width}, {to, stride});
        to += width;
      }
      to_run(to_rows, made);
    });
    return {std::move(result), at::Tensor(), at::Tensor(), at::Tensor()};
  }

 private:
  /// Of `rows` rows from `first` on, without heads.
  static Rotation rotation_of(const at::Tensor& cosines, const at::Tensor& sines, std::int64_t first,
                              std::int64_t rows) {
    const std::int64_t half = cosines.size(1);
    return {.n = rows,
            .heads = 0,
            .head_size = 2 * half,
            .cosines = cosines.const_data_ptr<float>() + first * half,
            .sines = sines.const_data_ptr<float>() + first * half};
  }
};

/// [n, heads, head_size] with each vector's halves turned, as kernels.hpp's `rotate` does.
at::Tensor turned(const at::Tensor& x, const at::Tensor& cosines, const at::Tensor& sines) {
  const auto halves = x.chunk(2, 2);
  const at::Tensor c = cosines.unsqueeze(1), s = sines.unsqueeze(1);
  return at::cat({halves[0] * c - halves[1] * s, halves[1] * c + halves[0] * s}, 2);
}

Attended split_and_rotate_by_library(const at::Tensor& qkv, const at::Tensor& cosines, const at::Tensor& sines,
                                     const HeadShape& shape) {
  const std::int64_t width = shape.heads * shape.head_size, kv_width = shape.key_value_heads * shape.head_size;
  const auto part = [&](std::int64_t begin, std::int64_t size, std::int64_t heads) {
    return qkv.narrow(1, begin, size).view({qkv.size(0), heads, shape.head_size});
  };
  const auto by_row = [&](const at::Tensor& x) {
    return x.reshape({shape.rows, shape.length, x.size(1), shape.head_size});
  };
  return {by_row(turned(part(0, width, shape.heads), cosines, sines)),
          by_row(turned(part(width, kv_width, shape.key_value_heads), cosines, sines)),
          by_row(part(width + kv_width, kv_width, shape.key_value_heads))};
}

}  // namespace

at::Tensor raw_product(const at::Tensor& x, const at::Tensor& weight, bool bf16) {
  if (!bf16) return at::mm(x, weight.t());
  return at::mm(x.to(at::kBFloat16), weight.to(at::kBFloat16).t());
}

at::Tensor product(const at::Tensor& x, const at::Tensor& weight, bool bf16) {
  return raw_product(x, weight, bf16).to(at::kFloat);
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon, bool own_kernels) {
  if (!own_kernels) return at::rms_norm(x, {x.size(1)}, weight, epsilon);
  return RmsNormFunction::apply(x, weight, epsilon);
}

at::Tensor gated(const at::Tensor& gate_up) { return GatedFunction::apply(gate_up); }

Attended split_and_rotate(const at::Tensor& qkv, const at::Tensor& cosines, const at::Tensor& sines,
                          const HeadShape& shape, bool own_kernels) {
  if (!own_kernels) return split_and_rotate_by_library(qkv.to(at::kFloat), cosines, sines, shape);
  variable_list parts = RotateFunction::apply(qkv, cosines, sines, shape);
  return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

}  // namespace dipaco
