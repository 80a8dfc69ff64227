#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <thread>

#include "core/events/events.hpp"
#include "core/events/traffic.hpp"

using namespace dipaco;

TEST_CASE("each kind of event, message and role has a name of its own", "[events]") {
  std::set<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(EventKind::transfer); ++kind) {
    names.insert(name(static_cast<EventKind>(kind)));
  }
  CHECK(names.size() == static_cast<std::size_t>(EventKind::transfer) + 1);
  CHECK(std::string(name(EventKind::task_handed_back)) == "task_handed_back");
  names.clear();
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) names.insert(name(static_cast<MessageKind>(kind)));
  CHECK(names.size() == kMessageKinds);
  CHECK(std::string(name(MessageKind::outer_gradient)) == "outer_gradient");
  CHECK(std::string(name(MessageKind::finished)) == "finished");
  CHECK(std::string(name(Role::evaluator)) == "evaluator");
}

TEST_CASE("the messages that carry parameters are recorded one by one", "[events]") {
  std::set<std::string> recorded;
  for (const MessageRow& row : kMessageTable) {
    if (row.recorded) recorded.insert(row.name);
  }
  CHECK(recorded == std::set<std::string>{"module", "path_state", "put_path_state", "outer_gradient", "path_module",
                                          "put_module", "module_copy", "relayed_gradient", "gradient_sum",
                                          "region_difference", "global_parameters"});
}

TEST_CASE("a locked log loses no event of threads that record at once", "[events]") {
  LockedEventLog log;
  const auto record = [&log](int node) {
    for (int i = 0; i < 1000; ++i) log.record({.time = Seconds(i), .node = NodeId{node}});
  };
  std::thread one(record, 1);
  std::thread two(record, 2);
  one.join();
  two.join();
  CHECK(log.take().size() == 2000);
  CHECK(log.take().empty());
}

TEST_CASE("traffic counts between sites apart from within, and adds up", "[events]") {
  Traffic traffic;
  traffic.count(MessageKind::module, Bytes{100}, SiteId{0}, SiteId{1});
  traffic.count(MessageKind::module, Bytes{10}, SiteId{1}, SiteId{1});
  Traffic more;
  more.count(MessageKind::task, Bytes{1}, SiteId{0}, SiteId{1});
  traffic += more;
  CHECK(traffic.messages == 3);
  CHECK(traffic.wan == Bytes{101});
  CHECK(traffic.lan == Bytes{10});
  CHECK(traffic.by_kind[static_cast<std::size_t>(MessageKind::module)] == Bytes{110});
  CHECK(traffic.messages_by_kind[static_cast<std::size_t>(MessageKind::task)] == 1);
  CHECK(traffic.by_sites.at({SiteId{0}, SiteId{1}}).sent == Bytes{101});
}

TEST_CASE("traffic says how fast large messages moved, and how long they had waited", "[events]") {
  SiteTraffic one;
  CHECK(one.rate() == 0);
  CHECK(one.mean_wait() == Seconds(0));
  one.arrived(Bytes{1000}, Seconds(2), Seconds(1));
  SiteTraffic other;
  other.arrived(Bytes{3000}, Seconds(2), Seconds(0));
  other.arrived(Bytes{500}, Seconds(5), Seconds(8));
  one += other;
  CHECK(one.came == 3);
  CHECK(one.rate() == 500);
  CHECK(one.mean_wait() == Seconds(3));
  CHECK(one.longest_wait == Seconds(8));
  CHECK(one.sent == Bytes{0});
}
