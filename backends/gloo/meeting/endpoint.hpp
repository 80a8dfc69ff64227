#pragma once

#include <cstdint>
#include <string>

namespace dipaco {

/// Where somebody listens.
struct Endpoint {
  std::string host;  ///< a name or a number, IPv6 without brackets
  std::uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// Ports that a firewall lets through, say. Both 0: any.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
};

/// "host:port", "[::1]:port": as it stands in an address with a scheme.
inline std::string host_and_port(const Endpoint& endpoint) {
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  return (brackets ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

}  // namespace dipaco
