#pragma once

#include <span>
#include <vector>

#include "core/data/batch.hpp"
#include "core/model/layout.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco::testing {

/// A path's forward pass in plain loops of doubles, written from the description of LlamaForCausalLM, without LibTorch.
class Reference {
 public:
  Reference(const ModelOptions& model, std::span<const double> parameters);

  /// The last block's output, before the final norm: [rows * length, hidden].
  std::vector<std::vector<double>> states(const Batch& batch) const;
  /// Negative log-likelihood of each position's target in nats, 0 where there is none: [rows * length].
  std::vector<double> losses(const Batch& batch) const;
  /// Their mean over the positions in the loss.
  double mean_loss(const Batch& batch) const;

  // Of a transformer router, whose head over `path_count` paths lies behind the path's parameters.
  /// Logits of every position: [rows * length, path_count].
  std::vector<std::vector<double>> path_logits(const Batch& batch, std::int32_t path_count) const;
  /// Mean cross-entropy over the positions with a path.
  double mean_path_loss(const RouterBatch& batch, std::int32_t path_count) const;

 private:
  using Vector = std::vector<double>;
  const double* tensor(const std::string& name) const;
  Vector norm(const Vector& x, const std::string& name) const;
  Vector multiply(const Vector& x, const std::string& name) const;
  Vector turned(Vector x, double position) const;
  void attend(std::vector<Vector>& x, const Batch& batch, const std::string& block) const;
  void feed(std::vector<Vector>& x, const std::string& block) const;

  ModelOptions model_;
  PathLayout layout_;
  std::vector<double> parameters_;
};

}  // namespace dipaco::testing
