#include "backends/gloo/meeting/local_address.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "backends/gloo/links/asio.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr const char* kDiscardPort = "9";  // any would do: nothing is sent

std::string text_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const int error = ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  check(error == 0, "an address of this machine can be written");
  return text.data();
}

/// The address that the system would send from, or nullopt with errno.
std::optional<std::string> source_for(const addrinfo& to) {
  const int fd = ::socket(to.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::nullopt;
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  auto* const address = reinterpret_cast<sockaddr*>(&from);
  const bool found = ::connect(fd, to.ai_addr, to.ai_addrlen) == 0 && ::getsockname(fd, address, &size) == 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  return found ? std::optional(text_of(address, size)) : std::nullopt;
}

/// None where it is not known.
std::vector<std::string> addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), kDiscardPort, &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* to = found; to != nullptr; to = to->ai_next) {
    addresses.push_back(text_of(to->ai_addr, to->ai_addrlen));
  }
  return addresses;
}

LocalAddress::Kind kind_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) return LocalAddress::Kind::ipv4;
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LINKLOCAL(&ipv6) ? LocalAddress::Kind::ipv6_link_local : LocalAddress::Kind::ipv6;
}

}  // namespace

bool is_loopback(const std::string& address) {
  boost::system::error_code none;
  const auto parsed = asio::ip::make_address(address, none);
  return !none && parsed.is_loopback();
}

bool is_wildcard(const std::string& address) {
  boost::system::error_code none;
  const auto parsed = asio::ip::make_address(address, none);
  return !none && parsed.is_unspecified();
}

bool stays_here(const std::string& host) { return stays_here(addresses_of(host)); }

bool stays_here(std::span<const std::string> addresses) {
  return !addresses.empty() && std::ranges::all_of(addresses, is_loopback);
}

std::string address_towards(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), kDiscardPort, &wanted, &found); error != 0) {
    throw ConfigError("no address is known for the host " + host + ": " + ::gai_strerror(error) +
                      "; check its name, or give its number");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  int error = EAFNOSUPPORT;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* to = found; to != nullptr; to = to->ai_next) {
      if (to->ai_family != family) continue;
      if (auto address = source_for(*to)) return *address;
      error = errno;
    }
  }
  throw ConfigError("no interface leads to " + host + ": " + std::strerror(error) + "; name one by --interface");
}

bool loops_back_here(const std::string& host) {
  const auto addresses = addresses_of(host);
  const bool number = addresses == std::vector{host};
  return host != "localhost" && !number && !addresses.empty() && std::ranges::all_of(addresses, is_loopback);
}

bool is_this_machine(const std::string& host) {
  const auto addresses = addresses_of(host);
  return std::ranges::any_of(local_addresses(), [&](const LocalAddress& own) {
    return !is_loopback(own.address) && std::ranges::find(addresses, own.address) != addresses.end();
  });
}

std::vector<LocalAddress> local_addresses() {
  ifaddrs* found = nullptr;
  check(::getifaddrs(&found) == 0, "the system lists its interfaces");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(found, ::freeifaddrs);
  std::vector<LocalAddress> addresses;
  for (const ifaddrs* at = found; at != nullptr; at = at->ifa_next) {
    const sockaddr* const address = at->ifa_addr;
    if (address == nullptr || (at->ifa_flags & IFF_UP) == 0) continue;
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) continue;
    const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    addresses.push_back({at->ifa_name, text_of(address, size), kind_of(*address)});
  }
  return addresses;
}

std::string address_of_interface(const std::string& name, std::span<const LocalAddress> there) {
  const LocalAddress* best = nullptr;
  std::string list;
  for (const LocalAddress& one : there) {
    list += (list.empty() ? "" : ", ") + one.interface + " (" + one.address + ")";
    if (one.interface == name && (best == nullptr || one.kind < best->kind)) best = &one;
  }
  if (best != nullptr) return best->address;
  throw ConfigError("--interface " + name +
                    ": no interface of this name has an address; there are: " + (list.empty() ? "none" : list));
}

std::string address_of_interface(const std::string& name) { return address_of_interface(name, local_addresses()); }

}  // namespace dipaco
