// What regional parts and global parts send each other, and when (docs/decisions/0037).

#include <catch2/catch.hpp>

#include "core/plan/regions.hpp"
#include "core/roles/modules/regional_merges.hpp"
#include "core/state/path_values.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kGlobal{1, 0};  // of 2x2: of paths 0 and 2, which are of two regions
constexpr NodeId kOther{7};        // another executor
constexpr std::int32_t kMergeEvery = 3;

RunPlan plan_of_regions(MadeUpRun& made) {
  made.config.topology.regions = 2;
  made.config.outer.policy = "hierarchical";
  made.config.outer.merge_every = kMergeEvery;
  made.config.evaluate.every = 0;
  return made.plan();
}

/// An executor that owns one part, at a version of which the coordinator may not know yet.
struct Merges {
  explicit Merges(bool global) : owned(global ? kGlobal : plan.topology.regional_parts(kGlobal).front()) {
    OwnedModule& module = modules[owned];
    module.here = true;
    module.parameters = start_module(plan, owned);
    module.velocity = make_values(start_velocity(plan, owned), module.parameters.charged);
    module.sum = stepper.empty_sum(owned, module.parameters);
  }

  OwnedModule& mine() { return modules.at(owned); }
  /// The part is at this version; the coordinator has heard of that one.
  void at(std::int32_t version, std::int32_t heard) {
    mine().version = Version{version};
    mine().heard = Version{heard};
  }
  void owner_is(NodeId executor, Epoch epoch) {
    Body body = Owners{{{kGlobal, executor, epoch}}};
    REQUIRE(merges.take(modules, NodeId{0}, body));
  }
  std::vector<std::pair<NodeId, RegionDifference>> sent(Seconds now = {}) {
    merges.run(modules, now);
    return transport.take<RegionDifference>();
  }
  std::vector<std::pair<NodeId, GlobalParameters>> answered() {
    merges.run(modules, {});
    return transport.take<GlobalParameters>();
  }
  /// A difference of the first region comes. @returns whether the global part is to step by it
  bool comes(std::int32_t merged) {
    RegionDifference difference = difference_of(plan, part(), other_part());
    difference.merged = merged;
    Body body = std::move(difference);
    REQUIRE(merges.take(modules, kOther, body));
    return merges.add_next(modules, stepper, {}).has_value();
  }
  ModuleId part() const { return plan.topology.regional_parts(kGlobal).front(); }
  OwnedModule other_part() const {
    OwnedModule module;
    module.version = Version{kMergeEvery};
    module.parameters = start_module(plan, part());
    module.velocity = make_values(start_velocity(plan, part()), module.parameters.charged);
    return module;
  }
  /// The global part steps by what is in hand.
  void step() { stepper.step(kGlobal, mine(), 1); }

  MadeUpRun made{"2x2"};
  RunPlan plan = plan_of_regions(made);
  KeptMessages transport;
  MemoryStorage storage;
  NoArchive archive;
  ModuleFiles files{plan, storage};
  OuterStepper stepper{plan, archive};
  RegionalMerges merges{plan, transport, files};
  ModuleId owned;
  RegionalMerges::Modules modules;
};

}  // namespace

TEST_CASE("a difference leaves once the coordinator has its version, once", "[roles]") {
  Merges regional(false);
  regional.owner_is(kOther, 4);
  regional.at(kMergeEvery, kMergeEvery - 1);  // another version of this number may count
  CHECK(regional.sent().empty());
  regional.at(kMergeEvery, kMergeEvery);
  const auto sent = regional.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].first == kOther);
  CHECK(sent[0].second.epoch == 4);
  CHECK(sent[0].second.merged == 0);
  CHECK(sent[0].second.versions == kMergeEvery);
  regional.at(kMergeEvery + 1, kMergeEvery + 1);
  CHECK(regional.sent().empty());
}

TEST_CASE("a difference waits for the owner of its global part", "[roles]") {
  Merges regional(false);
  regional.at(kMergeEvery, kMergeEvery);
  CHECK(regional.sent().empty());
  regional.owner_is(NodeId{-1}, 4);
  CHECK(regional.sent().empty());
  regional.owner_is(kOther, 5);
  CHECK(regional.sent().size() == 1);
}

TEST_CASE("a difference is sent again to a new owner, and to one that was lost after a while", "[roles]") {
  Merges regional(false);
  regional.owner_is(kOther, 4);
  regional.at(kMergeEvery, kMergeEvery);
  CHECK(regional.sent().size() == 1);
  const Seconds period = regional.plan.config.liveness.period;
  regional.merges.lost(regional.modules, kOther, Seconds(100));
  CHECK(regional.merges.unsent(regional.modules));
  CHECK(regional.sent(Seconds(100) + period / 2).empty());
  CHECK(regional.sent(Seconds(100) + period).size() == 1);
  CHECK_FALSE(regional.merges.unsent(regional.modules));
  regional.owner_is(NodeId{8}, 5);
  const auto sent = regional.sent(Seconds(200));
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].first == NodeId{8});
}

TEST_CASE("a part whose paths have ended gives what it has moved by, of its last version only", "[roles]") {
  Merges regional(false);
  regional.owner_is(kOther, 4);
  regional.at(2, 2);
  Body earlier = LastDifference{regional.owned, Version{1}};
  REQUIRE(regional.merges.take(regional.modules, NodeId{0}, earlier));
  CHECK(regional.sent().empty());
  Body last = LastDifference{regional.owned, Version{2}};
  REQUIRE(regional.merges.take(regional.modules, NodeId{0}, last));
  const auto sent = regional.sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].second.versions == 2);
}

TEST_CASE("a regional part merges with the answer to its difference, and with no other", "[roles]") {
  Merges regional(false);
  regional.owner_is(kOther, 4);
  regional.at(kMergeEvery, kMergeEvery);
  CHECK(regional.sent().size() == 1);
  const auto take = [&](std::int32_t merged) {
    Body body = GlobalParameters{regional.owned, merged, Version{1}, regional.mine().parameters};
    REQUIRE(regional.merges.take(regional.modules, kOther, body));
  };
  take(2);
  CHECK_FALSE(regional.mine().merging.global.has_value());
  take(0);
  CHECK(regional.mine().merging.global.has_value());
}

TEST_CASE("an answer leaves once the coordinator has the version that the difference is in", "[roles]") {
  Merges global(true);
  CHECK(global.comes(0));
  global.step();
  CHECK(global.answered().empty());  // another version of this number may count
  global.mine().heard = global.mine().version;
  const auto answers = global.answered();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].first == kOther);
  CHECK(answers[0].second.merged == 0);
  CHECK(answers[0].second.version == Version{1});
  CHECK(global.answered().empty());
}

TEST_CASE("a difference that comes again is in its global part once, and is answered again", "[roles]") {
  Merges global(true);
  CHECK(global.comes(0));
  global.step();
  global.mine().heard = global.mine().version;
  CHECK(global.answered().size() == 1);
  CHECK_FALSE(global.comes(0));
  CHECK(global.answered().size() == 1);
}

TEST_CASE("a difference to an executor that is not the owner yet waits for that", "[roles]") {
  Merges global(true);
  global.mine().here = false;
  CHECK_FALSE(global.comes(0));
  global.mine().here = true;
  CHECK(global.merges.add_next(global.modules, global.stepper, {}) == kGlobal);
}

}  // namespace dipaco::testing
