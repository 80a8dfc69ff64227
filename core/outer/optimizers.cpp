#include "core/outer/optimizers.hpp"

#include "core/base/error.hpp"

namespace dipaco {

void OuterNesterov::step(const StepInfo& /*info*/, std::span<float> parameters, StateArrays state,
                         std::span<const float> direction) const {
  check(state.size() == 1, "Nesterov momentum has one state array");
  nesterov_step(parameters, state[0], direction, options_);
}

void OuterSgd::step(const StepInfo& /*info*/, std::span<float> parameters, StateArrays state,
                    std::span<const float> direction) const {
  check(state.empty() && parameters.size() == direction.size(), "an SGD step has two equal lengths and no state");
  const auto rate = static_cast<float>(rate_);
  for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k] -= rate * direction[k];
}

std::vector<StateArray> OuterAdamW::arrays() const {
  return {{.name = "first_moment", .start = goes_on_ ? ArrayStart::first_moment : ArrayStart::zeros},
          {.name = "second_moment", .start = goes_on_ ? ArrayStart::second_moment : ArrayStart::zeros}};
}

void OuterAdamW::step(const StepInfo& info, std::span<float> parameters, StateArrays state,
                      std::span<const float> direction) const {
  check(state.size() == 2, "AdamW has two state arrays");
  adamw_step(parameters, state[0], state[1], direction, options_(info.version));
}

}  // namespace dipaco
