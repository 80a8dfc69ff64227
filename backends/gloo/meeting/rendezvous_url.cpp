#include "backends/gloo/meeting/rendezvous_url.hpp"

#include <arpa/inet.h>

#include <limits>
#include <optional>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kKnown = "known are tcp://HOST:PORT, file:///DIR and redis://HOST[:PORT][/DB]";
constexpr std::uint16_t kRedisPort = 6379;
constexpr std::int64_t kMostDatabases = 65536;

/// One address, and what is wrong with it.
class Reader {
 public:
  explicit Reader(const std::string& url) : url_(url) {}

  RendezvousUrl read() const {
    const auto colon = url_.find("://");
    if (colon == std::string::npos) fail("it has no scheme; " + std::string(kKnown));
    const std::string_view scheme = std::string_view(url_).substr(0, colon);
    const std::string_view rest = std::string_view(url_).substr(colon + 3);
    if (scheme == "tcp") return tcp(rest);
    if (scheme == "file") return file(rest);
    if (scheme == "redis") return redis(rest);
    fail("unknown scheme \"" + std::string(scheme) + "\"; " + std::string(kKnown));
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw ConfigError("--rendezvous " + url_ + ": " + why); }

  RendezvousUrl tcp(std::string_view rest) const {
    return {.kind = RendezvousUrl::Kind::tcp, .server = server(rest, std::nullopt)};
  }

  RendezvousUrl file(std::string_view rest) const {
    if (!rest.starts_with('/')) fail("the folder must be an absolute path; write file:///DIR, with three slashes");
    return {.kind = RendezvousUrl::Kind::file, .folder = rest};
  }

  RendezvousUrl redis(std::string_view rest) const {
    const auto slash = rest.find('/');
    RendezvousUrl url{.kind = RendezvousUrl::Kind::redis, .server = server(rest.substr(0, slash), kRedisPort)};
    if (slash == std::string_view::npos || slash + 1 == rest.size()) return url;
    const auto number = parse_integer(rest.substr(slash + 1));
    if (!number || *number < 0 || *number >= kMostDatabases) {
      fail("the database \"" + std::string(rest.substr(slash + 1)) + "\" is no number from 0 to " +
           std::to_string(kMostDatabases - 1) + "; write redis://HOST:PORT/0, or leave it out");
    }
    url.database = static_cast<std::int32_t>(*number);
    return url;
  }

  /// HOST:PORT or [NUMBER]:PORT.
  Endpoint server(std::string_view text, std::optional<std::uint16_t> default_port) const {
    if (text.find('@') != std::string_view::npos) fail("no user and no password can be given here; leave them out");
    std::string host;
    std::string_view rest;
    if (text.starts_with('[')) {
      const auto end = text.find(']');
      if (end == std::string_view::npos) fail("the bracket does not end; write an IPv6 address as [::1]:PORT");
      host = ipv6(text.substr(1, end - 1));
      rest = text.substr(end + 1);
    } else {
      const auto colon = text.find(':');
      if (colon != text.rfind(':')) fail("an IPv6 address stands in brackets; write [::1]:PORT");
      host = name(text.substr(0, colon));
      if (colon != std::string_view::npos) rest = text.substr(colon);
    }
    if (rest.empty() && default_port) return {host, *default_port};
    if (!rest.starts_with(':')) fail("the port is missing; write HOST:PORT");
    return {host, port(rest.substr(1))};
  }

  std::string name(std::string_view host) const {
    if (host.empty()) fail("the host is missing; write HOST:PORT");
    if (host == "*") fail("\"*\" is no host; for all addresses of a machine write 0.0.0.0 or [::]");
    if (const auto at = host.find_first_of("/?#[] \t\r\n"); at != std::string_view::npos) {
      fail("\"" + std::string(host) + "\" is no host; write HOST:PORT and nothing behind it");
    }
    return std::string(host);
  }

  std::string ipv6(std::string_view text) const {
    const std::string number(text.substr(0, text.find('%')));  // behind it: the interface of a link-local address
    in6_addr ignored{};
    if (::inet_pton(AF_INET6, number.c_str(), &ignored) != 1) {
      fail("\"" + std::string(text) + "\" is no IPv6 address; brackets are for those alone");
    }
    return std::string(text);
  }

  std::uint16_t port(std::string_view text) const {
    constexpr std::int64_t kLast = std::numeric_limits<std::uint16_t>::max();
    const auto number = parse_integer(text);
    if (number && *number >= 1 && *number <= kLast) return static_cast<std::uint16_t>(*number);
    fail("the port \"" + std::string(text) + "\" is no number from 1 to " + std::to_string(kLast) +
         "; choose one of these");
  }

  const std::string& url_;
};

}  // namespace

RendezvousUrl parse_rendezvous(const std::string& url) { return Reader(url).read(); }

}  // namespace dipaco
