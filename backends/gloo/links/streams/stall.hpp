#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.hpp"

namespace dipaco {

/// A stream of a link goes on over another connection: the one that it had stood still, or broke.
struct Stall {
  std::uint32_t stream = 0;  ///< of the link
  bool receives = false;     ///< this side; otherwise it sends
  bool broke = false;        ///< the connection, by itself
  Seconds stood{};           ///< without a byte
  std::uint64_t chunks = 0;  ///< that had come
  std::uint64_t bytes = 0;   ///< of the next one, that had come
  std::uint64_t owed = 0;    ///< receiving side: chunks that had been asked for and had not come whole
  bool on_the_way = false;   ///< sending side: what it had sent did not come; otherwise it was not asked for more
};

/// "stream 1 from it stood for 10.4 s: ...", for the log.
std::string describe(const Stall& stall);

}  // namespace dipaco
