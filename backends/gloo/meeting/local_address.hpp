#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dipaco {

// Which address of this machine others reach it at.

/// An address of an interface, as text.
struct LocalAddress {
  enum class Kind : std::uint8_t { ipv4, ipv6, ipv6_link_local };  ///< best first
  std::string interface;
  std::string address;
  Kind kind{};
};

/// Of a numerical address; a name is none.
bool is_loopback(const std::string& address);

/// Whether a numerical address is the one that stands for all of a machine: 0.0.0.0 or ::.
bool is_wildcard(const std::string& address);

/// Whether nobody from another machine can connect to what listens at `host`, a name or a number: it leads to loopback
/// addresses, and to nothing else. A wildcard does not, nor does a name that nobody knows.
bool stays_here(const std::string& host);
/// The same of what a name leads to.
bool stays_here(std::span<const std::string> addresses);

/// Of all interfaces that are up.
std::vector<LocalAddress> local_addresses();

/// Of the interface that leads to `host`, a name or a number; no packet goes there. IPv4 where both do.
/// @throws ConfigError where the name is not known or nothing leads there
std::string address_towards(const std::string& host);

/// Whether a name leads nowhere but to this machine's loopback interface, and leads elsewhere on other machines: not
/// "localhost" and no number. Debian gives a machine's own name 127.0.1.1 in /etc/hosts.
bool loops_back_here(const std::string& host);

/// Whether a name or a number leads to an address of this machine that others may come to.
bool is_this_machine(const std::string& host);

/// The best address of the interface with this name. @throws ConfigError that lists those that are there
std::string address_of_interface(const std::string& name, std::span<const LocalAddress> there);
std::string address_of_interface(const std::string& name);

}  // namespace dipaco
