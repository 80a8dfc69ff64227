#include <catch2/catch.hpp>

#include "backends/gloo/meeting/launch.hpp"
#include "backends/gloo/meeting/local_address.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
/// Of one process, as "coordinator executor".
std::string roles(std::int32_t rank, std::optional<std::int32_t> processes, const RoleCounts& counts) {
  std::string text;
  for (const Role role : roles_of(rank, processes, counts)) {
    if (!text.empty()) text += ' ';
    text += name(role);
  }
  return text;
}

}  // namespace

TEST_CASE("rank 0 coordinates, first ranks serve executors and stores too, last ones evaluate, the others work",
          "[gloo]") {
  const RoleCounts counts{.executors = 3, .stores = 2, .evaluators = 2};
  CHECK(roles(0, 5, counts) == "coordinator executor store");
  CHECK(roles(1, 5, counts) == "executor store worker");
  CHECK(roles(2, 5, counts) == "executor worker");
  CHECK(roles(3, 5, counts) == "evaluator");
  CHECK(roles(4, 5, counts) == "evaluator");
}

TEST_CASE("a process that is alone works too, and one of an unknown number is not alone", "[gloo]") {
  CHECK(roles(0, 1, {}) == "coordinator executor store worker");
  CHECK(roles(0, 2, {}) == "coordinator executor store");
  CHECK(roles(0, std::nullopt, {}) == "coordinator executor store");
  CHECK(roles(7, std::nullopt, {}) == "worker");
}

TEST_CASE("counts that do not fit are refused, and what would fit is said", "[gloo]") {
  const auto refuses = [](std::optional<std::int32_t> processes, const RoleCounts& counts, const std::string& why) {
    CHECK_THROWS_AS(roles_of(0, processes, counts), ConfigError);
    CHECK_THROWS_WITH(roles_of(0, processes, counts), Contains(why) && Contains("; "));
  };
  refuses(2, {.executors = 3}, "3 executors do not fit, as there is room for 2");
  refuses(2, {.stores = 3}, "3 stores do not fit, as there is room for 2");
  refuses(2, {.executors = 0}, "0 executors are too few");
  refuses(2, {.stores = 0}, "0 stores are too few");
  refuses(2, {.evaluators = -1}, "-1 evaluators are too few");
  refuses(1, {.evaluators = 1}, "1 evaluator does not fit, as there is room for 0");
  refuses(3, {.evaluators = 2}, "2 evaluators do not fit, as there is room for 1");
  refuses(std::nullopt, {.evaluators = 1}, "set DIPACO_PROCESSES");
  CHECK_NOTHROW(roles_of(0, 3, {.executors = 3, .stores = 3, .evaluators = 1}));
}

TEST_CASE("the address towards this machine is its own, for names and for numbers of both kinds", "[gloo]") {
  CHECK(address_towards("127.0.0.1") == "127.0.0.1");
  CHECK(address_towards("localhost") == "127.0.0.1");
  const auto there = local_addresses();
  if (std::ranges::any_of(there, [](const LocalAddress& one) { return one.address == "::1"; })) {
    CHECK(address_towards("::1") == "::1");
  }
  CHECK_THROWS_AS(address_towards("no-such-host.invalid"), ConfigError);
  CHECK_THROWS_WITH(address_towards("no-such-host.invalid"), Contains("no-such-host.invalid") && Contains("; check"));
  CHECK_THROWS_WITH(address_towards("not a name"), Contains("no address is known for the host not a name"));
}

TEST_CASE("an interface is known by its best address, and one that is not there by those that are", "[gloo]") {
  CHECK(address_of_interface("lo") == "127.0.0.1");
  CHECK_THROWS_AS(address_of_interface("none"), ConfigError);
  CHECK_THROWS_WITH(address_of_interface("none"), Contains("--interface none") && Contains("lo (127.0.0.1)"));
  using Kind = LocalAddress::Kind;
  const std::vector<LocalAddress> there{{"a", "fe80::1%a", Kind::ipv6_link_local},
                                        {"a", "fd00::1", Kind::ipv6},
                                        {"b", "fd00::2", Kind::ipv6},
                                        {"b", "10.0.0.2", Kind::ipv4},
                                        {"c", "fe80::3%c", Kind::ipv6_link_local}};
  CHECK(address_of_interface("a", there) == "fd00::1");
  CHECK(address_of_interface("b", there) == "10.0.0.2");
  CHECK(address_of_interface("c", there) == "fe80::3%c");
  CHECK_THROWS_WITH(address_of_interface("d", {}), Contains("there are: none"));
}

TEST_CASE(
    "a loopback address, localhost and an unknown name are not this machine's own name, and not this machine to others",
    "[gloo]") {
  for (const char* const host : {"127.0.0.1", "127.0.1.1", "::1", "localhost", "no-such-host.invalid"}) {
    INFO(host);
    CHECK_FALSE(loops_back_here(host));
    CHECK_FALSE(is_this_machine(host));
  }
  for (const LocalAddress& own : local_addresses()) {
    INFO(own.address);
    CHECK(is_this_machine(own.address) == !is_loopback(own.address));
    CHECK_FALSE(loops_back_here(own.address));
  }
}

}  // namespace dipaco
