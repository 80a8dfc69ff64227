#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <utility>

#include "core/queue/workers.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

constexpr SiteId kNear{0};
constexpr SiteId kFar{1};
constexpr SiteId kEmpty{2};

/// The same choices, by a walk over all workers.
class WalkedWorkers {
 public:
  struct Worker {
    SiteId site{};
    double speed = 0;
    bool free = false;
  };

  void up(NodeId node, const Worker& worker) { all_[node] = worker; }
  void gone(NodeId node) { all_.erase(node); }
  bool set_free(NodeId node, bool free) {
    if (!all_.contains(node)) return false;
    all_.at(node).free = free;
    return true;
  }
  bool is_free(NodeId node) const { return all_.contains(node) && all_.at(node).free; }
  /// The first that is free and for which no other ranks higher.
  template <class Rank>
  std::optional<NodeId> best(const Rank& rank) const {
    std::optional<NodeId> best;
    for (const auto& [node, worker] : all_) {
      if (worker.free && (!best || rank(all_.at(*best)) < rank(worker))) best = node;
    }
    return best;
  }

 private:
  std::map<NodeId, Worker> all_;
};

}  // namespace

TEST_CASE("the fastest free worker is taken, of equals the one with the lowest number", "[queue]") {
  Workers workers;
  CHECK_FALSE(workers.any_free());
  CHECK(workers.fastest() == std::nullopt);
  CHECK(workers.nearest(kNear) == std::nullopt);
  workers.up(NodeId{3}, kNear, 2.0, true);
  workers.up(NodeId{2}, kFar, 2.0, true);
  workers.up(NodeId{1}, kNear, 1.0, true);
  workers.up(NodeId{4}, kFar, 9.0, false);
  CHECK(workers.fastest() == NodeId{2});
  CHECK(workers.set_free(NodeId{4}, true));
  CHECK(workers.fastest() == NodeId{4});
}

TEST_CASE("a worker of the site goes before a faster one elsewhere, but not one that is busy", "[queue]") {
  Workers workers;
  workers.up(NodeId{1}, kNear, 1.0, true);
  workers.up(NodeId{2}, kNear, 2.0, true);
  workers.up(NodeId{3}, kFar, 9.0, true);
  CHECK(workers.nearest(kNear) == NodeId{2});
  CHECK(workers.nearest(kEmpty) == NodeId{3});
  workers.set_free(NodeId{2}, false);
  CHECK(workers.nearest(kNear) == NodeId{1});
  workers.gone(NodeId{1});
  CHECK(workers.nearest(kNear) == NodeId{3});
}

TEST_CASE("a worker that is gone is not free, and cannot be set free", "[queue]") {
  Workers workers;
  workers.up(NodeId{1}, kNear, 1.0, true);
  workers.gone(NodeId{1});
  workers.gone(NodeId{2});  // never was there
  CHECK_FALSE(workers.set_free(NodeId{1}, true));
  CHECK_FALSE(workers.is_ready(NodeId{1}));
  CHECK_FALSE(workers.any_free());
}

TEST_CASE("a worker that says hello again is at its new site, with its new speed", "[queue]") {
  Workers workers;
  workers.up(NodeId{1}, kNear, 9.0, true);
  workers.up(NodeId{2}, kFar, 5.0, true);
  workers.up(NodeId{1}, kFar, 1.0, true);
  CHECK(workers.fastest() == NodeId{2});
  CHECK(workers.nearest(kNear) == NodeId{2});
  workers.set_free(NodeId{2}, false);
  workers.set_free(NodeId{1}, false);
  CHECK_FALSE(workers.any_free());
}

TEST_CASE("workers are chosen as by a walk over all of them, whatever has happened", "[queue]") {
  constexpr std::int32_t kDrawnNodes = 20;
  constexpr std::int32_t kDrawnSites = 4;
  Workers workers;
  WalkedWorkers walked;
  Draws draws(2);
  for (int k = 0; k < 5000; ++k) {
    const NodeId node{draws.below(kDrawnNodes)};
    const bool free = draws.once_in(2);
    const std::int32_t what = draws.below(8);
    if (what == 0) {
      const WalkedWorkers::Worker worker{SiteId{draws.below(kDrawnSites)}, static_cast<double>(draws.below(3)), free};
      workers.up(node, worker.site, worker.speed, worker.free);
      walked.up(node, worker);
    } else if (what == 1) {
      workers.gone(node);
      walked.gone(node);
    } else {
      REQUIRE(workers.set_free(node, free) == walked.set_free(node, free));
    }
    REQUIRE(workers.is_ready(node) == walked.is_free(node));
    const auto fastest = walked.best([](const auto& worker) { return worker.speed; });
    REQUIRE(workers.fastest() == fastest);
    REQUIRE(workers.any_free() == fastest.has_value());
    for (std::int32_t site = 0; site < kDrawnSites; ++site) {
      const auto rank = [&](const auto& worker) { return std::pair(worker.site == SiteId{site}, worker.speed); };
      REQUIRE(workers.nearest(SiteId{site}) == walked.best(rank));
    }
  }
}

TEST_CASE("a straggler counts as none of its site, and is taken for what it can do now", "[queue]") {
  Workers workers;
  workers.up(NodeId{1}, kNear, 9.0, true);
  workers.up(NodeId{2}, kFar, 2.0, true);
  workers.avoid(NodeId{1}, true);
  CHECK_FALSE(workers.is_ready(NodeId{1}));
  CHECK(workers.nearest(kNear) == NodeId{1});  // the fastest of all
  workers.speed_is(NodeId{1}, 1.0);
  CHECK(workers.nearest(kNear) == NodeId{2});
  workers.up(NodeId{1}, kNear, 1.0, true);  // says hello again
  CHECK(workers.nearest(kNear) == NodeId{2});
  workers.avoid(NodeId{1}, false);
  CHECK(workers.is_ready(NodeId{1}));
  CHECK(workers.nearest(kNear) == NodeId{1});
}

TEST_CASE("a measured speed that differs little changes no order", "[queue]") {
  Workers workers;
  workers.up(NodeId{1}, kNear, 1.0, true);
  workers.up(NodeId{2}, kNear, 1.0, true);
  workers.speed_is(NodeId{2}, 1.04);
  CHECK(workers.fastest() == NodeId{1});
  workers.speed_is(NodeId{2}, 1.06);
  CHECK(workers.fastest() == NodeId{2});
  workers.set_free(NodeId{2}, false);
  workers.speed_is(NodeId{2}, 0.5);  // at work
  workers.set_free(NodeId{2}, true);
  CHECK(workers.fastest() == NodeId{1});
}

}  // namespace dipaco::testing
