#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "backends/gloo/meeting/endpoint.hpp"

namespace dipaco {

/// `--rendezvous`, taken apart.
struct RendezvousUrl {
  enum class Kind : std::uint8_t { tcp, file, redis };
  Kind kind{};
  Endpoint server{};               ///< of tcp and redis
  std::filesystem::path folder{};  ///< of file
  std::int32_t database = 0;       ///< of redis
};

/// @throws ConfigError naming `url`, what is wrong with it, and how it is written
RendezvousUrl parse_rendezvous(const std::string& url);

}  // namespace dipaco
