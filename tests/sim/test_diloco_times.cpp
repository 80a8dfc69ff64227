#include <catch2/catch.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr int kDilocoOuterSteps = 4;
constexpr int kDilocoInnerSteps = 40;
constexpr double kDilocoStep = 0.25;  // seconds

/// Two sites with a worker and a store each, of which the first has the executor, too.
std::string diloco_sites(const std::string& bandwidth) {
  const auto site = [](const std::string& name, const std::string& more) {
    return "<zone id=\"" + name +
           "\" routing=\"Full\"><prop id=\"step_time\" value=\"0.25s\"/>\n<prop id=\"workers\" value=\"" + name +
           "1\"/><prop id=\"store\" value=\"" + name + "0\"/>" + more + "\n<host id=\"" + name +
           "0\" speed=\"1Tf\"/><host id=\"" + name + "1\" speed=\"1Tf\"/><link id=\"" + name +
           "l\" bandwidth=\"100Gbps\" latency=\"1us\"/><route src=\"" + name + "0\" dst=\"" + name +
           "1\"><link_ctn id=\"" + name + "l\"/></route></zone>\n";
  };
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full"><prop id="coordinator" value="x0"/>
)" + site("x", R"(<prop id="executors" value="x0"/>)") +
         site("y", "") + R"(<link id="wan" sharing_policy="SPLITDUPLEX" bandwidth=")" + bandwidth +
         R"(" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="x0" gw_dst="y0"><link_ctn id="wan" direction="UP"/></zoneRoute></zone></platform>
)";
}

struct DilocoRun {
  double seconds = 0;
  double parameters = 0;  ///< of a path
};

DilocoRun diloco_run(const std::string& bandwidth) {
  const TemporaryFolder folder;
  write_file(folder.path() / "two.xml", diloco_sites(bandwidth));
  const Outcome outcome =
      run_built("dipaco-sim", {folder.path() / "two.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg",
                               "--learn", "off", "--out", folder.path() / "out", "--set", "topology.levels=shared:2",
                               "--set", "model.hidden=256", "--set", "outer.steps=" + std::to_string(kDilocoOuterSteps),
                               "--set", "inner.steps=" + std::to_string(kDilocoInnerSteps)});
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  const auto summary = nlohmann::json::parse(read_text(folder.path() / "out" / "summary.json"));
  return {summary["simulated_s"], summary["parameters_per_path"]};
}

}  // namespace

TEST_CASE("DiLoCo on two sites takes inner steps and the bytes of an exchange, at five bandwidths", "[sim]") {
  for (const int megabits : {10, 20, 50, 100, 1000}) {
    const DilocoRun run = diloco_run(std::to_string(megabits) + "Mbps");
    // The second site's outer gradient crosses the line, 4 bytes a parameter and 43 more, then the module comes back, 4
    // and 29, but for the last one, with which the run ends.
    const double a_second = megabits * 1e6 / 8;
    const double there = (4 * run.parameters + 43) / a_second;
    const double back = (4 * run.parameters + 29) / a_second;
    const double expected =
        kDilocoOuterSteps * (kDilocoInnerSteps * kDilocoStep + there) + (kDilocoOuterSteps - 1) * back;
    std::printf("%4d Mbit/s: 4 x (40 x 0.25 s + %.3f s) + 3 x %.3f s = %.2f s, simulated %.2f s\n", megabits, there,
                back, expected, run.seconds);
    CHECK(run.seconds == Approx(expected).epsilon(0.01));
  }
}

}  // namespace dipaco::testing
