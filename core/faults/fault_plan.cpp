#include "core/faults/fault_plan.hpp"

#include <array>

namespace dipaco {

const char* name(FaultStage stage) {
  constexpr std::array<const char*, kFaultStages> kNames{"any",     "hello",   "assigning", "gathering",  "computing",
                                                         "storing", "sending", "stepping",  "evaluating", "finishing"};
  return kNames.at(static_cast<std::size_t>(stage));
}

}  // namespace dipaco
