#include "core/faults/fault_plan.hpp"

#include <array>

namespace dipaco {

const char* name(FaultKind kind) {
  constexpr std::array<const char*, kFaultKinds> kNames{"kill",      "restart",     "freeze",     "delay", "cut",
                                                        "disk_full", "short_write", "sync_error", "poison"};
  return kNames.at(static_cast<std::size_t>(kind));
}

const char* name(FaultStage stage) {
  constexpr std::array<const char*, kFaultStages> kNames{"any",     "hello",   "assigning", "gathering",  "computing",
                                                         "storing", "sending", "stepping",  "evaluating", "finishing"};
  return kNames.at(static_cast<std::size_t>(stage));
}

bool strikes_storage(FaultKind kind) {
  return kind == FaultKind::disk_full || kind == FaultKind::short_write || kind == FaultKind::sync_error;
}

}  // namespace dipaco
