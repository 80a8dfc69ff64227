#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/engine/engine.hpp"
#include "backends/sim/platform/platform_check.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

std::vector<std::string> each(const std::vector<std::string_view>& prefixes, std::string_view unit) {
  std::vector<std::string> all;
  for (const std::string_view prefix : prefixes) all.push_back(std::string(prefix) + std::string(unit));
  return all;
}

std::string platform(const std::string& inside) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n" +
         inside + "</zone></platform>\n";
}

/// "" where both we and SimGrid take the platform, or what is said.
std::string refusal_of(const std::string& xml) {
  return in_child([&]() -> std::string {
    const TemporaryFolder folder;
    write_file(folder.path() / "x.xml", xml);
    const SimEngine engine(ScenarioFile(folder.path() / "x.xml"), {}, {});
    return "";
  });
}

bool is_known_to_us(const std::string& inside) {
  const TemporaryFolder folder;
  write_file(folder.path() / "x.xml", platform(inside));
  try {
    check_platform(ScenarioFile(folder.path() / "x.xml"), {});
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("each unit that a quantity may have is one of SimGrid's", "[sim]") {
  std::string inside;
  const std::vector<std::string_view> thousands{"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
  const std::vector<std::string_view> binary{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  for (const std::string& unit : each(thousands, "f")) {
    inside += "<host id=\"h" + unit + "\" speed=\"1.5" + unit + ",2" + unit + "\"/>\n";
  }
  const std::vector<std::string_view> words{"", "kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta"};
  for (const std::string& unit : each(words, "flops"))
    inside += "<host id=\"h" + unit + "\" speed=\"1" + unit + "\"/>\n";
  for (const char* const unit : {"bps", "Bps"}) {
    for (const auto& prefixes : {thousands, binary}) {
      for (const std::string& one : each(prefixes, unit)) {
        inside += "<link id=\"l" + one + "\" bandwidth=\"1e1" + one + "\" latency=\"0\"/>\n";
      }
    }
  }
  for (const char* const unit : {"w", "d", "h", "m", "s", "ms", "us", "ns", "ps"}) {
    inside += "<link id=\"t" + std::string(unit) + "\" bandwidth=\"1Mbps\" latency=\"1" + unit + "\"/>\n";
  }
  CHECK(refusal_of(platform(inside)) == "");
}

TEST_CASE("a latency of 0 needs no unit, what is optional may be empty, and a WIFI link has several bandwidths",
          "[sim]") {
  CHECK(is_known_to_us(R"(<link id="l" bandwidth="1Mbps" latency="0"/>)"));
  CHECK(is_known_to_us(R"(<link id="l" bandwidth="54Mbps,36Mbps;24Mbps" latency="0" sharing_policy="WIFI"/>)"));
  CHECK_FALSE(is_known_to_us(R"(<link id="l" bandwidth="54Mbps,36" latency="0" sharing_policy="WIFI"/>)"));
  const std::string cluster = R"(<cluster id="c" prefix="" suffix="" radical="0" speed="1Gf" bw="1Gbps" lat="0" )";
  CHECK(is_known_to_us(cluster + R"(bb_bw="" bb_lat="0" limiter_link="" loopback_bw=""/>)"));
  CHECK_FALSE(is_known_to_us(cluster + R"(loopback_bw="0Bps"/>)"));
  CHECK(is_known_to_us(R"(<host id="h" speed="1Gf"><disk id="d" read_bw="1GBps" write_bw="1GBps"/></host>)"));
  CHECK_FALSE(is_known_to_us(R"(<host id="h" speed="1Gf"><disk id="d" read_bw="1" write_bw="1GBps"/></host>)"));
}

TEST_CASE("names that SimGrid makes itself, and a direction's own name, may be in a route", "[sim]") {
  const std::string hosts = R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><router id="r"/>)"
                            R"(<link id="l" bandwidth="1Gbps" latency="0" sharing_policy="SPLITDUPLEX"/>)";
  const auto with_route = [&](const std::string& link) {
    return is_known_to_us(hosts + "<route src=\"a\" dst=\"r\" symmetrical=\"NO\"><link_ctn " + link + "/></route>");
  };
  CHECK(with_route(R"(id="l" direction="UP")"));
  CHECK(with_route(R"(id="l_DOWN")"));
  CHECK_FALSE(with_route(R"(id="l_SIDE")"));
  CHECK_FALSE(with_route(R"(id="l" direction="NONE")"));
  const std::string clusters =
      R"(<cluster id="c" prefix="c-" suffix=".x" radical="0-1,7" speed="1Gf" bw="1Gbps" lat="1ms"/>)"
      R"(<link id="l" bandwidth="1Gbps" latency="0"/>)";
  const auto between = [&](const std::string& gateway, const std::string& link) {
    return is_known_to_us(clusters + "<zoneRoute src=\"c\" dst=\"w\" gw_src=\"" + gateway +
                          "\" gw_dst=\"c-0.x\"><link_ctn id=\"" + link + "\"/></zoneRoute>");
  };
  CHECK(between("c-c_router.x", "l"));
  CHECK(between("c-7.x", "c_link_7_UP"));
  CHECK_FALSE(between("c-2.x", "l"));
  CHECK_FALSE(between("c-7.x", "d_link_7_UP"));
}

}  // namespace dipaco::testing
