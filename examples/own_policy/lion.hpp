#pragma once

#include <cmath>
#include <cstddef>
#include <dipaco/core/config/run_config.hpp>
#include <dipaco/core/outer/optimizer.hpp>
#include <memory>
#include <vector>

/// Lion (2302.06675) as outer optimizer: each parameter moves by the rate, in the direction that the momentum says.
class OuterLion : public dipaco::OuterOptimizer {
 public:
  explicit OuterLion(double rate) : rate_(static_cast<float>(rate)) {}

  std::vector<dipaco::StateArray> arrays() const override { return {{.name = "momentum"}}; }

  void step(const dipaco::StepInfo& /*info*/, std::span<float> parameters, dipaco::StateArrays state,
            std::span<const float> direction) const override {
    const std::span<float> momentum = state[0];
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const float way = 0.9F * momentum[k] + 0.1F * direction[k];
      if (way != 0) parameters[k] -= std::copysign(rate_, way);
      momentum[k] = 0.99F * momentum[k] + 0.01F * direction[k];
    }
  }

 private:
  float rate_;
};

/// With the rate that the run file gives.
inline std::unique_ptr<const dipaco::OuterOptimizer> make_lion(const dipaco::RunConfig& config,
                                                               const dipaco::OptimizerUse& /*use*/) {
  return std::make_unique<OuterLion>(config.outer.learning_rate);
}
