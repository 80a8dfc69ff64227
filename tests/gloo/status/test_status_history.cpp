#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/gloo/status/status_history.hpp"
#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco {
namespace {

using nlohmann::json;
using testing::made_up_status;

/// The made-up run at second `at`: 2 inner steps a second, and 3 kB from south to north.
Status status_at(double at) {
  Status status = made_up_status();
  status.progress.now = Seconds(at);
  status.progress.loss = 4 - at / 1000;
  status.progress.inner_steps = static_cast<std::int64_t>(2 * at);
  status.traffic.by_sites[{SiteId{1}, SiteId{0}}].sent = {static_cast<std::uint64_t>(3000 * at)};
  return status;
}

json charts_of(const StatusHistory& history) { return json::parse(history.json())["charts"]; }

}  // namespace

TEST_CASE("the history has the loss, and what inner steps and bytes came to in each second", "[gloo]") {
  StatusHistory history;
  CHECK(charts_of(history).empty());
  history.add(status_at(10));
  CHECK(charts_of(history).empty());  // a point alone is no curve
  history.add(status_at(20));
  history.add(status_at(40));
  history.add(status_at(40));  // the clock has not moved
  const json charts = charts_of(history);
  REQUIRE(charts.size() == 3);
  CHECK(charts[0]["id"] == "loss_over_time");
  CHECK(charts[0]["series"][0]["x"] == json({10.0, 20.0, 40.0}));
  CHECK(charts[0]["series"][0]["y"][2].get<double>() == Approx(3.96));
  CHECK(charts[1]["id"] == "steps_over_time");
  CHECK(charts[1]["series"][0]["x"] == json({20.0, 40.0}));
  CHECK(charts[1]["series"][0]["y"] == json({2.0, 2.0}));
  CHECK(charts[2]["id"] == "rates_over_time");
  // North to south sends nothing more; what is within north is no line.
  REQUIRE(charts[2]["series"].size() == 2);
  CHECK(charts[2]["series"][0]["name"] == "south to north");
  CHECK(charts[2]["series"][0]["y"] == json({3000.0, 3000.0}));
  CHECK(charts[2]["series"][1]["y"] == json({0.0, 0.0}));
}

TEST_CASE("the history takes no point before the run and after its end", "[gloo]") {
  StatusHistory history;
  Status preparing = status_at(1);
  preparing.preparing = StageStatus{};
  history.add(preparing);
  history.add(status_at(2));
  Status finished = status_at(3);
  finished.finished = true;
  history.add(finished);
  history.add(status_at(4));
  CHECK(charts_of(history)[0]["series"][0]["x"] == json({2.0, 4.0}));
}

TEST_CASE("a process that knows no progress has a history of its bytes alone", "[gloo]") {
  StatusHistory history;
  for (const double at : {1.0, 2.0, 3.0}) {
    Status status = status_at(at);
    status.progress = {.now = Seconds(at)};
    history.add(status);
  }
  const json charts = charts_of(history);
  REQUIRE(charts.size() == 1);
  CHECK(charts[0]["id"] == "rates_over_time");
}

TEST_CASE("a long run has as few points as a short one, over its whole time", "[gloo]") {
  StatusHistory history;
  for (int at = 1; at <= 10'000; ++at) history.add(status_at(at));
  const json charts = charts_of(history);
  const json& x = charts[0]["series"][0]["x"];
  CHECK(x.size() < 600);
  CHECK(x.size() >= 300);
  CHECK(x.front() == 1.0);
  CHECK(x.back().get<double>() > 9'900);
  // The rates are those of the longer steps.
  for (const json& rate : charts[1]["series"][0]["y"]) CHECK(rate.get<double>() == Approx(2));
}

}  // namespace dipaco
