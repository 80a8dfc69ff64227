#include <catch2/catch.hpp>

#include "core/coordinator/replication.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr PathId kCopied{0};

/// Path 0 is at version 1, which one of two stores has.
struct TwoStores {
  explicit TwoStores(std::int64_t replicas) {
    made.config.run.replicas = replicas;
    known.emplace(made);
    for (const int store : {2, 3}) known->add(store, Role::store);
    known->run.queue.committed(kCopied, 1, SiteId{0}, Seconds(0));
    known->run.holders.add(kCopied, 1, 0, NodeId{2});
    evaluations.emplace(known->run);
    replication.emplace(known->run, *evaluations);
  }
  std::vector<std::pair<NodeId, CopyPathState>> copies() {
    replication->replicate(kCopied);
    return known->transport.take<CopyPathState>();
  }

  MadeUpRun made{"2x2"};
  std::optional<KnownRun> known;
  std::optional<Evaluations> evaluations;
  std::optional<Replication> replication;
};

}  // namespace

TEST_CASE("a state is copied to a store of another machine, and only once at a time", "[coordinator]") {
  TwoStores world(2);
  const auto copies = world.copies();
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].first == NodeId{2});
  CHECK(copies[0].second.path == kCopied);
  CHECK(copies[0].second.version == 1);
  CHECK(world.copies().empty());  // it is on its way
}

TEST_CASE("a copy that has not arrived is sent again once a store is lost", "[coordinator]") {
  TwoStores world(2);
  CHECK(world.copies().size() == 1);
  world.replication->store_lost();
  CHECK(world.copies().size() == 1);
}

TEST_CASE("a copy that has arrived, and is not there any more, is sent again", "[coordinator]") {
  TwoStores world(2);
  CHECK(world.copies().size() == 1);
  world.replication->arrived({.path = kCopied, .version = 1}, NodeId{2});  // another store than the copy is for
  CHECK(world.copies().empty());
  world.replication->arrived({.path = kCopied, .version = 1}, NodeId{3});
  CHECK(world.copies().size() == 1);
}

TEST_CASE("nothing is copied where one store is enough", "[coordinator]") {
  TwoStores world(1);
  CHECK(world.copies().empty());
}

TEST_CASE("a state that its worker still puts is left alone", "[coordinator]") {
  TwoStores world(2);
  world.known->run.given.set(NodeId{5}, {{kCopied, OuterStep{0}}, 1, {NodeId{2}, NodeId{3}}});
  CHECK(world.copies().empty());
  world.known->run.given.remove(NodeId{5});
  CHECK(world.copies().size() == 1);
}

}  // namespace dipaco::testing
