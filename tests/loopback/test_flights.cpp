#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "backends/loopback/flights.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kA{0};
constexpr NodeId kB{1};
constexpr Seconds kLimit{10};

/// Two nodes on a test's clock, without threads: time passes when the test says so.
class TwoNodes {
 public:
  TwoNodes() {
    clock_.leave(thread_of(kA));
    clock_.leave(thread_of(kB));
    nodes_.begin(kA);
    nodes_.begin(kB);
  }
  LoopbackNodes& nodes() { return nodes_; }
  void send(NodeId from, NodeId to) { flights_.send(from, to, make_message(WhoIsThere{})); }
  void cut(Seconds lasting) { flights_.cut(kA, kB, lasting, kLimit); }
  void delay(NodeId node, Seconds lasting) {
    nodes_.at(node).delay = lasting;
    nodes_.at(node).delayed_until = clock_.now() + lasting;
  }
  void pass(Seconds time) {
    std::unique_lock lock(clock_.mutex());
    clock_.wait(lock, 2, clock_.now() + time, [] { return false; });
  }
  /// What has come to the node since the last call, in order: a message is 'm', a loss 'l'.
  std::string came(NodeId node) {
    std::string kinds;
    for (const Incoming& incoming : std::exchange(nodes_.at(node).inbox, {})) {
      kinds += std::holds_alternative<Envelope>(incoming) ? 'm' : 'l';
    }
    return kinds;
  }

 private:
  LoopbackClock clock_{3, true};  // the third is the test's own thread
  LoopbackNodes nodes_{2, clock_};
  LoopbackFlights flights_{nodes_, clock_};
};

}  // namespace

TEST_CASE("a message arrives at once, and one to oneself whatever is cut", "[loopback]") {
  TwoNodes two;
  two.send(kA, kB);
  CHECK(two.came(kB) == "m");
  two.cut(Seconds(1));
  two.send(kA, kA);
  CHECK(two.came(kA) == "m");
}

TEST_CASE("a late message arrives after its delay, and nothing that was sent behind it overtakes it", "[loopback]") {
  TwoNodes two;
  two.delay(kA, Seconds(4));
  two.send(kA, kB);  // arrives at 4
  two.pass(Seconds(3));
  two.send(kA, kB);  // arrives at 7
  CHECK(two.came(kB).empty());
  two.pass(Seconds(2));  // 5: what is sent now is not late, but waits for the second
  CHECK(two.came(kB) == "m");
  two.send(kA, kB);
  CHECK(two.came(kB).empty());
  two.pass(Seconds(2));
  CHECK(two.came(kB) == "mm");
}

TEST_CASE("a cut that is mended within the limit lets pass what it has held", "[loopback]") {
  TwoNodes two;
  two.cut(Seconds(9));
  two.send(kA, kB);
  two.pass(Seconds(8));
  CHECK(two.came(kB).empty());
  two.pass(Seconds(2));
  CHECK(two.came(kB) == "m");
  CHECK(two.came(kA).empty());
}

TEST_CASE("a cut that outlasts the limit loses what it has held, and both sides hear so", "[loopback]") {
  TwoNodes two;
  two.cut(Seconds(20));
  two.send(kA, kB);
  two.pass(Seconds(11));
  CHECK(two.came(kA) == "l");
  CHECK(two.came(kB) == "l");
  two.send(kB, kA);  // who sends from then on hears so again
  CHECK(two.came(kB) == "l");
  two.pass(Seconds(10));
  two.send(kB, kA);
  CHECK(two.came(kA) == "m");
}

TEST_CASE("a late message goes with its sender, and is not for its receiver's next incarnation", "[loopback]") {
  for (const NodeId lost : {kA, kB}) {
    TwoNodes two;
    two.delay(kA, Seconds(4));
    two.send(kA, kB);
    two.nodes().lose(lost);
    two.nodes().begin(lost);
    two.pass(Seconds(5));
    CHECK(two.came(kB).empty());
  }
}

TEST_CASE("who sends to a node that is gone hears so, unless its loss is still to be told", "[loopback]") {
  TwoNodes two;
  two.nodes().lose(kB);
  two.nodes().at(kB).untold = true;
  two.send(kA, kB);
  CHECK(two.came(kA).empty());
  two.nodes().tell_loss(kB);
  CHECK(two.came(kA) == "l");
  two.send(kA, kB);
  CHECK(two.came(kA) == "l");
}

TEST_CASE("who sends late to a node that is gone hears so, also where another incarnation is there meanwhile",
          "[loopback]") {
  TwoNodes two;
  two.nodes().lose(kB);
  two.nodes().tell_loss(kB);
  two.delay(kA, Seconds(5));
  two.send(kA, kB);
  two.nodes().begin(kB);
  two.came(kA);
  two.pass(Seconds(6));
  CHECK(two.came(kA) == "l");
  CHECK(two.came(kB).empty());
}

}  // namespace dipaco::testing
