// What crosses between four sites of 16 workers, against arithmetic: spread or placed paths, caches, and sums at sites.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr int kSites = 4;
constexpr int kWorkersOfSite = 16;
constexpr int kPathsOfGrid = 64;  // 8x8: a path has two modules, a module eight paths
constexpr int kModulesOfGrid = 16;
constexpr int kGridSteps = 4;
constexpr int kExchanges = kGridSteps - 1;  // outer steps whose versions somebody begins with

/// Equal machines with adapters of 400 Gbit/s; 10 Gbit/s from each site to a backbone.
std::string platform_of_equal_sites() {
  std::string sites;
  std::string ways;
  for (int site = 0; site < kSites; ++site) {
    const std::string name = "s" + std::to_string(site);
    sites += "<cluster id=\"" + name + "\" prefix=\"" + name +
             "-\" suffix=\"\" radical=\"0-17\" speed=\"2496Tf\" bw=\"400Gbps\" lat=\"50us\" router_id=\"" + name +
             "-gateway\"><prop id=\"workers\" value=\"" + name + "-[0-15]\"/><prop id=\"executors\" value=\"" + name +
             "-16\"/><prop id=\"store\" value=\"" + name + "-17\"/><prop id=\"mfu\" value=\"0.45\"/></cluster>" +
             "<link id=\"" + name + "-line\" bandwidth=\"10Gbps\" latency=\"20ms\" sharing_policy=\"SPLITDUPLEX\"/>";
    ways += "<zoneRoute src=\"" + name + "\" dst=\"backbone\" gw_src=\"" + name +
            "-gateway\" gw_dst=\"core\" symmetrical=\"NO\"><link_ctn id=\"" + name +
            "-line\" direction=\"UP\"/></zoneRoute><zoneRoute src=\"backbone\" dst=\"" + name +
            "\" gw_src=\"core\" gw_dst=\"" + name + "-gateway\" symmetrical=\"NO\"><link_ctn id=\"" + name +
            "-line\" direction=\"DOWN\"/></zoneRoute>";
  }
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"fleet\" routing=\"Floyd\">"
         "<prop id=\"run\" value=\"" DIPACO_SOURCE_DIR
         "/scenarios/runs/wan_4dc.cfg\"/>"
         "<prop id=\"coordinator\" value=\"s0-17\"/><prop id=\"tcp_streams\" value=\"16\"/>"
         "<prop id=\"tcp_window\" value=\"32MiB\"/>" +
         sites + "<zone id=\"backbone\" routing=\"None\"><router id=\"core\"/></zone>" + ways + "</zone></platform>\n";
}

/// The summary of a run with these keys.
nlohmann::json run_on_equal_sites(const std::vector<std::string>& keys) {
  const TemporaryFolder folder;
  const auto scenario = folder.path() / "fleet.xml";
  std::ofstream(scenario) << platform_of_equal_sites();
  std::vector<std::string> words{scenario,
                                 "--learn",
                                 "off",
                                 "--progress",
                                 "off",
                                 "--format",
                                 "json",
                                 "--out",
                                 folder.path() / "out",
                                 "--set",
                                 "topology.levels=8x8",
                                 "--set",
                                 "outer.steps=" + std::to_string(kGridSteps)};
  for (const std::string& key : keys) words.insert(words.end(), {"--set", key});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  return nlohmann::json::parse(ran.output);
}

/// Modules of the tasks of an outer step that are at another site than the task. With 4x4 paths a site each module has
/// paths at two sites, and half of its paths are where it is not.
constexpr double kPlacedCrossing = 2.0 * kPathsOfGrid / 2;

double size_of(const nlohmann::json& run, const std::string& kind) {
  return run["bytes_" + kind].get<double>() / run["messages_" + kind].get<double>();
}

}  // namespace

TEST_CASE("place and site_cache take away the bytes between sites that arithmetic says", "[sim]") {
  const auto spread = run_on_equal_sites({"run.place=spread", "run.site_cache=off"});
  const auto placed = run_on_equal_sites({"run.site_cache=off"});
  const auto cached = run_on_equal_sites({"run.site_sums=off"});
  const double gradient = size_of(spread, "outer_gradient");
  const double version = size_of(spread, "module");
  // Every path and module lies anywhere: three of four modules of a task are at another site.
  const double crossing = 2.0 * kPathsOfGrid * (kSites - 1) / kSites;
  const auto bytes = [&](double gradients, double versions) {
    return kGridSteps * gradients * gradient + kExchanges * versions * version;
  };
  std::printf("GB between sites: spread %.2f, placed %.2f, with caches %.2f\n", spread["wan_bytes"].get<double>() / 1e9,
              placed["wan_bytes"].get<double>() / 1e9, cached["wan_bytes"].get<double>() / 1e9);
  // Beside these only small messages cross: 0.01 % of the bytes.
  CHECK(spread["wan_bytes"].get<double>() == Approx(bytes(crossing, crossing)).epsilon(1e-4));
  CHECK(placed["wan_bytes"].get<double>() == Approx(bytes(kPlacedCrossing, kPlacedCrossing)).epsilon(1e-4));
  CHECK(cached["wan_bytes"].get<double>() == Approx(bytes(kPlacedCrossing, kModulesOfGrid)).epsilon(1e-4));
  for (const auto& run : {spread, placed, cached}) {
    CHECK(run["tasks_requeued"] == 0);
    CHECK(run["messages_outer_gradient"] == 2 * kPathsOfGrid * kGridSteps);
  }
}

TEST_CASE("site_sums take away the outer gradients that they add, and bring what a sum has", "[sim]") {
  const auto cached = run_on_equal_sites({"run.site_sums=off"});
  const auto added = run_on_equal_sites({});
  const double gradient = size_of(cached, "outer_gradient");
  const double sum = size_of(added, "gradient_sum");
  CHECK(sum == Approx(1.25 * gradient).epsilon(1e-3));  // five bytes a value, and not four
  // A store has one message to an owner under way. What comes meanwhile for the same version goes as one: up to the
  // four of a site, a whole number of them in all.
  const double single =
      cached["wan_bytes"].get<double>() - added["wan_bytes"].get<double>() + added["bytes_gradient_sum"].get<double>();
  const double summed = single / gradient;
  std::printf("GB between sites: with caches %.2f, with sums %.2f; %.2f outer gradients in %d sums\n",
              cached["wan_bytes"].get<double>() / 1e9, added["wan_bytes"].get<double>() / 1e9, summed,
              added["messages_gradient_sum"].get<int>());
  CHECK(std::abs(summed - std::round(summed)) < 0.02);
  // Counted another way: an outer gradient goes to its site's store, and on from there unless it is in a sum.
  const double through_stores = kGridSteps * kPlacedCrossing;
  CHECK(std::round(summed) == 2 * through_stores - added["messages_relayed_gradient"].get<double>());
  CHECK(summed >= 2.5 * added["messages_gradient_sum"].get<double>());
  CHECK(summed <= 4.0 * added["messages_gradient_sum"].get<double>() + 0.02);
  CHECK(added["wan_bytes"].get<double>() <= 0.8 * cached["wan_bytes"].get<double>());
  CHECK(added["tasks_requeued"] == 0);
}

}  // namespace dipaco::testing
