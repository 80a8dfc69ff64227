#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.hpp"

namespace dipaco {

/// Why a machine went off, and with it what its worker had in hand. A new one comes before `other`.
enum class LossCause : std::uint8_t {
  reclaimed_with_notice,     ///< by its owner, who said so before
  reclaimed_without_notice,  ///< by its owner
  failed,
  withheld,  ///< by its site, which has fewer for a time
  other,     ///< anything else: a fault on purpose, a link, a second worker that was faster, the end of the run
};

/// A machine that went off at `at`, or will.
struct HostDeparture {
  std::string host;
  Seconds at{};
  LossCause cause{};
};

}  // namespace dipaco
