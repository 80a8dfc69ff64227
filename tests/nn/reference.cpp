#include "tests/nn/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco::testing {
namespace {

double dot(const double* a, const double* b, std::int64_t n) { return std::inner_product(a, a + n, b, 0.0); }

const TensorSlot& slot_of(const PathLayout& layout, const std::string& name) {
  for (const TensorSlot& slot : layout.slots) {
    if (slot.name == name) return slot;
  }
  check(false, "the layout has " + name);
  return layout.slots.front();
}

}  // namespace

Reference::Reference(const ModelOptions& model, std::span<const double> parameters)
    : model_(model), layout_(layout_of(model)), parameters_(parameters.begin(), parameters.end()) {}

const double* Reference::tensor(const std::string& name) const {
  return parameters_.data() + slot_of(layout_, name).offset;
}

Reference::Vector Reference::norm(const Vector& x, const std::string& name) const {
  const double squares = dot(x.data(), x.data(), std::ssize(x)) / static_cast<double>(x.size());
  Vector y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) y[k] = x[k] / std::sqrt(squares + model_.norm_epsilon) * tensor(name)[k];
  return y;
}

Reference::Vector Reference::multiply(const Vector& x, const std::string& name) const {
  const auto& shape = slot_of(layout_, name).shape;
  Vector y(static_cast<std::size_t>(shape[0]));
  for (std::int64_t k = 0; k < shape[0]; ++k) {
    y[static_cast<std::size_t>(k)] = dot(tensor(name) + k * shape[1], x.data(), shape[1]);
  }
  return y;
}

/// Each head's pairs (k, k + half) turn by position / base^(2k / head_size).
Reference::Vector Reference::turned(Vector x, double position) const {
  const auto size = static_cast<std::size_t>(model_.head_size);
  for (std::size_t head = 0; head < x.size(); head += size) {
    for (std::size_t k = 0; k < size / 2; ++k) {
      const double angle =
          position * std::pow(model_.rope_base, -2.0 * static_cast<double>(k) / static_cast<double>(size));
      double& a = x[head + k];
      double& b = x[head + k + size / 2];
      const double turned_a = a * std::cos(angle) - b * std::sin(angle);
      b = b * std::cos(angle) + a * std::sin(angle);
      a = turned_a;
    }
  }
  return x;
}

void Reference::attend(std::vector<Vector>& x, const Batch& batch, const std::string& block) const {
  std::vector<Vector> queries, keys, values;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Vector y = norm(x[t], block + "input_layernorm.weight");
    queries.push_back(turned(multiply(y, block + "self_attn.q_proj.weight"), batch.positions[t]));
    keys.push_back(turned(multiply(y, block + "self_attn.k_proj.weight"), batch.positions[t]));
    values.push_back(multiply(y, block + "self_attn.v_proj.weight"));
  }
  const std::int64_t size = model_.head_size;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const auto first = static_cast<std::size_t>(static_cast<std::int64_t>(t) / batch.length * batch.length);
    Vector mixed(queries[t].size());
    for (std::int64_t head = 0; head < model_.heads; ++head) {
      const std::int64_t shared = head / (model_.heads / key_value_heads(model_)) * size;
      double sum = 0;
      Vector mean(static_cast<std::size_t>(size));
      for (std::size_t s = first; s <= t; ++s) {
        if (batch.segments[s] != batch.segments[t]) continue;
        const double score = dot(queries[t].data() + head * size, keys[s].data() + shared, size);
        const double weight = std::exp(score / std::sqrt(static_cast<double>(size)));
        sum += weight;
        for (std::int64_t k = 0; k < size; ++k) {
          mean[static_cast<std::size_t>(k)] += weight * values[s][static_cast<std::size_t>(shared + k)];
        }
      }
      for (std::int64_t k = 0; k < size; ++k) {
        mixed[static_cast<std::size_t>(head * size + k)] = mean[static_cast<std::size_t>(k)] / sum;
      }
    }
    const Vector out = multiply(mixed, block + "self_attn.o_proj.weight");
    for (std::size_t k = 0; k < out.size(); ++k) x[t][k] += out[k];
  }
}

void Reference::feed(std::vector<Vector>& x, const std::string& block) const {
  for (Vector& state : x) {
    const Vector y = norm(state, block + "post_attention_layernorm.weight");
    Vector gate = multiply(y, block + "mlp.gate_proj.weight");
    const Vector up = multiply(y, block + "mlp.up_proj.weight");
    for (std::size_t k = 0; k < gate.size(); ++k) gate[k] = gate[k] / (1 + std::exp(-gate[k])) * up[k];
    const Vector out = multiply(gate, block + "mlp.down_proj.weight");
    for (std::size_t k = 0; k < out.size(); ++k) state[k] += out[k];
  }
}

std::vector<std::vector<double>> Reference::states(const Batch& batch) const {
  std::vector<Vector> x;
  for (const std::int32_t token : batch.tokens) {
    const double* const row = tensor("model.embed_tokens.weight") + token * model_.hidden;
    x.emplace_back(row, row + model_.hidden);
  }
  for (std::int64_t b = 0; b < model_.blocks; ++b) {
    const std::string block = "model.layers." + std::to_string(b) + ".";
    attend(x, batch, block);
    feed(x, block);
  }
  return x;
}

std::vector<double> Reference::losses(const Batch& batch) const {
  const std::vector<Vector> x = states(batch);
  Vector result(x.size());
  for (std::size_t t = 0; t < x.size(); ++t) {
    if (batch.targets[t] < 0) continue;
    const Vector logits = multiply(norm(x[t], "model.norm.weight"), "model.embed_tokens.weight");
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    result[t] = std::log(sum) - logits[static_cast<std::size_t>(batch.targets[t])];
  }
  return result;
}

double Reference::mean_loss(const Batch& batch) const {
  const Vector all = losses(batch);
  const auto count =
      std::count_if(batch.targets.begin(), batch.targets.end(), [](std::int32_t target) { return target >= 0; });
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(count);
}

std::vector<std::vector<double>> Reference::path_logits(const Batch& batch, std::int32_t path_count) const {
  std::vector<Vector> result;
  const double* const head = parameters_.data() + layout_.size;
  const double* const bias = head + path_count * model_.hidden;
  for (const Vector& state : states(batch)) {
    const Vector x = norm(state, "model.norm.weight");
    Vector& logits = result.emplace_back();
    for (std::int32_t path = 0; path < path_count; ++path) {
      logits.push_back(dot(head + path * model_.hidden, x.data(), model_.hidden) + bias[path]);
    }
  }
  return result;
}

double Reference::mean_path_loss(const RouterBatch& batch, std::int32_t path_count) const {
  const std::vector<Vector> all = path_logits(batch.batch, path_count);
  double nats = 0, count = 0;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (batch.paths[t] < 0) continue;
    double sum = 0;
    for (const double logit : all[t]) sum += std::exp(logit);
    nats += std::log(sum) - all[t][static_cast<std::size_t>(batch.paths[t])];
    ++count;
  }
  return nats / count;
}

}  // namespace dipaco::testing
