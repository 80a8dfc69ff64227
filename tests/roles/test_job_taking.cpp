#include <catch2/catch.hpp>

#include "core/roles/job_taking.hpp"
#include "tests/roles/scripted_node.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// A node without a role that takes jobs.
struct JobsOnTheirOwn {
  RunPlan plan;
  ScriptedNode node{std::deque<Incoming>{}};
  MemoryStorage storage;
  MemoryEventLog log;
  NoArchive archive;
  Supplies supplies{plan, node, node};
  SentGradients gradients{plan, node};
  JobTaking jobs{plan, {node, node, storage, log, archive}, supplies, gradients};

  bool take(Body body) { return jobs.take(body); }
  /// Does the next job; what a wait brings comes from `bring`, and it is never over by itself.
  template <class Bring>
  void do_next(const Bring& bring) {
    jobs.do_next({[] { return false; }, bring});
  }
};

/// An evaluation of path 0 under a version that nobody has.
Evaluate never_ready(NodeId store = NodeId{-1}) {
  return {.path = PathId{0},
          .version = 1,
          .purpose = Purpose::progress,
          .store = store,
          .base = {{{0, 0}, Version{1}}, {{1, 0}, Version{1}}}};
}

}  // namespace

TEST_CASE("jobs are taken, and other messages left", "[roles]") {
  const MadeUpRun made("2x2");
  JobsOnTheirOwn one{.plan = made.plan()};
  CHECK_FALSE(one.take(WhoIsThere{}));
  CHECK_FALSE(one.jobs.waits());
  for (const Body& job :
       {Body(never_ready()), Body(FitRouter{}), Body(RouteDocuments{.count = 1}), Body(MakeGradients{})}) {
    CHECK(one.take(job));
    CHECK(one.jobs.waits());
    one.jobs.said_hello();
    CHECK_FALSE(one.jobs.waits());
  }
}

TEST_CASE("of two jobs that wait the newer one counts", "[roles]") {
  const MadeUpRun made("2x2");
  JobsOnTheirOwn one{.plan = made.plan()};
  one.take(FitRouter{});
  one.take(never_ready());
  one.do_next([&](Seconds) { one.jobs.said_hello(); });
  CHECK(one.node.sent<RouterFitted>().empty());
  CHECK_FALSE(one.jobs.waits());
}

TEST_CASE("an evaluation that is told again is the one at hand, another one ends it", "[roles]") {
  const MadeUpRun made("2x2");
  JobsOnTheirOwn one{.plan = made.plan()};
  one.take(never_ready());
  int waits = 0;
  one.do_next([&](Seconds) {
    Evaluate other = never_ready();
    if (++waits == 2) other.version = 2;
    one.take(other);
  });
  CHECK(waits == 2);
  CHECK(one.jobs.waits());
}

TEST_CASE("an evaluation that is told again after a hello is done anew", "[roles]") {
  const MadeUpRun made("2x2");
  JobsOnTheirOwn one{.plan = made.plan()};
  one.take(never_ready());
  int waits = 0;
  one.do_next([&](Seconds) {
    ++waits;
    one.jobs.said_hello();
    one.take(never_ready());
  });
  CHECK(waits == 1);
  CHECK(one.jobs.waits());
}

TEST_CASE("an evaluation that is told again asks the store that has its state now", "[roles]") {
  const MadeUpRun made("2x2", "blocks:0");
  JobsOnTheirOwn one{.plan = made.plan()};
  one.take(never_ready(NodeId{7}));
  int waits = 0;
  one.do_next([&](Seconds) {
    if (++waits == 1) {
      CHECK_FALSE(one.supplies.state.unasked());
      one.take(never_ready(NodeId{8}));
      CHECK(one.supplies.state.unasked());
    } else {
      one.jobs.said_hello();
    }
  });
  CHECK(waits == 2);
}

}  // namespace dipaco::testing
