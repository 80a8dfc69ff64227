#include <catch2/catch.hpp>

#include "core/coordinator/tables/ownership.hpp"

namespace dipaco {
namespace {

constexpr NodeId kStoreA{1};
constexpr NodeId kStoreB{2};
constexpr NodeId kFirstNode{3};
constexpr NodeId kSecond{4};
constexpr ModuleId kModule{0, 0};

/// One module that two paths share.
Topology one_shared() { return make_topology({.levels = "shared:2"}, {.blocks = 2}, "."); }

/// Of four modules, without copies; the second executor is preferred.
Ownership second_preferred() {
  Ownership ownership(make_topology({.levels = "2x2"}, {.blocks = 2}, "."), {10, 5}, 1);
  ownership.store_up(kStoreA, "a", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.executor_up(kSecond, "b", {});
  ownership.prefer({.preferred = {kSecond}});
  return ownership;
}

}  // namespace

TEST_CASE("modules go to the executors with the least, and their copies to other machines", "[coordinator]") {
  Topology topology = make_topology({.levels = "2x2"}, {.blocks = 2}, ".");
  Ownership ownership(topology, {10, 5}, 2);
  ownership.store_up(kStoreA, "a", {});
  ownership.store_up(kStoreB, "b", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.executor_up(kSecond, "b", {});
  const auto changes = ownership.settle();
  CHECK(changes.owners.size() == 4);
  CHECK(changes.executors == std::set<NodeId>{kFirstNode, kSecond});
  CHECK(ownership.list(kFirstNode).size() == 2);
  CHECK(ownership.list(kSecond).size() == 2);
  for (const OwnModule& own : ownership.list(kFirstNode)) CHECK(own.copies == std::vector<NodeId>{kStoreB});
  for (const OwnModule& own : ownership.list(kSecond)) CHECK(own.copies == std::vector<NodeId>{kStoreA});
  CHECK(ownership.settle().executors.empty());
}

TEST_CASE("what goes to a new owner goes to executors that are preferred, while any of them is there",
          "[coordinator]") {
  Ownership ownership = second_preferred();
  CHECK(ownership.settle().executors == std::set<NodeId>{kSecond});
  CHECK(ownership.list(kSecond).size() == 4);
  ownership.gone(kSecond);
  CHECK(ownership.settle().executors == std::set<NodeId>{kFirstNode});
  CHECK(ownership.list(kFirstNode).size() == 4);
}

TEST_CASE("a module of which there is no version yet comes back to an executor that is preferred", "[coordinator]") {
  Ownership ownership = second_preferred();
  ownership.settle();
  ownership.gone(kSecond);
  ownership.settle();
  const Owner stand_in = ownership.owner(kModule);
  CHECK(stand_in.executor == kFirstNode);
  CHECK(ownership.ready(kFirstNode, {{1, 0}, Version{1}, ownership.owner({1, 0}).epoch, {}, {}, {}}));
  ownership.executor_up(kSecond, "b", {});
  const auto changes = ownership.settle();
  CHECK(changes.owners.size() == 3);
  CHECK(changes.executors == std::set<NodeId>{kFirstNode, kSecond});
  CHECK(ownership.owner(kModule).executor == kSecond);
  CHECK(ownership.owner(kModule).epoch > stand_in.epoch);
  CHECK(ownership.owner({1, 0}).executor == kFirstNode);  // it has a version that nobody else has
  CHECK_FALSE(ownership.ready(kFirstNode, {kModule, Version{1}, stand_in.epoch, {}, {}, {}}));
  CHECK(ownership.settle().owners.empty());
}

TEST_CASE("another executor takes over for good from a store, at a higher epoch - the first one's word counts no more",
          "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 2);
  ownership.store_up(kStoreA, "a", {});
  ownership.store_up(kStoreB, "b", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.executor_up(kSecond, "b", {});
  ownership.settle();
  const Owner before = ownership.owner(kModule);
  const NodeId other = before.executor == kFirstNode ? kSecond : kFirstNode;
  const NodeId store = before.executor == kFirstNode ? kStoreB : kStoreA;
  REQUIRE(ownership.ready(before.executor, {kModule, Version{3}, before.epoch, {store}}));
  ownership.gone(before.executor);
  const auto changes = ownership.settle();
  CHECK(ownership.owner(kModule).executor == other);
  CHECK(ownership.owner(kModule).epoch == before.epoch + 1);
  CHECK(changes.executors == std::set<NodeId>{other});
  CHECK_FALSE(ownership.confirmed(kModule));
  const OwnModule own = ownership.list(other).front();
  CHECK(own.version == Version{3});
  CHECK(own.source == store);
  // The first one wakes with a version of its own.
  ownership.executor_up(before.executor, "a", {{kModule, Version{4}, before.epoch}});
  CHECK_FALSE(ownership.ready(before.executor, {kModule, Version{4}, before.epoch, {}}));
  CHECK(ownership.settle().owners.empty());
  CHECK(ownership.list(before.executor).empty());
  CHECK(ownership.ready(other, {kModule, Version{3}, before.epoch + 1, {}}));
  CHECK(ownership.confirmed(kModule));
}

TEST_CASE("without copies a module waits for its owner, which begins anew from its own storage", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 1);
  ownership.store_up(kStoreA, "a", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  ownership.executor_up(kSecond, "b", {});
  REQUIRE(ownership.ready(kFirstNode, {kModule, Version{2}, 1, {}}));
  ownership.gone(kFirstNode);
  CHECK(ownership.settle().owners.empty());
  CHECK(ownership.owner(kModule).executor == NodeId{-1});
  ownership.executor_up(kFirstNode, "a", {{kModule, Version{1}, 0}});  // an older disk than what was out
  CHECK(ownership.settle().owners.empty());
  ownership.executor_up(kFirstNode, "a", {{kModule, Version{2}, 0}});
  REQUIRE(ownership.settle().owners.size() == 1);
  CHECK(ownership.owner(kModule).executor == kFirstNode);
  CHECK(ownership.owner(kModule).epoch == 2);
  CHECK(ownership.list(kFirstNode).front().source == NodeId{-1});
}

TEST_CASE("a version that nobody heard of is not taken for the one with its number that a later owner made",
          "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 2);
  ownership.store_up(kStoreA, "a", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  ownership.store_up(kStoreB, "b", {});
  ownership.executor_up(kSecond, "b", {});
  // The first has version 1 out, at another machine's store too, and makes version 2, of which nobody hears.
  REQUIRE(ownership.ready(kFirstNode, {kModule, {1, 1}, 1, {kStoreB}}));
  ownership.gone(kFirstNode);
  ownership.settle();
  REQUIRE(ownership.owner(kModule).executor == kSecond);
  REQUIRE(ownership.ready(kSecond, {kModule, {2, 2}, 2, {}}));
  ownership.gone(kSecond);
  ownership.executor_up(kFirstNode, "a", {{kModule, {1, 1}, 0}, {kModule, {2, 1}, 0}});
  CHECK(ownership.settle().owners.empty());
  // Who made it has it, and what it made of it since.
  ownership.executor_up(kSecond, "b", {{kModule, {2, 2}, 0}, {kModule, {3, 2}, 0}});
  REQUIRE(ownership.settle().owners.size() == 1);
  CHECK(ownership.owner(kModule).executor == kSecond);
  CHECK(ownership.list(kSecond).front().version == Version{2, 2});
}

TEST_CASE("an owner begins with the newest version that is out, or with what the owner before made of it",
          "[coordinator]") {
  constexpr Version kOut{4, 2};
  CHECK(may_begin_with({4, 2}, kOut, 4));
  CHECK_FALSE(may_begin_with({4, 3}, kOut, 4));
  CHECK_FALSE(may_begin_with({3, 2}, kOut, 4));
  CHECK(may_begin_with({5, 3}, kOut, 4));
  CHECK_FALSE(may_begin_with({5, 2}, kOut, 4));  // of an owner that was lost before the last one began
  CHECK(may_begin_with({5, 0}, {4, 0}, 4));      // in rounds
}

TEST_CASE("an owner that says hello again with its epoch goes on as it was", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 1);
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  ownership.executor_up(kFirstNode, "a", {{kModule, Version{0}, 1}});
  CHECK(ownership.settle().owners.empty());
  CHECK(ownership.owner(kModule).epoch == 1);
}

TEST_CASE("an owner that only the coordinator had lost owns again what it holds at its epoch", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 1);
  ownership.executor_up(kFirstNode, "a", {});
  ownership.executor_up(kSecond, "b", {});
  ownership.settle();
  const Owner before = ownership.owner(kModule);
  REQUIRE(ownership.ready(before.executor, {kModule, Version{3}, before.epoch, {}}));
  ownership.gone(before.executor);
  CHECK(ownership.settle().owners.empty());
  CHECK_FALSE(ownership.confirmed(kModule));
  const auto back = ownership.executor_up(before.executor, "a", {{kModule, Version{4}, before.epoch}});
  REQUIRE(back.size() == 1);
  CHECK(back[0].executor == before.executor);
  CHECK(back[0].epoch == before.epoch);
  CHECK(ownership.confirmed(kModule));
  CHECK(ownership.settle().owners.empty());
  CHECK(ownership.ready(before.executor, {kModule, Version{4}, before.epoch, {}}));
}

TEST_CASE("an owner that has begun anew gets its module at the next epoch", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 1);
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  REQUIRE(ownership.ready(kFirstNode, {kModule, Version{3}, 1, {}}));
  ownership.gone(kFirstNode);
  CHECK(ownership.executor_up(kFirstNode, "a", {{kModule, Version{3}, 0}}).empty());
  CHECK(ownership.settle().owners.size() == 1);
  CHECK(ownership.owner(kModule).epoch == 2);
}

TEST_CASE("an owner that has begun anew and got what was meant for the process before it owns nothing yet",
          "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 1);
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  REQUIRE(ownership.ready(kFirstNode, {kModule, Version{3}, 1, {}}));
  ownership.gone(kFirstNode);
  for (int hellos = 0; hellos < 2; ++hellos)
    CHECK(ownership.executor_up(kFirstNode, "a", {{kModule, Version{3}, 1}}, 1).empty());
  CHECK(ownership.settle().owners.size() == 1);
  CHECK(ownership.owner(kModule).epoch == 2);
  CHECK(ownership.executor_up(kFirstNode, "a", {{kModule, Version{3}, 2}}, 1).empty());
  CHECK(ownership.settle().owners.empty());
  ownership.executor_up(kFirstNode, "a", {{kModule, Version{3}, 2}}, 0);  // the process before, late
  ownership.executor_up(kFirstNode, "a", {{kModule, Version{3}, 2}}, 1);
  CHECK(ownership.settle().owners.empty());
}

TEST_CASE("where no other machine has a store, a copy goes to one of the owner's", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 2);
  ownership.store_up(kStoreA, "a", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  CHECK(ownership.list(kFirstNode).front().copies == std::vector<NodeId>{kStoreA});
  ownership.store_up(kStoreB, "b", {});
  CHECK(ownership.settle().executors == std::set<NodeId>{kFirstNode});
  CHECK(ownership.list(kFirstNode).front().copies == std::vector<NodeId>{kStoreB});
}

TEST_CASE("an owner hears of another store when the one with its copies is lost, and of none when there is none",
          "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 2);
  ownership.store_up(kStoreA, "b", {});
  ownership.store_up(kStoreB, "c", {});
  ownership.executor_up(kFirstNode, "a", {});
  ownership.settle();
  const NodeId store = ownership.list(kFirstNode).front().copies.front();
  const NodeId other = store == kStoreA ? kStoreB : kStoreA;
  ownership.gone(store);
  CHECK(ownership.settle().executors == std::set<NodeId>{kFirstNode});
  CHECK(ownership.list(kFirstNode).front().copies == std::vector<NodeId>{other});
  ownership.gone(other);
  CHECK(ownership.settle().executors == std::set<NodeId>{kFirstNode});
  CHECK(ownership.list(kFirstNode).front().copies.empty());
}

TEST_CASE("an owner that a journal names loses its module when it is gone, or says hello without it", "[coordinator]") {
  Topology topology = one_shared();
  for (const bool gone : {true, false}) {
    Ownership ownership(topology, {10}, 1);
    ownership.restore({kModule, kFirstNode, 4}, true);
    CHECK(ownership.owner(kModule).executor == kFirstNode);
    if (gone) {
      ownership.gone(kFirstNode);
    } else {
      ownership.executor_up(kFirstNode, "a", {});
    }
    CHECK(ownership.owner(kModule).executor == NodeId{-1});
  }
}

TEST_CASE("what a node had before it said hello anew is not looked for there", "[coordinator]") {
  Topology topology = one_shared();
  Ownership ownership(topology, {10}, 2);
  ownership.store_up(kStoreA, "a", {});
  ownership.executor_up(kFirstNode, "b", {});
  ownership.settle();
  REQUIRE(ownership.ready(kFirstNode, {kModule, Version{3}, 1, {kStoreA}}));
  ownership.store_up(kStoreA, "a", {});  // its disk was lost
  ownership.gone(kFirstNode);
  ownership.executor_up(kSecond, "c", {});
  ownership.settle();
  CHECK(ownership.owner(kModule).executor == NodeId{-1});
  ownership.store_up(kStoreA, "a", {{kModule, Version{3}, 0}});
  ownership.settle();
  CHECK(ownership.owner(kModule).executor == kSecond);
}

}  // namespace dipaco
