#include <catch2/catch.hpp>

#include "core/roles/modules/outer_stepper.hpp"
#include "core/state/path_values.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

TEST_CASE("where tokens weigh, a contribution weighs as much as its task had inner steps", "[roles]") {
  MadeUpRun made("2x2");
  made.config.inner.steps = 8;
  for (const auto& [weighting, of_two] : {std::pair("tokens", 0.125), {"equal", 0.5}}) {
    made.config.outer.weighting = weighting;
    const RunPlan plan = made.plan();
    NoArchive archive;
    const OuterStepper stepper(plan, archive);
    OwnedModule mine;
    stepper.weigh({0, 0}, mine);
    CHECK(stepper.share_of(mine, PathId{0}, 8) == 0.5);
    CHECK(stepper.share_of(mine, PathId{0}, 2) == of_two);
  }
}

}  // namespace dipaco::testing
