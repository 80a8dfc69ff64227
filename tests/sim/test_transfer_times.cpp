#include <catch2/catch.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr const char* kLan = "bandwidth=\"1Gbps\" latency=\"1ms\"";

/// One path on one worker; the store's host has what `prop` says, the root zone what `root` says.
nlohmann::json summary_with(const std::string& prop, const std::string& link = kLan, const std::string& root = "") {
  const TemporaryFolder folder;
  write_file(folder.path() / "scenario.xml",
             "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" +
                 root +
                 "<prop id=\"workers\" value=\"1\"/>"
                 "<host id=\"a\" speed=\"1Tf\"/><host id=\"b\" speed=\"1Tf\"><prop id=\"role\" value=\"store\"/>" +
                 prop + "</host><link id=\"l\" " + link +
                 "/>"
                 "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone></platform>\n");
  const auto out = (folder.path() / "out").string();
  const Outcome ran =
      run_built("dipaco-sim",
                {folder.path() / "scenario.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg", "--learn",
                 "off", "--out", out, "--progress", "off", "--set", "topology.levels=1", "--set", "evaluate.every=0"});
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  return nlohmann::json::parse(read_text(out + "/summary.json"));
}

}  // namespace

TEST_CASE("a run takes as much longer as its states take on the store's disk, and to be taken in", "[sim]") {
  const auto free = summary_with("");
  const double states = free["bytes_put_path_state"].get<double>();
  const auto longer = [&](const std::string& prop) {
    const auto with = summary_with(prop);
    CHECK(with["bytes_put_path_state"].get<double>() == states);
    const double seconds = with["simulated_s"].get<double>() - free["simulated_s"].get<double>();
    std::printf("%s: %.3f s more for states of %.0f bytes\n", prop.c_str(), seconds, states);
    return seconds;
  };
  // A journal and facts beside the values, and small messages: some kilobytes of two million bytes.
  CHECK(longer("<prop id=\"disk\" value=\"20MBps\"/>") == Approx(states / 20e6).epsilon(2e-3));
  CHECK(longer("<prop id=\"intake\" value=\"10MBps\"/>") == Approx(states / 10e6).epsilon(2e-3));
  CHECK(longer("<disk id=\"d\" read_bw=\"1MBps\" write_bw=\"5MBps\"/>") == Approx(states / 5e6).epsilon(2e-3));
}

TEST_CASE("a connection that nobody tuned gets 3 MB a round trip, and four tuned ones 64 MiB", "[sim]") {
  for (const double ms : {50.0, 150.0}) {
    const std::string latency = " latency=\"" + format_number(ms / 2) + "ms\"";
    const auto seconds = [&](const std::string& link, const std::string& root) {
      return summary_with("", link + latency, root)["simulated_s"].get<double>();
    };
    const std::string wide = "bandwidth=\"1Tbps\"";
    const double states = summary_with("")["bytes_put_path_state"].get<double>();
    const double unlimited = seconds(wide, R"(<prop id="tcp_streams" value="10000"/>)");
    const double untuned = seconds(wide, R"(<prop id="tcp" value="untuned"/>)");
    const double tuned = seconds(wide, R"(<prop id="tcp" value="tuned"/>)");
    const auto slower = [&](double window) { return states / (window / (ms / 1000)) - states / (1e12 / 8); };
    std::printf("%.0f ms: untuned %.3f s by arithmetic, simulated %.3f s; tuned %.3f s, %.3f s\n", ms, slower(3e6),
                untuned - unlimited, slower(64.0 * 1024 * 1024), tuned - unlimited);
    CHECK(untuned - unlimited == Approx(slower(3e6)).epsilon(0.001));
    CHECK(tuned - unlimited == Approx(slower(64.0 * 1024 * 1024)).epsilon(0.001));
    CHECK(tuned == seconds(wide, ""));
    // A link below the cap is what counts.
    CHECK(seconds("bandwidth=\"10Mbps\"", R"(<prop id="tcp" value="untuned"/>)") ==
          seconds("bandwidth=\"10Mbps\"", ""));
  }
}

}  // namespace dipaco::testing
