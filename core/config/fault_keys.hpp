#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "core/config/key.hpp"
#include "core/config/run_config.hpp"
#include "core/faults/kinds.hpp"

namespace dipaco {

template <std::size_t K>
Slot fault_slot(RunConfig& config) {
  return &(config.faults.*kFaultKindTable[K].value);
}

template <std::size_t... K>
constexpr auto fault_keys(std::index_sequence<K...> /*kinds*/) {
  return std::array{
      RunKey{"faults", kFaultKindTable[K].name, fault_slot<K>, {}, Changes::nothing, kFaultKindTable[K].help}...};
}

/// The keys of [faults], one for each kind of fault.
inline constexpr auto kFaultKeys = fault_keys(std::make_index_sequence<kFaultKinds>());

}  // namespace dipaco
