#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "backends/loopback/run.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

TEST_CASE("early stopping keeps few versions for evaluations with a single worker, whatever evaluate.every is",
          "[loopback]") {
  MadeUpRun made("2x2");
  made.config.outer.steps = 12;
  made.config.data.holdout_fraction = 0.2;
  made.config.evaluate.early_stopping = true;
  for (const std::int64_t every : {0, 11}) {
    made.config.evaluate.every = every;
    const auto done = run_loopback(made.plan(), {.workers = 1, .test_clock = true});
    std::map<std::int32_t, int> evaluated;  // versions: paths
    int tasks = 0;
    for (const Event& event : done.events) {
      if (event.kind == EventKind::evaluation_done) ++evaluated[event.version];
      if (event.kind != EventKind::task_started || event.outer_step < OuterStep{3}) continue;
      // All modules are at the version before: there the one before that is overdue.
      ++tasks;
      INFO("every " << every << ", outer step " << number(event.outer_step));
      CHECK(evaluated[number(event.outer_step) - 2] == 4);
    }
    CHECK(tasks == 4 * 9);
  }
}

}  // namespace dipaco::testing
