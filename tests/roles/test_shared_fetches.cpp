#include <catch2/catch.hpp>

#include "core/roles/supplies/shared_fetches.hpp"
#include "tests/roles/kept_messages.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kSharedModule{0, 1};
constexpr NodeId kOwnerAfar{7};
constexpr NodeId kOwnerAfter{8};
constexpr NodeId kOneWorker{20};
constexpr NodeId kOtherWorker{21};

/// A site's cache, and what it sends.
struct CacheOfASite {
  KeptMessages sent;
  SharedFetches shared{sent};

  void ask(NodeId worker, std::int32_t version, Epoch epoch = 1, NodeId owner = kOwnerAfar) {
    shared.ask(worker, {{kSharedModule, Version{version}, epoch}, owner});
  }
  void come(std::int32_t version, Epoch epoch = 1) {
    const ModuleValues values{kSharedModule, Version{version}, epoch, {nullptr, 3}};
    shared.arrived(values, {kOwnerAfar, {}, make_message(values), Seconds(2)});
  }
  /// Whom it has asked.
  std::vector<NodeId> asked() {
    std::vector<NodeId> owners;
    for (const auto& [owner, fetch] : sent.take<FetchModule>()) owners.push_back(owner);
    return owners;
  }
  /// Who got a version, with the epoch that it was given as.
  std::vector<std::pair<NodeId, Epoch>> served() {
    std::vector<std::pair<NodeId, Epoch>> workers;
    for (const auto& [worker, values] : sent.take<ModuleValues>()) workers.emplace_back(worker, values.epoch);
    return workers;
  }
  std::vector<NodeId> failed() {
    std::vector<NodeId> workers;
    for (const auto& [worker, fetch] : sent.take<FetchFailed>()) workers.push_back(worker);
    return workers;
  }
};

using Nodes = std::vector<NodeId>;
using Served = std::vector<std::pair<NodeId, Epoch>>;

}  // namespace

TEST_CASE("a version that two workers lack is asked of its owner once, and kept for a third", "[roles]") {
  CacheOfASite site;
  site.ask(kOneWorker, 2);
  site.ask(kOtherWorker, 2);
  CHECK(site.asked() == Nodes{kOwnerAfar});
  CHECK(site.served().empty());
  site.come(2);
  CHECK(site.served() == Served{{kOneWorker, 1}, {kOtherWorker, 1}});
  site.ask(NodeId{22}, 2);
  CHECK(site.asked().empty());
  site.ask(NodeId{22}, 2);
  CHECK(site.served() == Served{{NodeId{22}, 1}});
}

TEST_CASE("the newest version of a module is kept, and an older one is asked for anew", "[roles]") {
  CacheOfASite site;
  for (const std::int32_t version : {3, 2}) {
    site.ask(kOneWorker, version);
    site.come(version);
  }
  site.asked();
  site.served();
  site.ask(kOtherWorker, 3);
  CHECK(site.served() == Served{{kOtherWorker, 1}});
  site.ask(kOtherWorker, 2);
  CHECK(site.asked() == Nodes{kOwnerAfar});
}

TEST_CASE("workers hear that the owner was lost, and their next request is passed on", "[roles]") {
  CacheOfASite site;
  site.ask(kOneWorker, 2);
  site.ask(kOtherWorker, 2);
  site.asked();
  site.shared.lost(kOwnerAfter);
  CHECK(site.failed().empty());
  site.shared.lost(kOwnerAfar);
  CHECK(site.failed() == Nodes{kOneWorker, kOtherWorker});
  site.ask(kOneWorker, 2);
  CHECK(site.asked() == Nodes{kOwnerAfar});
  site.come(2);
  CHECK(site.served() == Served{{kOneWorker, 1}});
}

TEST_CASE("how fast versions come to a site is measured where they come", "[roles]") {
  CacheOfASite site;
  site.come(2);
  const auto ways = site.shared.take_ways();
  REQUIRE(ways.size() == 1);
  CHECK(ways[0].from == kOwnerAfar);
  CHECK(ways[0].seconds_a_byte > 0);
  CHECK(site.shared.take_ways().empty());
}

TEST_CASE("a worker that is lost waits for nothing", "[roles]") {
  CacheOfASite site;
  site.ask(kOneWorker, 2);
  site.ask(kOtherWorker, 2);
  site.shared.lost(kOneWorker);
  site.come(2);
  CHECK(site.served() == Served{{kOtherWorker, 1}});
}

TEST_CASE(
    "a new owner is asked for what the old one has not given, once, and each worker gets it as of the one it knows",
    "[roles]") {
  CacheOfASite site;
  site.ask(kOneWorker, 2);
  site.ask(kOneWorker, 2, 2, kOwnerAfter);
  site.ask(kOtherWorker, 2);  // it has not heard yet
  CHECK(site.asked() == Nodes{kOwnerAfar, kOwnerAfter});
  site.come(2, 1);  // the old owner's, which was on its way: the same values
  CHECK(site.served() == Served{{kOneWorker, 2}, {kOtherWorker, 1}});
}

}  // namespace dipaco::testing
