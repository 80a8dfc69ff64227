#pragma once

#include <optional>

#include "core/compute/compute.hpp"

namespace dipaco::testing {

/// A clock that the test sets.
class SetClock : public Compute {
 public:
  Seconds now() const override { return time; }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one*/, const Work& /*work*/,
                 std::optional<Seconds> /*reserve*/) override {
    return steps;
  }
  bool leaving() const override { return false; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }

  Seconds time{};
};

}  // namespace dipaco::testing
