// The shipped tables, and the fleets and scenarios that agree with them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "backends/sim/fleet/fleet_tables.hpp"
#include "core/base/file.hpp"

namespace dipaco::testing {
namespace {

FleetTables shipped_tables() { return read_fleet_tables(DIPACO_SOURCE_DIR "/scenarios"); }

}  // namespace

TEST_CASE("a region of GCP's stands for all its zones", "[sim]") {
  CHECK(without_zone("gcp:us-east4-a") == "gcp:us-east4");
  CHECK(without_zone("gcp:us-east4") == "gcp:us-east4");
  CHECK(without_zone("aws:us-east-1") == "aws:us-east-1");
  CHECK(without_zone("Washington DC") == "Washington DC");
}

TEST_CASE("the shipped tables read whole, and what is priced and measured is known", "[sim]") {
  const FleetTables tables = shipped_tables();
  CHECK(tables.devices.size() == 11);
  CHECK(tables.prices.size() == 92);
  CHECK(tables.mfu.size() == 32);
  CHECK(tables.egress.size() == 1585);
  CHECK(tables.round_trips.size() == 2 * 786);
  std::set<std::string> devices;
  for (const DeviceRow& row : tables.devices) {
    devices.insert(row.name);
    CHECK(row.memory_gib >= 16);
    CHECK_FALSE(row.source.empty());
  }
  for (const SeenMfu& row : tables.mfu) {
    CHECK(devices.contains(row.device));
    CHECK((row.share > 0.2 && row.share < 0.7));
    CHECK_FALSE(row.source.empty());
  }
  // Who leaves one region for another knows both what that costs and how long it takes.
  for (const auto& [pair, figure] : tables.egress) {
    if (pair.second != "internet") CHECK(tables.round_trips.contains(pair));
  }
  for (const auto& [pair, figure] : tables.round_trips) {
    CHECK((figure.value > 0 && figure.value < 500));
    CHECK(figure.value == tables.round_trips.at({pair.second, pair.first}).value);
  }
}

TEST_CASE("the latencies of wan_4dc and paper_16x16 are half of shipped round trips", "[sim]") {
  const FleetTables tables = shipped_tables();
  const std::string wan = read_text(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml");
  const auto half = [&](const std::string& one, const std::string& other) {
    return tables.round_trips.at({one, other}).value / 2;
  };
  CHECK(half("Washington DC", "Dallas") == 15.5);
  CHECK_THAT(wan, Catch::Matchers::Contains(R"(id="washington-dallas" bandwidth="2Gbps" latency="15.5ms")"));
  CHECK(half("Frankfurt", "Tokyo") == 116.5);
  CHECK_THAT(wan, Catch::Matchers::Contains(R"(id="frankfurt-tokyo" bandwidth="500Mbps" latency="116.5ms")"));
  // There the mean of both directions, of which the table has the smaller.
  CHECK(half("gcp:us-central1", "gcp:us-east1") == Approx(16.5).margin(0.2));
  CHECK(half("gcp:us-central1", "gcp:us-west1") == Approx(18.2).margin(0.01));
  CHECK(half("gcp:us-central1", "gcp:europe-west4") == Approx(51.6).margin(0.1));
}

}  // namespace dipaco::testing
