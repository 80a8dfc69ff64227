#include <catch2/catch.hpp>
#include <deque>
#include <variant>

#include "core/roles/supplies/supplies.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/set_clock.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kSupplier{8};
constexpr ModuleId kLacking{0, 0};

/// A message, a loss, or nothing in time.
using Comes = std::variant<std::monostate, Body, PeerLost>;

/// The supplies of a node that waits for one module and a state.
struct SuppliesOnTheirOwn {
  RunPlan plan;
  SetClock clock;
  KeptMessages sent;
  Supplies supplies{plan, sent, clock};
  Base base{{kLacking, Version{1}}};
  std::deque<Comes> to_come;  ///< one in each wait; behind them what is waited for is over
  std::vector<Seconds> waits;

  void gather() {
    const Needs needs{PathId{0}, base, std::nullopt};
    supplies.gather(needs, {[this] { return to_come.empty(); }, [this](Seconds timeout) { wait(timeout); }});
  }
  void wait(Seconds timeout) {
    waits.push_back(timeout);
    Comes comes = std::move(to_come.front());
    to_come.pop_front();
    if (auto* body = std::get_if<Body>(&comes)) {
      supplies.take(*body);
    } else if (const auto* gone = std::get_if<PeerLost>(&comes)) {
      supplies.lost(gone->node);
    } else {
      clock.time += timeout;
    }
  }
  void want_state() {
    supplies.modules.note({{kLacking, kSupplier, 1}});
    supplies.state.want(FetchPathState{.path = PathId{0}, .version = 1, .moments = false}, kSupplier);
  }
  bool here() const { return supplies.here({PathId{0}, base, std::nullopt}); }
};

Body lacking_module(const RunPlan& plan) { return ModuleValues{kLacking, Version{1}, 1, start_module(plan, kLacking)}; }
Body lacking_state() { return PathState{{.path = PathId{0}, .version = 1}}; }
constexpr std::monostate kNothing;

}  // namespace

TEST_CASE("gathering ends as soon as all is here", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn node{.plan = made.plan()};
  node.want_state();
  node.to_come = {lacking_module(node.plan), lacking_state(), kNothing};
  node.gather();
  CHECK(node.here());
  CHECK(node.to_come.size() == 1);  // it did not wait any more
  CHECK(node.waits.size() == 2);
}

TEST_CASE("gathering asks a module's owner and a state's store", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn modules{.plan = made.plan()};
  modules.want_state();
  modules.to_come = {kNothing};
  modules.gather();
  CHECK_FALSE(modules.here());
  CHECK(modules.sent.take<FetchModule>().size() == 1);
  SuppliesOnTheirOwn states{.plan = made.plan()};
  states.want_state();
  states.to_come = {kNothing};
  states.gather();
  CHECK(states.sent.take<FetchPathState>().size() == 1);
}

TEST_CASE("what is on its way is not asked for again, however long it takes", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn node{.plan = made.plan()};
  node.want_state();
  node.to_come = {kNothing, lacking_state(), kNothing, kNothing};
  node.gather();
  REQUIRE(node.waits.size() == 4);
  for (const Seconds wait : node.waits) CHECK(wait < Seconds(0));  // until a message comes
  CHECK(node.sent.take<FetchModule>().size() == 1);
}

TEST_CASE("what was asked of a node that is lost is asked for again a liveness period later", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn node{.plan = made.plan()};
  node.want_state();
  node.to_come = {PeerLost{kSupplier}, kNothing, kNothing};
  node.gather();
  REQUIRE(node.waits.size() == 3);
  CHECK(node.waits[1] == node.plan.config.liveness.period);
  CHECK(node.sent.take<FetchModule>().size() == 2);
}

TEST_CASE("supplies take what brings one of them, and leave other messages", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn node{.plan = made.plan()};
  Body owners = Owners{{{kLacking, kSupplier, 1}}};
  CHECK(node.supplies.take(owners));
  CHECK(node.supplies.modules.owner(kLacking).executor == kSupplier);
  Body shard =
      ShardDocuments{.phase = 1, .path = PathId{0}, .train = node.plan.learner->shard(PathId{1})->documents.train};
  CHECK(node.supplies.take(shard));
  CHECK(node.supplies.shards.has(1, PathId{0}));
  Body goodbye = Goodbye{};
  CHECK_FALSE(node.supplies.take(goodbye));
}

TEST_CASE("a shard is waited for where one is needed", "[roles]") {
  const MadeUpRun made("2x2");
  SuppliesOnTheirOwn node{.plan = made.plan()};
  node.base.clear();
  CHECK(node.supplies.here({PathId{0}, node.base, std::nullopt}));
  CHECK(node.supplies.here({PathId{0}, node.base, 0}));  // it is prepared
  CHECK_FALSE(node.supplies.here({PathId{0}, node.base, 1}));
}

}  // namespace dipaco::testing
