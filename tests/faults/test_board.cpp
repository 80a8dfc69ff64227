#include <catch2/catch.hpp>
#include <vector>

#include "core/base/error.hpp"
#include "core/faults/board.hpp"
#include "core/faults/parse.hpp"

using namespace dipaco;

namespace {

const std::vector<NodeFacts> kNodes{{.id = NodeId{0}, .role = Role::coordinator},
                                    {.id = NodeId{1}, .role = Role::store},
                                    {.id = NodeId{2}, .role = Role::worker}};
constexpr NodeId kStore{1};
constexpr NodeId kWorker{2};

}  // namespace

TEST_CASE("a fault strikes its node once, when all of its conditions hold", "[faults]") {
  FaultBoard board(parse_faults(FaultKind::freeze, "worker:0@outer_step=2,path=1,time=10s,computing,for=3s"), kNodes);
  const Moment right{.now = Seconds(10), .path = PathId{1}, .outer_step = OuterStep{2}, .stage = FaultStage::computing};
  Moment wrong = right;
  wrong.now = Seconds(9.9);
  CHECK_FALSE(board.take(kWorker, wrong));
  wrong = right;
  wrong.path = PathId{0};
  CHECK_FALSE(board.take(kWorker, wrong));
  wrong = right;
  wrong.outer_step = OuterStep{3};
  CHECK_FALSE(board.take(kWorker, wrong));
  wrong = right;
  wrong.stage = FaultStage::gathering;
  CHECK_FALSE(board.take(kWorker, wrong));
  CHECK_FALSE(board.take(kStore, right));
  CHECK(board.pending().size() == 1);
  const auto strike = board.take(kWorker, right);
  REQUIRE(strike);
  CHECK(strike->kind == FaultKind::freeze);
  CHECK(strike->lasting == Seconds(3));
  CHECK_FALSE(board.take(kWorker, right));
  CHECK(board.pending().empty());
}

TEST_CASE("storing is any write of another role, and storage faults strike nothing but writes", "[faults]") {
  FaultBoard board(parse_faults({.kill = "store:0@storing", .disk_full = "store:0@outer_step=1,for=1s"}), kNodes);
  Moment moment{.outer_step = OuterStep{1}, .stage = FaultStage::finishing};
  CHECK_FALSE(board.take(kStore, moment));
  moment.writing = true;
  CHECK(board.take(kStore, moment)->kind == FaultKind::kill);
  CHECK(board.take(kStore, moment)->kind == FaultKind::disk_full);
}

TEST_CASE("what changes a node's messages strikes in its own calls alone, and is not lost to an alarm", "[faults]") {
  FaultBoard board(parse_faults({.freeze = "worker:0@time=5s,for=1s", .poison = "worker:0@time=1s,for=9s"}), kNodes);
  const auto alarm = board.take(kWorker, {.now = Seconds(5), .outside = true});
  REQUIRE(alarm);
  CHECK(alarm->kind == FaultKind::freeze);
  CHECK_FALSE(board.take(kWorker, {.now = Seconds(5), .outside = true}));
  CHECK(board.take(kWorker, {.now = Seconds(5)})->kind == FaultKind::poison);
}

TEST_CASE("the next time is that of the node's faults that are to come", "[faults]") {
  FaultBoard board(parse_faults(FaultKind::cut, "worker:0-store:0@time=40s,for=1s; worker:0@time=20s,for=1s"), kNodes);
  CHECK(board.next_time(kWorker, Seconds(0)) == Seconds(20));
  CHECK(board.next_time(kWorker, Seconds(20)) == Seconds(40));
  CHECK_FALSE(board.next_time(kStore, Seconds(0)));
  CHECK(board.concerns(kWorker));
  CHECK_FALSE(board.concerns(kStore));
  const auto first = board.take(kWorker, {.now = Seconds(100)});
  CHECK(first->peer == kStore);
  CHECK_FALSE(board.take(kWorker, {.now = Seconds(100)})->peer.has_value());
  CHECK_FALSE(board.next_time(kWorker, Seconds(0)));
}

TEST_CASE("a board refuses a plan with a node that is not there", "[faults]") {
  CHECK_THROWS_AS(FaultBoard(parse_faults(FaultKind::kill, "worker:1@hello"), kNodes), ConfigError);
}
