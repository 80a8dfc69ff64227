// What the coordinator knows of regional parts and global parts (docs/decisions/0037).

#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "core/coordinator/known/regional_parts.hpp"
#include "core/plan/regions.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kWholePart{1, 0};  // of 2x2: of paths 0 and 2, which are of two regions
constexpr int kPartsOwner = 1;
constexpr std::int32_t kVersionsAMerge = 3;
using Versions = std::set<Version>;

/// A run of two regions, all of whose modules one executor has.
struct RegionsRun {
  RegionsRun() {
    known.own_all(kPartsOwner);
    known.run.queue.start(Seconds(0));
    known.transport.sent.clear();
  }
  static void shape(MadeUpRun& made) {
    made.config.topology.regions = 2;
    made.config.outer.policy = "hierarchical";
    made.config.outer.merge_every = kVersionsAMerge;
    made.config.evaluate.every = 0;
  }

  ModuleId part(std::int32_t region = 0) const {
    return known.plan.topology.regional_parts(kWholePart)[static_cast<std::size_t>(region)];
  }
  void out(ModuleId module, std::int32_t version, const std::vector<SettledPath>& settled = {}) {
    known.run.queue.module_ready(module, Version{version}, settled, Seconds(0));
    parts.note(module);
  }
  /// The global part gets the region's difference from this merge point, by this version.
  void given(std::int32_t merged, std::int32_t version, std::int32_t region = 0) {
    out(kWholePart, version, {{region_contributor(known.plan, part(region)), next(OuterStep{merged})}});
  }
  /// The regional part merges, by this version: its merge point is made of the one before.
  void merges(std::int32_t version) {
    out(part(), version, {{region_contributor(known.plan, part()), OuterStep{version - 1}}});
  }
  void all_paths_end() {
    for (std::int32_t p = 0; p < known.plan.topology.paths(); ++p)
      known.run.queue.path(PathId{p}).phase = PathEntry::Phase::done;
  }

  struct Made : MadeUpRun {
    Made() : MadeUpRun("2x2") { shape(*this); }
  } made;
  KnownRun known{made};
  RegionalParts parts{known.run};
};

}  // namespace

TEST_CASE("executors are told who owns global parts, and of no other module", "[coordinator]") {
  RegionsRun run;
  run.parts.tell_owners();
  const auto told = run.known.transport.take<Owners>();
  REQUIRE(told.size() == 1);
  CHECK(told[0].first == NodeId{kPartsOwner});
  std::vector<ModuleId> modules;
  for (const Owner& owner : told[0].second.owners) modules.push_back(owner.module);
  CHECK(modules == std::vector{kWholePart, ModuleId{1, 1}});
}

TEST_CASE("a version with a difference is kept until the global part has it, and that until the merge",
          "[coordinator]") {
  RegionsRun run;
  run.out(run.part(), kVersionsAMerge - 1);
  CHECK(run.parts.may_be_sent(run.part()).empty());
  run.out(run.part(), kVersionsAMerge);
  CHECK(run.parts.may_be_sent(run.part()) == Versions{Version{kVersionsAMerge}});
  run.out(run.part(), kVersionsAMerge + 1);  // the difference is still that of the version before
  CHECK(run.parts.may_be_sent(run.part()) == Versions{Version{kVersionsAMerge}});
  CHECK(run.parts.may_be_sent(kWholePart).empty());
  run.given(0, 1);
  CHECK(run.parts.may_be_sent(run.part()).empty());
  CHECK(run.parts.may_be_sent(kWholePart) == Versions{Version{1}});
  run.given(0, 2, 1);  // the other region's: the answer to the first one is still of version 1
  CHECK(run.parts.may_be_sent(kWholePart) == Versions{Version{1}, Version{2}});
  run.merges(kVersionsAMerge + 2);
  CHECK(run.parts.may_be_sent(kWholePart) == Versions{Version{2}});
}

TEST_CASE("after a merge the next difference is that of so many versions later", "[coordinator]") {
  RegionsRun run;
  run.out(run.part(), kVersionsAMerge);
  run.given(0, 1);
  run.merges(5);  // of version 4
  run.out(run.part(), 6);
  CHECK(run.parts.may_be_sent(run.part()).empty());
  run.out(run.part(), 4 + kVersionsAMerge);
  CHECK(run.parts.may_be_sent(run.part()) == Versions{Version{4 + kVersionsAMerge}});
}

TEST_CASE("a regional part whose paths have ended is asked for its last difference once, and again by a new process",
          "[coordinator]") {
  RegionsRun run;
  run.parts.end();
  CHECK(run.known.transport.take<LastDifference>().empty());
  run.all_paths_end();
  CHECK_FALSE(run.parts.merged());
  run.parts.end();
  CHECK(run.known.transport.take<LastDifference>().size() == 4);  // two regions' parts of two modules
  run.parts.end();
  CHECK(run.known.transport.take<LastDifference>().empty());
  run.parts.executor_up(NodeId{kPartsOwner});
  run.given(0, 1);
  run.parts.end();
  CHECK(run.known.transport.take<LastDifference>().size() == 3);  // one is in
}

TEST_CASE("a run of regions is over once all last differences are in", "[coordinator]") {
  RegionsRun run;
  run.all_paths_end();
  for (const ModuleId global : {kWholePart, ModuleId{1, 1}}) {
    for (const ModuleId part : run.known.plan.topology.regional_parts(global)) {
      CHECK_FALSE(run.parts.merged());
      run.out(global, run.known.plan.topology.region_of(part) + 1,
              {{region_contributor(run.known.plan, part), OuterStep{1}}});
    }
  }
  CHECK(run.parts.merged());
}

TEST_CASE("the result of a path is its global parts, where it goes through regional ones", "[coordinator]") {
  RegionsRun run;
  run.out(kWholePart, 7);
  run.out(run.part(), 9);
  const Base result = result_of(run.known.run, PathId{0});
  REQUIRE(result.size() == 2);
  CHECK(result[0].module == ModuleId{0, 0});
  CHECK(result[1].module == kWholePart);
  CHECK(result[1].version == Version{7});
  CHECK(result_owners(run.known.run, PathId{0})[1].module == kWholePart);
}

}  // namespace dipaco::testing
