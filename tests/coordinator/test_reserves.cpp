#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/coordinator/known/reserves.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {
namespace {

/// Four paths, and workers that need so long for a task; those in reserve are named.
struct ReservedRun {
  explicit ReservedRun(const std::vector<double>& tasks) {
    known.run.options.note = [this](const std::string& text) { notes.push_back(text); };
    known.run.queue.start(Seconds(0));
    int node = 4;
    for (const double task : tasks) {
      known.add(node, Role::worker);
      const double cost = known.plan.inner_step_cost.value * static_cast<double>(known.plan.config.inner.steps);
      known.run.queue.dispatch().worker_up(NodeId{node++}, SiteId{0}, cost / task);
    }
  }
  void assign() {
    while (const auto next = known.run.queue.assign(known.clock.time)) called_up(known.run, next->worker);
    name_reserves(known.run);
  }
  std::vector<EventKind> news() const {
    std::vector<EventKind> kinds;
    for (const Event& event : known.log.events()) kinds.push_back(event.kind);
    return kinds;
  }

  MadeUpRun made{"2x2"};
  KnownRun known{made};
  std::vector<std::string> notes;
};

}  // namespace

TEST_CASE("a worker that waits in reserve is named once, with the reason, until it gets a task", "[coordinator]") {
  ReservedRun run({20, 341});
  run.assign();
  run.assign();
  CHECK(run.notes == std::vector<std::string>{
                         "in reserve: worker 5 on m5 (5 min 41 s a task, the outer step ends after 1 min 20 s)"});
  CHECK(workers_in_reserve(run.known.run) ==
        std::vector<std::string>{"worker 5 on m5 (5 min 41 s a task, the outer step ends after 1 min 20 s)"});
  run.known.run.queue.dispatch().worker_gone(NodeId{4});
  run.assign();
  CHECK(workers_in_reserve(run.known.run).empty());
  CHECK(run.news() == std::vector{EventKind::worker_in_reserve, EventKind::worker_called_up});
}

TEST_CASE("of very many workers in reserve the first ones are named", "[coordinator]") {
  std::vector<double> tasks(100, 100.0);
  tasks[0] = 1;
  ReservedRun run(tasks);
  run.assign();
  REQUIRE(run.notes.size() == 1);
  CHECK_THAT(run.notes[0], Catch::EndsWith(" and 79 more"));
  CHECK(workers_in_reserve(run.known.run).size() == 21);
  CHECK(workers_in_reserve(run.known.run).back() == "and 79 more");
}

TEST_CASE("where all have enough to do nobody is in reserve", "[coordinator]") {
  ReservedRun run({20, 30, 40});
  run.assign();
  CHECK(run.notes.empty());
  CHECK(run.known.log.events().empty());
}

}  // namespace dipaco::testing
