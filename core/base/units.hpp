#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace dipaco {

using Seconds = std::chrono::duration<double>;

/// A number with a unit: quantities of different units neither add nor compare.
template <class Tag, class Rep>
struct Quantity {
  Rep value{};
  friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Rep n, Quantity a) { return {n * a.value}; }
  constexpr Quantity& operator+=(Quantity b) {
    value += b.value;
    return *this;
  }
};

using Bytes = Quantity<struct BytesTag, std::uint64_t>;  ///< unsigned: REQUIRES a >= b in a - b
using BytesPerSecond = Quantity<struct ByteRateTag, double>;
using InnerSteps = Quantity<struct InnerStepsTag, std::int64_t>;  ///< steps of AdamW (Alg. 1 lines 5-9)
using Tokens = Quantity<struct TokensTag, std::int64_t>;
using Flops = Quantity<struct FlopsTag, double>;  ///< floating-point operations
using FlopsPerSecond = Quantity<struct FlopRateTag, double>;

}  // namespace dipaco
