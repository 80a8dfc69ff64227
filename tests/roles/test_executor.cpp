#include <catch2/catch.hpp>

#include "core/roles/modules/owned_module.hpp"
#include "core/state/path_values.hpp"
#include "core/transport/urgency.hpp"
#include "tests/roles/scripted_node.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kAsked{0, 0};
constexpr NodeId kAsking{7};
constexpr NodeId kOtherSender{8};
constexpr NodeId kRelay{9};

Incoming said(NodeId by, Body body) { return Envelope{by, {}, make_message(std::move(body))}; }

/// The coordinator's list: the module at its prepared start, at this epoch.
Incoming list(Epoch epoch) { return said(kCoordinator, OwnModules{{{kAsked, epoch, Version{0}}}, {}}); }
Incoming fetch(Version version, Epoch epoch) { return said(kAsking, FetchModule{kAsked, version, epoch}); }
Incoming sizes(const RunPlan& plan) {
  return said(kCoordinator, ShardSizes{0, std::vector<double>(static_cast<std::size_t>(plan.topology.paths()), 1)});
}
/// The first contribution of a path through the module.
OuterGradient given(const RunPlan& plan, std::size_t of, Epoch epoch = 1) {
  const TaskId task{plan.topology.paths_through(kAsked).at(of), OuterStep{0}};
  return {kAsked, task, Version{0}, 1, make_gradient(plan, kAsked.level, {}, {}), epoch};
}
Incoming contribution(const RunPlan& plan, std::size_t of, NodeId sender, Epoch epoch = 1) {
  return said(sender, given(plan, of, epoch));
}

/// The versions of the module that an executor sends while it hears this.
std::vector<Version> served(const RunPlan& plan, std::deque<Incoming> script) {
  ScriptedNode node(std::move(script));
  node.run(plan, Role::executor);
  std::vector<Version> versions;
  for (const auto& values : node.sent<ModuleValues>()) versions.push_back(values.version);
  return versions;
}

using Versions = std::vector<Version>;

}  // namespace

TEST_CASE("who asks an executor for a module before it has heard that it owns it is answered once it has", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  CHECK(served(plan, {fetch(Version{0}, 1), list(1)}) == Versions{Version{0}});
  CHECK(served(plan, {list(1), fetch(Version{0}, 2), list(2)}) == Versions{Version{0}});
  CHECK(served(plan, {fetch(Version{0}, 1), PeerLost{kAsking}, list(1)}).empty());  // it asks again
}

TEST_CASE("a request that is meant for an earlier ownership is not answered: who asks hears of this one", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  CHECK(served(plan, {list(2), fetch(Version{0}, 1)}).empty());
  CHECK(served(plan, {list(2), fetch(Version{0}, 1), fetch(Version{0}, 2)}) == Versions{Version{0}});
}

TEST_CASE("who asks the owner of an epoch that is still to come is answered at that epoch", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  ScriptedNode node({fetch(Version{0}, 2), list(1), list(2)});
  node.run(plan, Role::executor);
  const auto sent = node.sent<ModuleValues>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].epoch == 2);
  const auto by_other = [&](std::size_t of) { return contribution(plan, of, kOtherSender, 2); };
  CHECK(served(plan, {sizes(plan), fetch(Version{1}, 2), list(1), list(2), by_other(0), by_other(1)}) ==
        Versions{Version{1}, Version{1}});
  CHECK(served(plan, {sizes(plan), fetch(Version{1}, 2), list(1), PeerLost{kAsking}, list(2), by_other(0),
                      by_other(1)}) == Versions{Version{1}});
}

TEST_CASE("a version that an evaluation asks for goes as one that no task waits for", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const auto urgency = [&](bool evaluates) {
    ScriptedNode node({list(1), said(kAsking, FetchModule{kAsked, Version{0}, 1, evaluates})});
    node.run(plan, Role::executor);
    return urgency_of(make_message(node.sent<ModuleValues>().at(0)))->use;
  };
  CHECK(urgency(true) == Urgency::Use::evaluate);
  CHECK(urgency(false) == Urgency::Use::begin_task);
}

TEST_CASE("who has sent an outer gradient gets the next version, also from an owner that could not use it", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const auto first = [&] { return contribution(plan, 0, kAsking); };
  const auto second = [&] { return contribution(plan, 1, kOtherSender); };
  const auto again = [&] { return contribution(plan, 0, kOtherSender); };
  const Versions both{Version{1}, Version{1}};
  CHECK(served(plan, {sizes(plan), list(1), first(), second()}) == both);
  // Begun anew at another epoch: what was in hand is gone, but not who expects a version.
  CHECK(served(plan, {sizes(plan), list(1), first(), list(2), again(), second()}) == both);
  CHECK(served(plan, {sizes(plan), list(1), first(), PeerLost{kAsking}, list(2), again(), second()}) ==
        Versions{Version{1}});
}

TEST_CASE("who gives late, after a step without it, gets the version that is out at once", "[roles]") {
  MadeUpRun made("2x4");
  made.config.evaluate.every = 0;
  made.config.outer.policy = "quorum";
  made.config.outer.quorum = 2;
  const RunPlan plan = made.plan_of_costs();
  const auto from = [&](std::size_t path, NodeId sender) { return contribution(plan, path, sender); };
  const auto two = [&] { return std::deque<Incoming>{sizes(plan), list(1), from(0, kAsking), from(1, kOtherSender)}; };
  const Version first = next(Version{0}, 1);
  CHECK(served(plan, two()) == Versions{first, first});
  auto late = two();
  late.push_back(from(2, NodeId{9}));  // in hand, and alone: the next version is not due
  CHECK(served(plan, late) == Versions{first, first, first});
}

TEST_CASE("nobody expects the version after the last outer step", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const OuterStep last{static_cast<std::int32_t>(plan.config.outer.steps) - 1};
  CHECK(expects_next(plan, kAsking, OuterStep{number(last) - 1}));
  CHECK_FALSE(expects_next(plan, kAsking, last));
  CHECK_FALSE(expects_next(plan, NodeId{-1}, OuterStep{0}));
}

TEST_CASE("an outer gradient that comes before the word that the module is owned at its epoch waits for that",
          "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const auto first = [&](Epoch epoch) { return contribution(plan, 0, kAsking, epoch); };
  const auto second = [&](Epoch epoch) { return contribution(plan, 1, kOtherSender, epoch); };
  const auto nothing = [] { return said(kCoordinator, OwnModules{}); };
  const Versions both{Version{1}, Version{1}};
  CHECK(served(plan, {sizes(plan), first(1), list(1), second(1)}) == both);
  CHECK(served(plan, {sizes(plan), nothing(), first(1), list(1), second(1)}) == both);
  CHECK(served(plan, {sizes(plan), list(1), first(2), list(2), second(2)}) == both);
  CHECK(served(plan, {sizes(plan), list(1), first(2), second(1)}).empty());  // not of this ownership
  // It is another executor's in between: what came for an earlier ownership is gone.
  CHECK(served(plan, {sizes(plan), list(1), nothing(), first(1), list(3), second(3)}).empty());
}

TEST_CASE("an executor adds a sum whole or not at all, and says which of its tasks it lacks", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const auto task = [&](std::size_t of) { return TaskId{plan.topology.paths_through(kAsked).at(of), OuterStep{0}}; };
  const auto sum = [&](Epoch epoch) {
    return said(kRelay, GradientSum{kAsked, Version{0}, epoch, {{task(0), 1}, {task(1), 1}}, {nullptr, 3}, 7});
  };
  /// The newest version that is made, and what the store hears of the sums.
  const auto played = [&](std::deque<Incoming> script) {
    ScriptedNode node(std::move(script));
    node.run(plan, Role::executor);
    CHECK(node.sent<ModuleValues>().empty());  // nobody is pushed anything
    return std::pair(node.sent<ModuleReady>().back().version, node.sent<GradientTaken>());
  };
  const auto [made_of_all, taken] = played({sizes(plan), list(1), sum(1)});
  CHECK(made_of_all == Version{1});
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].number == 7);
  CHECK(taken[0].lacking.empty());
  const Incoming one = said(kRelay, RelayedGradient{given(plan, 0), NodeId{5}, 8});
  const auto [made_of_one, partly] = played({sizes(plan), list(1), one, sum(1)});
  CHECK(made_of_one == Version{0});
  REQUIRE(partly.size() == 2);
  CHECK(partly[0].number == 8);
  CHECK(partly[0].lacking.empty());
  CHECK(partly[1].lacking == std::vector{task(1)});
  const Incoming other = said(kRelay, RelayedGradient{given(plan, 1), NodeId{5}, 9});
  CHECK(played({sizes(plan), list(1), one, sum(1), other}).first == Version{1});
  const auto [made_before, late] = played({sizes(plan), list(1), sum(1), sum(1)});  // it came twice
  CHECK(made_before == Version{1});
  REQUIRE(late.size() == 2);
  CHECK(late[1].lacking.empty());
  const auto [made_after, waited] = played({sizes(plan), list(1), sum(2), list(2)});  // before the word of its epoch
  CHECK(made_after == Version{1});
  REQUIRE(waited.size() == 2);
  CHECK(waited[0].waits);
  CHECK_FALSE(waited[1].waits);
  const GradientSum twice{kAsked, Version{0}, 1, {{task(0), 1}, {task(0), 1}}, {nullptr, 3}, 7};
  CHECK(played({sizes(plan), list(1), said(kRelay, twice)}).second.at(0).lacking == std::vector{task(0)});
  const Incoming nothing = said(kCoordinator, OwnModules{});
  CHECK(played({sizes(plan), list(1), nothing, sum(1)}).second.size() == 1);  // another's by now: of no use here
}

TEST_CASE("an executor that keeps its modules after a hello says which stores have copies", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  const auto own = [](std::vector<NodeId> copies) {
    OwnModule module{.module = kAsked, .epoch = 1};
    module.copies = std::move(copies);
    return said(kCoordinator, OwnModules{{std::move(module)}, {}});
  };
  const auto told = [&](std::deque<Incoming> script) {
    ScriptedNode node(std::move(script));
    node.run(plan, Role::executor);
    return node.sent<ModuleReady>();
  };
  const std::vector<NodeId> copies{NodeId{5}};
  const Incoming asked = said(kCoordinator, WhoIsThere{});
  CHECK(told({own(copies), own(copies)}).size() == 1);
  CHECK(told({own({}), asked, own({})}).size() == 1);  // the hello has said it all
  const auto twice = told({own(copies), asked, own(copies)});
  REQUIRE(twice.size() == 2);
  CHECK(twice[1].copies == copies);
}

TEST_CASE("an executor tells a coordinator that was away of each version that it made, in their order", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "asynchronous";
  made.config.evaluate.every = 0;
  const RunPlan plan = made.plan_of_costs();
  const Version first = next(Version{0}, 1);
  const auto said_it_owns = [&](std::deque<Incoming> script) {
    script.push_front(contribution(plan, 1, kOtherSender));
    script.push_front(contribution(plan, 0, kAsking));
    script.push_front(list(1));
    script.push_front(sizes(plan));
    script.push_back(said(kCoordinator, WhoIsThere{}));
    ScriptedNode node(std::move(script));
    node.run(plan, Role::executor);
    std::vector<HeldModule> owned = node.sent<Hello>().back().modules;
    std::erase_if(owned, [](const HeldModule& each) { return each.epoch == 0; });
    return owned;
  };
  const auto both = said_it_owns({});
  REQUIRE(both.size() == 2);
  CHECK(both[0].version == first);
  CHECK(both[0].settled == std::vector<SettledPath>{{plan.topology.paths_through(kAsked).at(0), OuterStep{1}}});
  CHECK(both[1].version == next(first, 1));
  CHECK(both[1].settled.size() == 2);
  // What it has for good is told once more only where it is the newest.
  CHECK(said_it_owns({said(kCoordinator, KeepVersions{kAsked, first, {}})}).size() == 1);
}

TEST_CASE("an executor begins with nothing that later owners have made, and is no owner of it any more", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "asynchronous";
  made.config.evaluate.every = 0;
  const RunPlan plan = made.plan_of_costs();
  constexpr NodeId kStore{2};
  const auto owns = [](Epoch epoch, Version version) {
    return said(kCoordinator, OwnModules{{{kAsked, epoch, version, kStore}}, {}});
  };
  const auto copy = [&](Version version, Epoch asked_at) {
    const Values parameters = start_module(plan, kAsked);
    return said(kStore, ModuleCopy{kAsked, version, asked_at, true, {}, {}, parameters, parameters});
  };
  const Version older{6, 2};
  const Version newer{9, 4};
  ScriptedNode late({owns(3, older), copy(newer, 3)});
  late.run(plan, Role::executor);
  CHECK(late.sent<ModuleReady>().empty());
  ScriptedNode again({owns(3, older), copy(newer, 3), owns(5, newer)});
  again.run(plan, Role::executor);
  REQUIRE(again.sent<ModuleReady>().size() == 1);
  CHECK(again.sent<ModuleReady>()[0].version == newer);
}

}  // namespace dipaco::testing
