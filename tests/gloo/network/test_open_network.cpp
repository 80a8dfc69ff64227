// Who is let listen where other machines can connect.

#include <algorithm>
#include <catch2/catch.hpp>
#include <span>

#include "backends/gloo/meeting/local_address.hpp"
#include "core/base/error.hpp"
#include "tests/gloo/network/meeting.hpp"

namespace dipaco::testing {

TEST_CASE("what leads to loopback addresses alone stays on this machine, and a wildcard does not", "[gloo]") {
  for (const char* const host : {"127.0.0.1", "127.0.1.1", "127.255.255.254", "::1", "localhost", "127.1"}) {
    INFO(host);
    CHECK(stays_here(host));
  }
  // Linux reads 0 as 0.0.0.0, and listens on all addresses at each of these.
  for (const char* const host : {"0.0.0.0", "0", "::", "::0", "::ffff:0.0.0.0", "192.0.2.1", "no-such-host.invalid"}) {
    INFO(host);
    CHECK_FALSE(stays_here(host));
  }
  for (const LocalAddress& own : local_addresses()) {
    INFO(own.address);
    CHECK(stays_here(own.address) == is_loopback(own.address));
  }
}

TEST_CASE("a name that leads to another address beside loopback does not stay on this machine, in either order",
          "[gloo]") {
  const auto stays = [](const std::vector<std::string>& addresses) { return stays_here(addresses); };
  CHECK(stays({"127.0.0.1", "::1"}));
  CHECK_FALSE(stays({"127.0.1.1", "10.0.0.2"}));
  CHECK_FALSE(stays({"fd00::2", "127.0.1.1"}));
  CHECK_FALSE(stays({}));
}

TEST_CASE("without a secret nobody listens where other machines can connect, unless that is said to be well",
          "[gloo]") {
  std::vector<std::string> open{"0.0.0.0", "0", "::", "::ffff:0.0.0.0"};
  for (const LocalAddress& own : local_addresses()) {
    if (!is_loopback(own.address) && own.kind != LocalAddress::Kind::ipv6_link_local) open.push_back(own.address);
  }
  for (const std::string& host : open) {
    INFO(host);
    const auto there = [&](NetworkOptions& options) { options.listen.host = host; };
    const auto insecure = [&](NetworkOptions& options) {
      there(options);
      options.insecure = true;
    };
    CHECK_THROWS_AS(Meeting().add(there), ConfigError);
    CHECK_THROWS_WITH(Meeting().add(there), Catch::Contains("without a secret") && Catch::Contains("; give all"));
    CHECK_NOTHROW(Meeting().add(insecure));
    const std::string text = "0123456789abcdef";
    CHECK_NOTHROW(Meeting(Meeting::quick(), Secret(std::as_bytes(std::span(text)))).add(there));
  }
  for (const char* const host : {"127.0.0.1", "127.0.0.9", "::1", "localhost"}) {
    INFO(host);
    CHECK_NOTHROW(Meeting().add([&](NetworkOptions& options) { options.listen.host = host; }));
  }
}

}  // namespace dipaco::testing
