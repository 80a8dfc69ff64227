#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/outer/adamw.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/optimizer.hpp"

namespace dipaco {

/// Nesterov momentum, the paper's (§7.1): nesterov_step, with one array, the velocity.
class OuterNesterov : public OuterOptimizer {
 public:
  explicit OuterNesterov(const NesterovOptions& options) : options_(options) {}
  std::vector<StateArray> arrays() const override { return {{.name = "velocity"}}; }
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

 private:
  NesterovOptions options_;
};

/// params <- params - rate * direction, without state. With rate 1 and no rescaling (§2.7) the part becomes the mean of
/// its paths' (FedAvg).
class OuterSgd : public OuterOptimizer {
 public:
  explicit OuterSgd(double rate) : rate_(rate) {}
  std::vector<StateArray> arrays() const override { return {}; }
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

 private:
  double rate_;
};

/// AdamW on the direction as on a gradient: adamw_step, with two arrays, the moments. DiLoCo (2311.08105, table 5)
/// tried it outside and needed an epsilon of 0.1; with a policy that exchanges gradients it is the inner optimizer
/// itself, whose moments go on from the dense start's.
class OuterAdamW : public OuterOptimizer {
 public:
  /// What one step takes, by the part's version before it.
  using Options = std::function<AdamWStep(Version version)>;
  /// @param options  called at each step; must be pure and thread-safe
  /// @param goes_on  the moments begin as the dense start's; otherwise with zeros
  OuterAdamW(Options options, bool goes_on) : options_(std::move(options)), goes_on_(goes_on) {}
  std::vector<StateArray> arrays() const override;
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

 private:
  Options options_;
  bool goes_on_;
};

}  // namespace dipaco
