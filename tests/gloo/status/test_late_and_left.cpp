#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/gloo/status/status_json.hpp"
#include "backends/gloo/status/status_page.hpp"
#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
using testing::made_up_status;

}  // namespace

TEST_CASE("a node that has ended well has left, and is not gone", "[gloo]") {
  Status status = made_up_status();
  status.members[2].left = true;
  const std::string page = status_page(status);
  CHECK_THAT(page, !Contains("1 gone") && !Contains(">gone</span>") && Contains(">left</span> <small>for 30.0 s"));
  CHECK(nlohmann::json::parse(status_json(status))["members"][2]["left"] == true);
  const Member ended{NodeId{4}, Role::worker, 1, SiteId{2}, "west", "m4", "127.0.0.4", 77, false, true};
  CHECK(status_of(ended).left);
  Member back = ended;
  back.up = true;
  CHECK_FALSE(status_of(back).left);
}

TEST_CASE("the page calls late only what is later than expected", "[gloo]") {
  Status status = made_up_status();
  const std::string in_time = status_page(status);
  CHECK_THAT(in_time, !Contains("late</span>") && !Contains("Later than expected") && Contains("Under way"));
  CHECK_THAT(in_time, Contains(">running</span>"));
  status.progress.late = status.waiting_for;
  const std::string late = status_page(status);
  CHECK_THAT(late, Contains("somebody is late</span>") && Contains("Later than expected") && !Contains("Under way"));
  CHECK(nlohmann::json::parse(status_json(status))["late"] == status.waiting_for);
}

}  // namespace dipaco
