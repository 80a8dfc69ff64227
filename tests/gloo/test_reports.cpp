// What a coordinator of processes records of the others' coming and going.

#include <atomic>
#include <catch2/catch.hpp>
#include <deque>
#include <ostream>
#include <utility>

#include "backends/gloo/reports.hpp"
#include "backends/gloo/said_once.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/transport/messages.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {

namespace {

/// Receives what a test has laid ready.
class ReadyTransport : public Transport {
 public:
  explicit ReadyTransport(std::deque<Incoming> incoming) : incoming_(std::move(incoming)) {}
  NodeId self() const override { return kCoordinator; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId, Message) override {}
  std::optional<Incoming> receive(Seconds) override {
    if (incoming_.empty()) return std::nullopt;
    Incoming next = std::move(incoming_.front());
    incoming_.pop_front();
    return next;
  }

 private:
  std::deque<Incoming> incoming_;
};

/// An event of somebody's coming or going.
struct Change {
  EventKind kind{};
  int node = 0;
  double time = 0;
  friend bool operator==(const Change&, const Change&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Change& change) {
    return out << name(change.kind) << " " << change.node << " at " << change.time;
  }
};

std::vector<Change> changes_of(const std::vector<Event>& events) {
  std::vector<Change> changes;
  for (const Event& event : events) changes.push_back({event.kind, index(event.node), event.time.count()});
  return changes;
}

std::vector<Change> recorded(bool attendance) {
  const Incoming heard = Envelope{NodeId{2}, Seconds(0), make_message(ModuleReady{{0, 0}, Version{1}})};
  const Incoming lost = PeerLost{NodeId{2}};
  ReadyTransport ready({heard, lost, lost, PeerLost{NodeId{3}}, heard, heard, lost});
  const Traffic traffic;
  std::vector<Event> events;
  Reporter reporter(0, traffic, [&](const Report& report) {
    events.insert(events.end(), report.events.begin(), report.events.end());
  });
  RollCall roll({}, reporter, [](NodeId) { return 0; });
  ReportingTransport transport(
      ready, reporter, [] { return Seconds(1); }, attendance ? &roll : nullptr);
  while (transport.receive(Seconds(0))) {
  }
  reporter.deliver(Seconds(1));
  return changes_of(events);
}

Event change(EventKind kind, int node, double time) {
  return {.time = Seconds(time), .kind = kind, .node = NodeId{node}};
}

/// What a coordinator's process left that was killed at 10 s: nodes 1 to 3 were there, 4 was not.
Roll left_behind() {
  Roll roll;
  roll.until = Seconds(10);
  roll.note(change(EventKind::node_up, 0, 0), kCoordinator, 0);
  for (const int node : {1, 2, 3, 4}) roll.note(change(EventKind::node_up, node, 1), NodeId{node}, node);
  roll.note(change(EventKind::node_down, 4, 5), kCoordinator, 0);
  return roll;
}

}  // namespace

TEST_CASE("a coordinator records who goes, and who is heard again, once each", "[gloo]") {
  using enum EventKind;
  CHECK(recorded(true) ==
        std::vector<Change>{{node_down, 2, 1}, {node_down, 3, 1}, {node_up, 2, 1}, {node_down, 2, 1}});
  CHECK(recorded(false).empty());
}

TEST_CASE("who was there all the time while the coordinator was away was up, any other until it went", "[gloo]") {
  using enum EventKind;
  MemoryEventLog log;
  // Node 1 is the process that it was, node 2 another one, node 3 does not come, node 4 comes back.
  RollCall roll(left_behind(), log, [](NodeId node) { return node == NodeId{2} ? 3 : index(node); });
  for (const int node : {1, 2, 4}) {
    const Incoming heard = Envelope{NodeId{node}, Seconds(0), make_message(Goodbye{})};
    roll.note(heard, Seconds(20));
    roll.note(heard, Seconds(21));
  }
  roll.note(PeerLost{NodeId{3}}, Seconds(30));
  roll.note(PeerLost{NodeId{1}}, Seconds(31));
  CHECK(changes_of(log.events()) ==
        std::vector<Change>{
            {node_down, 0, 10}, {node_down, 2, 10}, {node_up, 4, 20}, {node_down, 3, 10}, {node_down, 1, 31}});
  RollCall unheard(left_behind(), log, [](NodeId) { return 0; });
  unheard.close();
  unheard.close();
  const auto changes = changes_of(log.events());
  REQUIRE(changes.size() == 9);
  CHECK(changes[6] == Change{node_down, 1, 10});
  CHECK(changes[8] == Change{node_down, 3, 10});
}

TEST_CASE("a roll says since when, from the newest that anybody has said", "[gloo]") {
  Roll roll;
  roll.note(change(EventKind::node_up, 3, 5), NodeId{3}, 2);
  roll.note(change(EventKind::node_up, 3, 6), kCoordinator, 9);    // heard, which is no news
  roll.note(change(EventKind::node_down, 3, 4), kCoordinator, 9);  // of the process before
  roll.note({.time = Seconds(8), .kind = EventKind::task_started, .node = NodeId{3}}, NodeId{3}, 2);
  REQUIRE(roll.nodes.size() == 1);
  CHECK(roll.nodes.at(NodeId{3}).up);
  CHECK(roll.nodes.at(NodeId{3}).since == Seconds(5));
  CHECK(roll.nodes.at(NodeId{3}).incarnation == 2);
  roll.note(change(EventKind::node_down, 3, 9), kCoordinator, 9);
  CHECK_FALSE(roll.nodes.at(NodeId{3}).up);
  CHECK(roll.nodes.at(NodeId{3}).since == Seconds(9));
}

TEST_CASE("a coordinator's process leaves nothing unsaid behind, and when it was there last", "[gloo]") {
  const TemporaryFolder folder;
  const Traffic traffic;
  Reporter usual(0, traffic, [](const Report&) { FAIL("a second is not over"); });
  usual.record(change(EventKind::node_up, 3, 0.25));
  CHECK(usual.deliver_due(Seconds(0.25)) == Seconds(0.75));
  {
    ReportBook book(folder.path() / "reports");
    Reporter reporter(
        4, traffic, [&](const Report& report) { book.keep(kCoordinator, report); }, kCoordinatorsPace);
    reporter.record(change(EventKind::node_up, 0, 0.25));
    CHECK(reporter.deliver_due(Seconds(0.25)) == Seconds(5));
    CHECK(reporter.deliver_due(Seconds(5)) == Seconds(0.25));  // 5 s after the last one
    CHECK(reporter.deliver_due(Seconds(5.25)) == Seconds(5));
    book.keep(NodeId{1}, {.number = 1, .time = Seconds(3), .events = {change(EventKind::node_up, 1, 2)}});
  }
  const ReportBook again(folder.path() / "reports");
  CHECK(again.events().size() == 2);
  CHECK(again.roll().until == Seconds(5.25));
  CHECK(again.presence(kCoordinator)->incarnation == 4);
  CHECK(again.presence(NodeId{1})->since == Seconds(2));
  CHECK_FALSE(again.presence(NodeId{2}));
}

TEST_CASE("a report has all that its node has counted, between any two sites", "[gloo]") {
  Report report{.incarnation = 2, .number = 7, .time = Seconds(3)};
  report.traffic.count(MessageKind::module, Bytes{100}, SiteId{0}, SiteId{1});
  report.traffic.by_sites[{SiteId{0}, SiteId{1}}].arrived(Bytes{70}, Seconds(0.5), Seconds(0.25));
  report.traffic.by_sites[{SiteId{2}, SiteId{0}}].arrived(Bytes{90}, Seconds(1.5), Seconds(2.25));
  const Report read = decode_report(encode(report), "test");
  CHECK(read.number == 7);
  CHECK(read.traffic.messages == 1);
  CHECK(read.traffic.by_sites == report.traffic.by_sites);
}

TEST_CASE("what a node has recorded is delivered before work that lasts long, and not before work that does not",
          "[gloo]") {
  const Traffic traffic;
  std::size_t events = 0;
  Reporter reporter(0, traffic, [&](const Report& report) { events += report.events.size(); });
  Seconds now{10};
  LoopbackCompute inner([&] { return now; });
  ReportingCompute compute(inner, reporter);
  const auto work_for = [&](double seconds) {
    reporter.record(change(EventKind::node_up, 1, now.count()));
    const std::size_t before = events;
    compute.run(
        InnerSteps{1}, Flops{1},
        [&](InnerSteps steps, const std::atomic<bool>&) {
          now += Seconds(seconds);
          return steps;
        },
        std::nullopt);
    return events - before;
  };
  CHECK(work_for(0.1) == 1);  // nobody knows how long it takes
  CHECK(work_for(0.1) == 0);
  CHECK(work_for(4) == 0);
  CHECK(work_for(4) == 3);
}

TEST_CASE("what all nodes of a process say is written once, what one says again is written again", "[gloo]") {
  std::vector<std::string> written;
  SaidOnce once([&](const std::string& text) { written.push_back(text); });
  const auto first = once.of_next_node();
  const auto second = once.of_next_node();
  first("node 3 takes part");
  second("node 3 takes part");
  second("node 3 is gone");
  first("node 3 takes part");
  first("node 3 is gone");
  second("node 3 takes part");
  CHECK(written == std::vector<std::string>{"node 3 takes part", "node 3 is gone", "node 3 takes part"});
  CHECK_FALSE(SaidOnce(nullptr).of_next_node());
}

}  // namespace dipaco
