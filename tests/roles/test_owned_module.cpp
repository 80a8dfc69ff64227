#include <catch2/catch.hpp>

#include "core/roles/modules/owned_module.hpp"
#include "core/state/path_values.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kTold{1, 0};
const Dropped kBefore{PathId{0}, OuterStep{2}, "before version 3"};
const Dropped kLate{PathId{4}, OuterStep{3}, "late"};

/// At version 3, in which path 0 is, with a drop before it and one since, as the coordinator knows.
OwnedModule module_at_3() {
  OwnedModule mine{.epoch = 6, .version = Version{3}, .copies = {NodeId{8}, NodeId{9}}};
  mine.update.dropped = {kBefore};
  mine.dropped = {kLate};
  for (const std::int32_t path : {0, 2, 4}) mine.contributions.settle(PathId{path}, OuterStep{3});
  mine.news.all = false;
  return mine;
}

const std::vector<SettledPath> kAllSettled{
    {PathId{0}, OuterStep{3}}, {PathId{2}, OuterStep{3}}, {PathId{4}, OuterStep{3}}};

}  // namespace

TEST_CASE("an owner begins with the newest that the owner before it has made of the version that is out", "[roles]") {
  OwnedModule mine{.epoch = 4};
  mine.announced = {5, 2};
  CHECK_FALSE(mine.begins_with({{4, 2}, {5, 1}, {6, 1}, {6, 2}}).has_value());
  CHECK(mine.begins_with({{5, 2}, {6, 1}}) == Version{5, 2});
  CHECK(mine.begins_with({{5, 2}, {6, 3}, {7, 3}, {8, 2}}) == Version{7, 3});
  mine.announced = Version{5};  // in rounds
  CHECK(mine.begins_with({Version{4}, Version{6}}) == Version{6});
}

TEST_CASE("what an owner tells names the module, its version, the ownership and the copies", "[roles]") {
  OwnedModule mine = module_at_3();
  const ModuleReady told = mine.tell(kTold);
  CHECK(told.module == kTold);
  CHECK(told.version == Version{3});
  CHECK(told.epoch == 6);
  CHECK(told.copies == std::vector<NodeId>{NodeId{8}, NodeId{9}});
}

TEST_CASE("news of contributions are told once", "[roles]") {
  OwnedModule mine = module_at_3();
  mine.contributions.settle(PathId{2}, OuterStep{5});
  mine.news.settled = {PathId{2}};
  const Dropped news{PathId{2}, OuterStep{4}, "late"};
  mine.dropped.push_back(news);
  mine.news.dropped = {news};
  const ModuleReady told = mine.tell(kTold);
  CHECK(told.settled == std::vector<SettledPath>{{PathId{2}, OuterStep{5}}});
  CHECK(told.dropped == std::vector<Dropped>{news});
  const ModuleReady again = mine.tell(kTold);
  CHECK(again.settled.empty());
  CHECK(again.dropped.empty());
}

TEST_CASE("a coordinator that may be another is told all, and then news alone", "[roles]") {
  OwnedModule mine = module_at_3();
  mine.news.all = true;  // after a hello
  mine.news.settled = {PathId{4}};
  mine.news.dropped = {kLate};
  const ModuleReady told = mine.tell(kTold);
  CHECK(told.settled == kAllSettled);
  CHECK(told.dropped == std::vector<Dropped>{kBefore, kLate});  // each once
  mine.contributions.settle(PathId{0}, OuterStep{4});
  mine.news.settled = {PathId{0}};
  const ModuleReady next = mine.tell(kTold);
  CHECK(next.settled == std::vector<SettledPath>{{PathId{0}, OuterStep{4}}});
  CHECK(next.dropped.empty());
}

TEST_CASE("an owner that has told nobody yet tells all", "[roles]") {
  OwnedModule mine;
  mine.contributions.settle(PathId{2}, OuterStep{3});
  CHECK(mine.tell(kTold).settled == std::vector<SettledPath>{{PathId{2}, OuterStep{3}}});
  CHECK(mine.tell(kTold).settled.empty());
}

TEST_CASE("versions that a coordinator was not told of are told in their order, each once", "[roles]") {
  OwnedModule mine = module_at_3();
  mine.told = Version{0};
  mine.unheard[Version{1}].applied = {{.path = PathId{2}, .outer_step = OuterStep{0}}};
  mine.unheard[Version{2}].applied = {{.path = PathId{0}, .outer_step = OuterStep{1}}};
  mine.unheard[Version{2}].dropped = {{PathId{4}, OuterStep{1}, "late"}};
  mine.unheard[Version{3}] = mine.update;  // the newest is told by itself
  mine.announced = Version{0};
  CHECK(mine.tell_earlier(kTold).empty());  // none is durable in the stores that must have it
  mine.out = true;
  const auto earlier = mine.tell_earlier(kTold);
  REQUIRE(earlier.size() == 2);
  CHECK(earlier[0].version == Version{1});
  CHECK(earlier[0].epoch == 6);
  CHECK(earlier[0].settled == std::vector<SettledPath>{{PathId{2}, OuterStep{1}}});
  CHECK(earlier[1].settled == std::vector<SettledPath>{{PathId{0}, OuterStep{2}}, {PathId{4}, OuterStep{2}}});
  CHECK(earlier[1].dropped.size() == 1);
  CHECK(mine.tell_earlier(kTold).empty());
  mine.told = Version{0};
  mine.heard_of(Version{1});
  CHECK(mine.tell_earlier(kTold).size() == 1);
  CHECK(mine.heard == Version{1});
  mine.told = Version{1};
  mine.out = false;
  mine.announced = Version{2};
  CHECK(mine.tell_earlier(kTold).size() == 1);  // that one was out
}

TEST_CASE("an owner that is asked whether anybody else gives answers once all has come", "[roles]") {
  OwnedModule mine = module_at_3();
  mine.here = true;
  mine.contributions.settle(PathId{6}, OuterStep{2});
  NobodyElse word{kTold, mine.version, mine.epoch, {{PathId{5}, OuterStep{1}}, {PathId{6}, OuterStep{1}}}};
  CHECK_FALSE(mine.waits());
  mine.hear(word);
  CHECK_FALSE(mine.waits());  // path 5's is on its way; path 6's is in a version
  mine.contributions.add({.what = {.path = PathId{5}, .outer_step = OuterStep{1}}});
  CHECK(mine.waits() == word);
  CHECK_FALSE(mine.waits());  // once
  word.version = Version{2};
  mine.hear(word);  // of a version that is not the newest
  CHECK_FALSE(mine.waits());
}

TEST_CASE("only those in hand give once all owners agree, and then only where there are some", "[roles]") {
  OwnedModule mine = module_at_3();
  mine.here = true;
  mine.contributions.expect({{PathId{5}, 0.5}, {PathId{6}, 0.5}});
  const NobodyElse word{kTold, mine.version, mine.epoch, {}, true};
  mine.hear(word);
  CHECK(mine.contributions.giving(OuterStep{8}) == 2);
  mine.contributions.add({.what = {.path = PathId{5}, .outer_step = OuterStep{1}}});
  mine.hear(word);
  CHECK(mine.contributions.giving(OuterStep{8}) == 1);
}

TEST_CASE("a module is kept with what made it, what is settled, and its values", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  OwnedModule mine = module_at_3();
  mine.update.norm = 2.5;
  mine.parameters = start_module(plan, kTold);
  mine.velocity = make_values(std::vector<float>(mine.parameters.data->size(), 0.5F), mine.parameters.charged);
  const ModuleState state = mine.state();
  CHECK(state.version == Version{3});
  CHECK(state.update == mine.update);
  CHECK(state.settled == kAllSettled);
  CHECK(*state.parameters.data == *mine.parameters.data);
  CHECK(*state.velocity.data == *mine.velocity.data);
  CHECK(state.velocity.charged == mine.parameters.charged);  // Nesterov has one array
}

}  // namespace dipaco::testing
