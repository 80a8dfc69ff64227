#include "core/outer/combine.hpp"

#include "core/base/error.hpp"

namespace dipaco {

void DelayCompensation::adjust(std::span<float> values, std::span<const float> base,
                               std::span<const float> newest) const {
  check(values.size() == base.size() && values.size() == newest.size(), "a contribution is as long as its part");
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double value = values[k];
    const double moved = static_cast<double>(newest[k]) - base[k];
    values[k] = static_cast<float>(value + strength_ * value * value * moved);
  }
}

}  // namespace dipaco
