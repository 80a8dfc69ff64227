#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// How a state array of an outer optimizer begins: with zeros, with a moment of the dense start's AdamW, or as the
/// parameters do.
enum class ArrayStart : std::uint8_t { zeros, first_moment, second_moment, parameters };

/// An array that an outer optimizer keeps beside a part's parameters, as long as these: 4 bytes a parameter.
struct StateArray {
  std::string_view name;  ///< "velocity": a literal
  ArrayStart start = ArrayStart::zeros;
};

/// The state arrays of one part, in the order of OuterOptimizer::arrays: [n] each.
using StateArrays = std::span<const std::span<float>>;

/// What an outer step is told beside values.
struct StepInfo {
  Version version{};       ///< of the part before this step: how often it has been stepped
  std::int32_t paths = 1;  ///< that may give to it
  Version merged{};        ///< of a regional part: that its merge point was made of (hierarchical.hpp)
};

/// OuterOpt of Alg. 1 line 14: makes a part's next version of its parameters and of a direction, the mean of what its
/// paths gave, already rescaled. Pure: the same input gives the same bits, on any thread.
class OuterOptimizer {
 public:
  virtual ~OuterOptimizer() = default;
  /// What it keeps for each parameter; the same at every call.
  virtual std::vector<StateArray> arrays() const = 0;
  /// Steps `parameters` and `state` in place.
  /// @param direction  [n] before minus after, or a gradient: it has a gradient's sign
  /// @throws std::logic_error if lengths differ, or `state` has not one array for each of arrays()
  virtual void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
                    std::span<const float> direction) const = 0;
};

}  // namespace dipaco
