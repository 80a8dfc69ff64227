#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/coordinator/standstill.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kLonely{4};

/// A run of one worker that has just begun, with a deadline of 100 s.
struct StandingRun {
  StandingRun() {
    known.plan.config.liveness.deadline = Seconds(100);
    known.add(4, Role::worker);
  }

  /// At this time. @returns how many nodes were asked
  std::size_t look(double time) {
    known.clock.time = Seconds(time);
    standstill.look();
    return known.transport.take<HowFar>().size();
  }
  /// So much of a module has come to the node.
  void answer(std::uint64_t arrived) {
    const UnderWay module{NodeId{2}, true, MessageKind::module, Bytes{1000}, Bytes{arrived}};
    known.run.inquiries.answered(kLonely, {.received = next_++, .under_way = {module}}, known.clock.time);
  }

  MadeUpRun made{"2x2"};
  KnownRun known{made};
  Evaluations evaluations{known.run};
  ModelCollection model{known.run, evaluations};
  JobGiving jobs{known.run};
  StateRefusals refusals{known.run, jobs};
  Diagnosis diagnosis{known.run, evaluations, model, refusals};
  Standstill standstill{known.run, diagnosis};

 private:
  std::int64_t next_ = 0;
};

}  // namespace

TEST_CASE("a run in which nothing moves for the deadline ends, after all were asked twice", "[coordinator]") {
  StandingRun run;
  CHECK(run.standstill.due() == Seconds(50));
  CHECK(run.look(49) == 0);
  CHECK(run.look(50) == 1);
  run.answer(7);
  CHECK(run.look(60) == 0);
  CHECK(run.look(75) == 1);
  run.answer(7);
  CHECK_THROWS_WITH(run.look(100), Catch::Contains("no progress for 100 s"));
}

TEST_CASE("a run that stands still says which way is in the way, how much has come, and what to change",
          "[coordinator]") {
  StandingRun run;
  run.known.run.options.executors = run.known.run.options.stores = 0;
  run.look(50);
  run.answer(70);
  run.look(75);
  run.answer(70);
  CHECK_THROWS_WITH(run.look(100), Catch::Contains("the way between node 2 and node 4") &&
                                       Catch::Contains("with 70 B of 1.00 kB (7.0 %) at 0 B/s of module there") &&
                                       Catch::Contains("bandwidth") && Catch::Contains("liveness.deadline"));
}

TEST_CASE("a run whose nodes are silent ends at the deadline", "[coordinator]") {
  StandingRun run;
  run.look(50);
  run.look(75);
  CHECK_THROWS_AS(run.look(100), RunError);
}

TEST_CASE("a run in which a transfer creeps goes on, and is asked anew", "[coordinator]") {
  StandingRun run;
  run.look(50);
  run.answer(7);
  run.look(75);
  run.answer(8);
  CHECK(run.look(100) == 0);
  CHECK(run.standstill.due() == Seconds(150));
  CHECK(run.look(150) == 1);
}

TEST_CASE("progress in the meantime puts the questions off", "[coordinator]") {
  StandingRun run;
  run.look(50);
  run.known.clock.time = Seconds(60);
  run.known.run.made_progress();
  CHECK(run.standstill.due() == Seconds(110));
  CHECK(run.look(109) == 0);
  CHECK(run.look(110) == 1);
}

}  // namespace dipaco::testing
