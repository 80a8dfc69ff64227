#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "backends/gloo/status/status_json.hpp"
#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco::testing {

TEST_CASE("the status for programs has the summary's names and survives any text", "[gloo]") {
  Status status = made_up_status();
  status.members[1].machine = bad_name();
  const auto json = nlohmann::json::parse(status_json(status));
  CHECK(json["run"] == "tiny");
  CHECK(json["elapsed_s"] == 90.5);
  CHECK(json["tasks_completed"] == 10);
  CHECK(json["train_loss"] == 3.25);
  CHECK(json["tokens"] == 512'000);
  CHECK(json["tokens_per_s"].get<double>() == Approx(512'000 / 90.5));
  CHECK(json["wan_bytes"] == 2'000'400);
  CHECK(json["sites"].back()["message_bytes_per_s"] == 500'000);
  CHECK(json["sites"].back()["mean_wait_s"] == 2.25);
  CHECK(json["sites"].back()["longest_wait_s"] == 4);
  CHECK_FALSE(json["sites"].front().contains("mean_wait_s"));
  CHECK(json["queues"] ==
        nlohmann::json::array(
            {{{"from", "north"}, {"to", "south"}, {"messages", 3}, {"left_bytes", 7'000'000}, {"oldest_s", 12.5}}}));
  CHECK(json["queues_elsewhere"] ==
        nlohmann::json::array(
            {{{"from", "south"}, {"to", "north"}, {"messages", 2}, {"left_bytes", 4'000'000}, {"oldest_s", 3.5}}}));
  CHECK(json["bytes_task"] == 1000);
  CHECK(json["messages_task"] == 2);
  CHECK_FALSE(json.contains("bytes_goodbye"));
  CHECK(json["waiting_for"] == nlohmann::json(status.waiting_for));
  CHECK(json["slow_workers"] == nlohmann::json(status.progress.slow_workers));
  CHECK(json["in_reserve"] == nlohmann::json(status.progress.in_reserve));
  CHECK(json["sites"][1] == nlohmann::json({{"from", "north"}, {"to", "south"}, {"sent_bytes", 400}}));
  CHECK(json["stalled_streams"].size() == 1);
  CHECK(json["stalled_streams"][0]["way"] == "from peer");
  CHECK(json["stalled_streams"][0]["stood_s"] == 10.5);
  CHECK(json["stalled_streams"][0]["bytes_of_next"] == 12345);
  CHECK(json["members"][2]["up"] == false);
  CHECK(json["members"][2]["since_s"] == 60.5);
  CHECK(json["members"][1]["machine"].get<std::string>().ends_with("\xC3\xA9\xEF\xBF\xBD"));
  const std::set<std::string> arrays{"members", "sites", "stalled_streams", "waiting_for", "slow_workers", "in_reserve",
                                     "queues",  "late",  "queues_elsewhere"};
  for (const auto& [key, value] : json.items()) CHECK((value.is_primitive() || arrays.contains(key)));
}

}  // namespace dipaco::testing
