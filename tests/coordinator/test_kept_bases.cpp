#include <catch2/catch.hpp>
#include <vector>

#include "core/coordinator/known/kept_bases.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kShared{0, 0};  // of 2x2: of paths 0 and 1
constexpr int kOwnerNode = 1;
constexpr int kStoreNode = 2;

struct BasesRun {
  explicit BasesRun(const std::string& policy) {
    made.config.outer.policy = policy;
    made.config.evaluate.every = 0;
    known.emplace(made);
    known->own_all(kOwnerNode);
    known->add(kStoreNode, Role::store);
    known->run.queue.start(Seconds(0));
    parts.emplace(known->run);
    bases.emplace(known->run);
    known->transport.sent.clear();
  }

  PathEntry& path(std::int32_t number) { return known->run.queue.path(PathId{number}); }
  static Base base_of(std::int32_t version) {
    return {{kShared, Version{version}}, {ModuleId{1, 0}, Version{version}}};
  }
  void out(std::int32_t version, const std::vector<SettledPath>& settled = {}) {
    known->run.queue.module_ready(kShared, Version{version}, settled, Seconds(0));
  }
  std::vector<std::pair<NodeId, KeepVersions>> told() {
    bases->keep(kShared, *parts);
    return known->transport.take<KeepVersions>();
  }

  MadeUpRun made{"2x2"};
  std::optional<KnownRun> known;
  std::optional<RegionalParts> parts;
  std::optional<KeptBases> bases;
};

}  // namespace

TEST_CASE("in rounds nobody is told which versions to keep", "[coordinator]") {
  BasesRun run("synchronous");
  run.out(1);
  CHECK(run.told().empty());
}

TEST_CASE("stores and the owner are told once which versions open tasks began with", "[coordinator]") {
  BasesRun run("asynchronous");
  run.path(0).base = BasesRun::base_of(2);
  run.path(1).base = BasesRun::base_of(4);
  run.out(5);
  const auto told = run.told();
  REQUIRE(told.size() == 2);
  CHECK(told[0].first == NodeId{kStoreNode});
  CHECK(told[1].first == NodeId{kOwnerNode});
  CHECK(told[0].second.newest == Version{5});
  CHECK(told[0].second.bases == std::vector{Version{2}, Version{4}});
  CHECK(run.told().empty());
  run.out(6);
  CHECK(run.told().size() == 2);
  run.bases->forget(kShared);  // it has a new owner
  CHECK(run.told().size() == 2);
}

TEST_CASE("what a done task began with is kept until its contribution is settled", "[coordinator]") {
  BasesRun run("asynchronous");
  run.path(0).version = 3;
  run.path(0).state_base = BasesRun::base_of(2);
  run.out(5, {{PathId{0}, OuterStep{2}}});
  CHECK(run.told().front().second.bases == std::vector{Version{2}});
  run.out(6, {{PathId{0}, OuterStep{3}}});
  CHECK(run.told().front().second.bases.empty());
}

}  // namespace dipaco::testing
