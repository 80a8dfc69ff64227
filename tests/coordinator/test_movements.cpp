// What a person reads who looks at the status page: for what a run waits, and how much of it has come.

#include <catch2/catch.hpp>

#include "core/coordinator/known/movements.hpp"
#include "tests/coordinator/begun_run.hpp"

namespace dipaco::testing {
namespace {

/// Of a module of 1,000,000 bytes so many have come from the executor.
Movement part_of_module(std::uint64_t arrived) {
  return {.under_way = {{NodeId{1}, true, MessageKind::module, Bytes{1'000'000}, Bytes{arrived}}}, .for_person = true};
}

struct LookedAtRun {
  explicit LookedAtRun(bool looked_at = true) : world(made) {
    CoordinatorOptions& options = world.known.run.options;
    options.tell_waiting = true;
    options.looked_at = [looked_at] { return looked_at; };
    options.progress = [this](const RunProgress& progress) { told = progress; };
    world.known.transport.sent.clear();
  }
  /// @returns who is asked how far it is, for a person
  std::vector<NodeId> tell(double time) {
    world.known.clock.time = Seconds(time);
    world.diagnosis.tell_waiting();
    std::vector<NodeId> asked;
    for (const auto& [to, question] : world.known.transport.take<HowFar>()) {
      if (question.for_person) asked.push_back(to);
    }
    return asked;
  }
  void answer(NodeId node, Movement movement, double time) {
    world.known.run.watched.answered(node, std::move(movement), Seconds(time));
  }

  MadeUpRun made{"shared:2"};
  BegunRun world;
  RunProgress told;
};

}  // namespace

TEST_CASE("nobody is asked for a person as long as nobody looks", "[coordinator]") {
  LookedAtRun run(false);
  for (int second = 1; second < 5; ++second) CHECK(run.tell(second).empty());
  CHECK_FALSE(run.told.waiting_for.empty());
}

TEST_CASE("while a person looks all nodes are asked - who has not answered is not asked again", "[coordinator]") {
  LookedAtRun run;
  CHECK(run.tell(1) == std::vector{NodeId{1}, kNear, kFar, kWorker});
  run.answer(kNear, {.for_person = true}, 1.5);
  CHECK(run.tell(2) == std::vector{kNear});
  run.world.known.run.watched.forget(kWorker);  // lost, and there again
  CHECK(run.tell(3) == std::vector{kWorker});
}

TEST_CASE("the transfer that a path waits for is told with its share and its rate", "[coordinator]") {
  LookedAtRun run;
  run.tell(1);
  CHECK_THAT(run.told.waiting_for.at(0), Catch::EndsWith("waits for worker 4 on m4 since 0.0 s"));
  run.answer(kWorker, part_of_module(200'000), 1);
  run.tell(2);
  CHECK_THAT(run.told.waiting_for.at(0), Catch::EndsWith("waits for worker 4 on m4, to which module is under way from "
                                                         "node 1 on m1, 200 kB of 1.00 MB (20.0 %) since 0.0 s"));
  run.answer(kWorker, part_of_module(300'000), 2);
  run.tell(3);
  CHECK_THAT(run.told.waiting_for.at(0), Catch::Contains("300 kB of 1.00 MB (30.0 %) at 100 kB/s since"));
  run.tell(100);  // it has not answered since: it computes
  CHECK_THAT(run.told.waiting_for.at(0), Catch::EndsWith("waits for worker 4 on m4 since 0.0 s"));
}

TEST_CASE("what answers a person says nothing of whether a late worker moves, and the other way round",
          "[coordinator]") {
  LookedAtRun run;
  run.world.known.run.inquire(kWorker);
  run.answer(kWorker, part_of_module(1), 1);
  CHECK(run.world.known.run.inquiries.is_silent(kWorker));
  CHECK_FALSE(run.world.known.run.hopeful(kWorker));
}

TEST_CASE("while a person looks what nodes send is told, as they have said of late", "[coordinator]") {
  LookedAtRun run;
  run.tell(1);
  Movement sends = part_of_module(400'000);
  sends.under_way.push_back({kFar, false, MessageKind::path_state, Bytes{9'000'000}, Bytes{}, 0.5});
  run.answer(kNear, sends, 1);
  const auto sent = sent_elsewhere(run.world.known.run);
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].from == kNear);
  CHECK(sent[0].message == sends.under_way[1]);
  run.world.known.clock.time = Seconds(100);
  CHECK(sent_elsewhere(run.world.known.run).empty());
}

}  // namespace dipaco::testing
