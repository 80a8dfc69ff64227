#include "core/state/finite.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace dipaco {

bool all_finite(std::span<const float> values) {
  // Behind the sign come eight bits of exponent, all of them set in an infinity and in what is not a number: one more
  // in the last of them then carries into the sign's place. No branch, so the loop is vectorised.
  constexpr std::uint32_t kAllButSign = 0x7fffffffU;
  constexpr std::uint32_t kOneInExponent = 0x00800000U;
  std::uint32_t seen = 0;
  for (const float value : values) seen |= (std::bit_cast<std::uint32_t>(value) & kAllButSign) + kOneInExponent;
  return (seen & ~kAllButSign) == 0;
}

bool all_finite(const PathStateBody& state) {
  const Values* const all[] = {&state.parameters, &state.first_moment, &state.second_moment, &state.velocity,
                               &state.specific_before};
  return std::isfinite(state.loss_sum) && std::all_of(std::begin(all), std::end(all), [](const Values* values) {
           return values->data == nullptr || all_finite(*values->data);
         });
}

}  // namespace dipaco
