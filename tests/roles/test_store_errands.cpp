#include <catch2/catch.hpp>

#include "core/roles/modules/store_errands.hpp"
#include "core/state/path_values.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kMine{0, 0};
constexpr ModuleId kOther{1, 1};
constexpr NodeId kStore{8};
constexpr NodeId kOtherStore{9};

/// The errands of an executor, and what goes out.
struct ErrandsOnTheirOwn {
  RunPlan plan;
  MemoryStorage storage{};
  KeptMessages sent{};
  ModuleFiles files{plan, storage};
  StoreErrands errands{sent, files};
  StoreErrands::Modules modules{};

  /// A module that is taken over from `source`.
  void under_way(ModuleId module, NodeId source) { modules[module] = {.epoch = 4, .source = source}; }
  /// One that is here, with all versions up to this one in storage.
  OwnedModule& here(ModuleId module, std::int32_t version) {
    OwnedModule& mine = modules[module];
    mine.epoch = 4;
    mine.here = true;
    for (std::int32_t v = 1; v <= version; ++v) {
      mine.version = Version{v};
      mine.parameters = start_module(plan, module);
      const std::size_t size = mine.parameters.data->size();
      mine.parameters.data = std::make_shared<const std::vector<float>>(size, static_cast<float>(v));
      mine.velocity = make_values(std::vector<float>(size, -static_cast<float>(v)), mine.parameters.charged);
      mine.update.norm = v;
      mine.contributions.settle(PathId{0}, OuterStep{v});
      files.keep(module, mine.state());
    }
    return mine;
  }
  /// What goes out now, of one kind.
  template <class M>
  std::vector<std::pair<NodeId, M>> run() {
    errands.run(modules);
    return sent.take<M>();
  }
  bool unsent() const { return errands.unsent(modules); }
};

RunPlan all_versions_kept(const MadeUpRun& made) {
  RunPlan plan = made.plan();
  plan.policy = half_policy();
  return plan;
}

/// To whom, and which version.
using Puts = std::vector<std::pair<NodeId, std::int32_t>>;
Puts puts_in(const std::vector<std::pair<NodeId, PutModule>>& messages) {
  Puts puts;
  for (const auto& [to, put] : messages) puts.emplace_back(to, number(put.version));
  return puts;
}

GradientsLost lost_of(std::int32_t path, NodeId store) {
  return {.module = kMine, .task = {PathId{path}, OuterStep{6}}, .store = store, .base = Version{1}, .inner_steps = 5};
}

}  // namespace

TEST_CASE("a module that is taken over is asked of its store once, and again after that is lost", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  executor.under_way(kMine, kStore);
  executor.under_way(kOther, NodeId{-1});  // nobody has it
  CHECK(executor.unsent());
  const auto asked = executor.run<FetchModuleCopy>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == kStore);
  CHECK(asked[0].second.module == kMine);
  CHECK(asked[0].second.epoch == 4);
  CHECK_FALSE(executor.unsent());
  CHECK(executor.run<FetchModuleCopy>().empty());
  executor.errands.lost(kOtherStore);
  CHECK(executor.run<FetchModuleCopy>().empty());
  executor.errands.lost(kStore);
  CHECK(executor.unsent());
  CHECK(executor.run<FetchModuleCopy>().size() == 1);
}

TEST_CASE("a store that has answered with a module is asked for it when it is taken over again", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  executor.under_way(kMine, kStore);
  executor.under_way(kOther, kStore);
  CHECK(executor.run<FetchModuleCopy>().size() == 2);
  executor.errands.taken(kStore, kMine);
  const auto asked = executor.run<FetchModuleCopy>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].second.module == kMine);
}

TEST_CASE("of a module that has another owner nothing is awaited", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  executor.under_way(kMine, kStore);
  executor.under_way(kOther, kStore);
  CHECK(executor.run<FetchModuleCopy>().size() == 2);
  executor.modules.erase(kMine);
  executor.errands.keep_only(executor.modules);
  executor.under_way(kMine, kStore);
  const auto asked = executor.run<FetchModuleCopy>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].second.module == kMine);
}

TEST_CASE("a version is put to each store that lacks it, once, and again after that is lost", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  OwnedModule& mine = executor.here(kMine, 3);
  CHECK_FALSE(executor.unsent());
  mine.unstored = {kStore, kOtherStore};
  CHECK(executor.unsent());
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kStore, 3}, {kOtherStore, 3}});
  CHECK_FALSE(executor.unsent());
  CHECK(executor.run<PutModule>().empty());
  executor.errands.lost(kOtherStore);
  CHECK(executor.unsent());
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kOtherStore, 3}});
  executor.errands.stored(kStore, kMine, Version{3});
  mine.unstored = {kOtherStore};
  CHECK(executor.run<PutModule>().empty());
  mine.unstored = {kStore, kOtherStore};  // it must have it once more: its disk is another one
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kStore, 3}});
}

TEST_CASE("a copy is the version as it was kept, under this ownership", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = all_versions_kept(made)};
  OwnedModule& mine = executor.here(kMine, 2);
  mine.epoch = 5;  // the versions were kept under another
  mine.unstored = {kStore};
  const auto puts = executor.run<PutModule>();
  REQUIRE(puts.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const PutModule& put = puts[k].second;
    const auto version = static_cast<std::int32_t>(k) + 1;
    CHECK(put.module == kMine);
    CHECK(put.version == Version{version});
    CHECK(put.epoch == 5);
    CHECK(put.update.norm == version);
    CHECK(put.settled == std::vector<SettledPath>{{PathId{0}, OuterStep{version}}});
    CHECK(put.parameters.data->front() == static_cast<float>(version));
    CHECK(put.velocity.data->front() == -static_cast<float>(version));
  }
}

TEST_CASE("a store that has the earlier versions gets the newest alone, another one all, oldest first", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = all_versions_kept(made)};
  OwnedModule& mine = executor.here(kMine, 3);
  mine.unstored = {kStore, kOtherStore};
  mine.supplied = {kStore};
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kStore, 3}, {kOtherStore, 1}, {kOtherStore, 2}, {kOtherStore, 3}});
}

TEST_CASE("a new version is put although the one before has not been acknowledged", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  executor.here(kMine, 1).unstored = {kStore};
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kStore, 1}});
  executor.here(kMine, 2);
  executor.errands.stored(kStore, kMine, Version{1});  // late
  CHECK(executor.unsent());
  CHECK(puts_in(executor.run<PutModule>()) == Puts{{kStore, 2}});
  executor.errands.stored(kStore, kMine, Version{1});
  CHECK(executor.run<PutModule>().empty());
}

TEST_CASE("a path state for a lost outer gradient is asked for once, and again after a loss or an answer", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  OwnedModule& mine = executor.here(kMine, 1);
  mine.remaking[PathId{0}] = lost_of(0, kStore);
  mine.remaking[PathId{1}] = lost_of(1, kOtherStore);
  CHECK(executor.unsent());
  const auto asked = executor.run<FetchPathModule>();
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].first == kStore);
  CHECK(asked[0].second.module == kMine);
  CHECK(asked[0].second.path == PathId{0});
  CHECK(asked[0].second.version == 7);  // what outer step 6 makes
  CHECK(asked[1].first == kOtherStore);
  CHECK(asked[1].second.path == PathId{1});
  CHECK_FALSE(executor.unsent());
  CHECK(executor.run<FetchPathModule>().empty());
  executor.errands.lost(kOtherStore);
  CHECK(executor.unsent());
  const auto after_loss = executor.run<FetchPathModule>();
  REQUIRE(after_loss.size() == 1);
  CHECK(after_loss[0].second.path == PathId{1});
  executor.errands.fetched(kMine, PathId{0});
  const auto after_answer = executor.run<FetchPathModule>();
  REQUIRE(after_answer.size() == 1);
  CHECK(after_answer[0].second.path == PathId{0});
}

TEST_CASE("a module that is not here yet has nothing to be put or made again", "[roles]") {
  const MadeUpRun made("2x2");
  ErrandsOnTheirOwn executor{.plan = made.plan()};
  OwnedModule& mine = executor.here(kMine, 1);
  mine.here = false;
  mine.unstored = {kStore};
  mine.remaking[PathId{0}] = lost_of(0, kStore);
  CHECK_FALSE(executor.unsent());
  executor.errands.run(executor.modules);
  CHECK(executor.sent.empty());
}

}  // namespace dipaco::testing
