#include <catch2/catch.hpp>

#include "core/plan/giving.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

TEST_CASE("what a path gives and goes on from is what a walk over all steps says, however many are dropped", "[plan]") {
  for (const double share : {1.0, 0.5}) {
    for (const double drop : {0.0, 0.3, 0.9}) {
      MadeUpRun made("2x3");
      made.config.outer.steps = 40;
      made.config.outer.drop = drop;
      made.config.routing.sample_paths = share;
      const RunPlan plan = made.plan_of_costs();
      const Timetable& timetable = plan.timetable;
      int dropped = 0;
      for (std::int32_t p = 0; p < 6; ++p) {
        const PathId path{p};
        std::int32_t base = 0;
        std::int32_t given = 0;
        std::int32_t times = 0;
        bool goes_on = false;
        for (std::int32_t step = 0; step < 40; ++step) {
          INFO(share << " " << drop << " path " << p << " step " << step);
          CHECK(number(given_before(plan, path, timetable.state_version(path, step))) == given);
          CHECK(times_given(plan, path, OuterStep{step}) == times);
          if (!timetable.trains(path, OuterStep{step})) {
            goes_on = false;  // who sits out comes back as others are
            continue;
          }
          if (!goes_on) base = step;
          const bool given_now = gives(plan, path, OuterStep{step});
          CHECK(trains_on(plan, path, OuterStep{step}) == goes_on);
          CHECK(base_of(plan, path, OuterStep{step}) == Version{given_now ? step : base});
          for (std::int32_t before = given; before <= step && given_now; ++before) {
            CHECK(next_given(plan, path, OuterStep{before}) == OuterStep{step});
          }
          for (std::int32_t newest = step; newest < 40; ++newest) {
            const bool may_be = !goes_on && !given_now && newest <= number(next_given(plan, path, OuterStep{step}));
            CHECK(is_base(plan, path, Version{step}, Version{newest}) == may_be);
          }
          goes_on = !given_now;
          dropped += given_now ? 0 : 1;
          times += given_now ? 1 : 0;
          if (given_now) given = step + 1;
        }
      }
      CHECK((dropped > 0) == (drop > 0));
    }
  }
}

}  // namespace dipaco::testing
