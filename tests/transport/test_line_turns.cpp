#include <catch2/catch.hpp>

#include "core/transport/line_load.hpp"
#include "core/transport/line_turns.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kPeer{7};
constexpr NodeId kOther{8};
constexpr SiteId kSite{1};
constexpr Urgency kUrgency{3, Urgency::Use::end_task};

/// A node's turns, and what they tell the coordinator's transport.
struct Told {
  std::vector<Message> all;
  LineTurns turns{Seconds(0), [this](Message message) { all.push_back(std::move(message)); }};

  bool ask(double now, NodeId to = kPeer) { return turns.ask(to, kSite, kUrgency, Bytes{1'000'000}, Seconds(now)); }
  /// The kinds of what was told since the last call.
  std::string told() {
    std::string kinds;
    for (const Message& message : std::exchange(all, {})) kinds += std::string(name(message.kind())) + " ";
    return kinds;
  }
};

/// Its messages have been on their way all the time: it asks for what comes next.
Told busy_node() {
  Told node;
  node.ask(0, kOther);
  return node;
}

}  // namespace

TEST_CASE("who sends for less than a tenth of its time asks nobody", "[transport]") {
  Told node;
  for (int task = 1; task < 20; ++task) {
    CHECK(node.ask(100 * task));
    CHECK(node.ask(100 * task, kOther));
    node.turns.over(kPeer, Seconds(100 * task + 4));
    node.turns.over(kOther, Seconds(100 * task + 9));
  }
  CHECK(node.told().empty());
}

TEST_CASE("who sends for more of its time asks, waits, and says when its turn is over", "[transport]") {
  Told node = busy_node();
  CHECK_FALSE(node.ask(5));
  REQUIRE(node.all.size() == 1);
  const auto& asked = std::get<AskForTurn>(node.all[0].body);
  CHECK(asked.to == kPeer);
  CHECK(asked.urgency == kUrgency);
  CHECK(asked.size == 1'000'000);
  node.told();
  CHECK_FALSE(node.ask(6));  // still the same message
  CHECK(node.told().empty());
  CHECK(node.turns.turn(kPeer));
  CHECK(node.ask(7));
  CHECK_FALSE(node.ask(8));  // the next one: it asks once the turn is over
  CHECK(node.told().empty());
  node.turns.over(kPeer, Seconds(9));
  CHECK(node.told() == "turn_over ");
  CHECK_FALSE(node.ask(9));
  CHECK(node.told() == "ask_for_turn ");
}

TEST_CASE("waiting counts as time on the way, so who waits goes on asking", "[transport]") {
  LineLoad load(Seconds(0));
  for (int k = 0; k < 50; ++k) {  // on its way for 1 of 100 seconds, waiting for 30
    load.begins(Seconds(100 * k));
    load.ends(Seconds(100 * k + 31));
  }
  CHECK(load.heavy(Seconds(5000)));
  for (int k = 50; k < 100; ++k) {
    load.begins(Seconds(100 * k));
    load.ends(Seconds(100 * k + 1));
  }
  CHECK_FALSE(load.heavy(Seconds(10'000)));  // what is older counts less
}

TEST_CASE("a turn that comes for what was dropped is given back", "[transport]") {
  Told node = busy_node();
  node.ask(5);
  node.told();
  node.turns.drop(kPeer, Seconds(6));
  CHECK(node.told() == "turn_over ");
  CHECK_FALSE(node.turns.turn(kPeer));  // it was on its way
  CHECK(node.told() == "turn_over ");
}

TEST_CASE("what was dropped on its way, and what never asked, leaves nothing behind", "[transport]") {
  Told node;
  node.ask(1);
  node.ask(1, kOther);
  node.turns.drop(kPeer, Seconds(2));
  node.turns.drop(kOther, Seconds(2));
  node.turns.drop(kOther, Seconds(2));
  CHECK(node.told().empty());
  CHECK(node.ask(100));
}

TEST_CASE("who has no answer goes without, and a late answer changes nothing", "[transport]") {
  Told node = busy_node();
  node.ask(5);
  node.told();
  CHECK(node.turns.unanswered() == std::vector<NodeId>{kPeer});
  CHECK(node.turns.unanswered().empty());
  CHECK_FALSE(node.turns.turn(kPeer));
  CHECK(node.ask(6));
  CHECK_FALSE(node.turns.turn(kPeer));
  CHECK(node.told().empty());
  node.turns.over(kPeer, Seconds(7));
  CHECK(node.told() == "turn_over ");
}

TEST_CASE("a node that changes its site while messages are on their way to it leaves no load behind", "[transport]") {
  Told node;
  node.ask(1);
  node.turns.ask(kPeer, SiteId{2}, kUrgency, Bytes{1}, Seconds(1));
  node.turns.over(kPeer, Seconds(2));
  node.turns.over(kPeer, Seconds(2));
  node.told();
  CHECK(node.ask(100));
  CHECK(node.turns.ask(kOther, SiteId{2}, kUrgency, Bytes{1}, Seconds(100)));
}

}  // namespace dipaco::testing
