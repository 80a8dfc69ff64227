#include <catch2/catch.hpp>

#include "backends/gloo/network/attendance.hpp"

namespace dipaco {
namespace {

Member a_worker(int number, SiteId site, bool up) {
  return {.id = NodeId{number}, .role = Role::worker, .site = site, .machine = "m", .host = "h", .port = 7, .up = up};
}

}  // namespace

TEST_CASE("a node whose site is not known yet counts as one of this node's own site", "[gloo]") {
  MemberList list("");
  CHECK(list.site_of(NodeId{2}) == SiteId{0});
  list.join(NodeId{1}, "run");
  list.know(a_worker(1, SiteId{4}, true), Seconds(0));
  CHECK(list.site_of(NodeId{2}) == SiteId{4});
  list.know(a_worker(2, SiteId{5}, true), Seconds(0));
  CHECK(list.site_of(NodeId{2}) == SiteId{5});
  CHECK(list.self() == NodeId{1});
  CHECK(list.run() == "run");
}

TEST_CASE("a list of members keeps those that have gone, by their numbers, as they were heard of last", "[gloo]") {
  MemberList list("");
  CHECK_FALSE(list.know(a_worker(3, SiteId{0}, true), Seconds(1)));
  CHECK_FALSE(list.know(a_worker(2, SiteId{0}, false), Seconds(1)));
  CHECK(list.know(a_worker(3, SiteId{0}, false), Seconds(4)));
  const auto all = list.all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == NodeId{2});
  CHECK_FALSE(all[1].up);
  CHECK(list.describe(NodeId{3}) == "node 3 (worker on m, h:7)");
  CHECK(list.describe(NodeId{4}) == "node 4");
}

TEST_CASE("since when a node is up, or gone, is when that changed, however often it is said", "[gloo]") {
  MemberList list("");
  list.know(a_worker(3, SiteId{0}, true), Seconds(1));
  list.know(a_worker(3, SiteId{0}, true), Seconds(2));
  CHECK(list.since(NodeId{3}) == Seconds(1));
  list.know(a_worker(3, SiteId{0}, false), Seconds(5));
  list.know(a_worker(3, SiteId{0}, false), Seconds(7));
  CHECK(list.since(NodeId{3}) == Seconds(5));
  list.know(a_worker(3, SiteId{0}, true), Seconds(9));
  CHECK(list.since(NodeId{3}) == Seconds(9));
}

TEST_CASE("each coming and each going is noted once, whoever says it first, and none of this node's own", "[gloo]") {
  MemberList list("");
  list.join(NodeId{1}, "run");
  std::vector<std::string> notes;
  const RunClock clock;
  Attendance attendance(list, clock, [&](const std::string& text) { notes.push_back(text); });
  attendance.know(a_worker(1, SiteId{0}, true));
  CHECK(notes.empty());
  attendance.know(a_worker(2, SiteId{0}, true));
  attendance.know(a_worker(2, SiteId{0}, true));
  CHECK(notes == std::vector<std::string>{"node 2 (worker on m, h:7) takes part"});
  attendance.gone(NodeId{2}, "is lost");
  attendance.know(a_worker(2, SiteId{0}, false));
  CHECK(notes.size() == 2);
  CHECK(notes.back() == "node 2 (worker on m, h:7) is lost");
  attendance.know(a_worker(2, SiteId{0}, true));
  attendance.know(a_worker(2, SiteId{0}, false));
  CHECK(notes.size() == 4);
  CHECK(notes.back() == "node 2 (worker on m, h:7) is gone");
  attendance.leave();
  attendance.know(a_worker(2, SiteId{0}, true));
  CHECK(notes.size() == 4);
  CHECK(list.find(NodeId{2})->up);
}

}  // namespace dipaco
