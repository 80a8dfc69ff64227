#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/roles/known_start.hpp"
#include "core/state/path_values.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

Task task_of_path_1(std::int32_t outer_step, std::int32_t first_inner_step = 0) {
  return {.id = {PathId{1}, OuterStep{outer_step}}, .first_inner_step = first_inner_step};
}

}  // namespace

TEST_CASE("everyone knows the prepared start, which the first task begins with", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  const KnownStart known(plan);
  REQUIRE(known.knows(task_of_path_1(0)));
  CHECK(known.get(task_of_path_1(0)).path == PathId{1});
  CHECK(*known.get(task_of_path_1(0)).parameters.data == *start_state(plan, PathId{1}).parameters.data);
  CHECK_FALSE(known.knows(task_of_path_1(0, 2)));  // what was handed back of it is at a store
  CHECK_FALSE(known.knows(task_of_path_1(1)));
}

TEST_CASE("a store is asked for the state before the task, or for what was handed back of it", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  const FetchPathState whole = KnownStart(plan).of(task_of_path_1(3));
  CHECK(whole.path == PathId{1});
  CHECK(whole.version == 3);
  CHECK(whole.inner_steps == 0);
  CHECK(whole.moments);
  const FetchPathState part = KnownStart(plan).of(task_of_path_1(3, 2));
  CHECK(part.version == 3);
  CHECK(part.inner_steps == 2);
}

TEST_CASE("the newest state of the path that was trained last is known, until it is forgotten", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  KnownStart known(plan);
  known.keep(PathStateBody{.path = PathId{1}, .version = 2, .loss_sum = 5});
  CHECK(known.knows(task_of_path_1(2)));
  CHECK(known.get(task_of_path_1(2)).loss_sum == 5);
  CHECK_FALSE(known.knows(task_of_path_1(3)));
  CHECK_FALSE(known.knows(task_of_path_1(2, 1)));
  CHECK_FALSE(known.knows({.id = {PathId{0}, OuterStep{2}}}));
  known.keep(std::nullopt);
  CHECK_FALSE(known.knows(task_of_path_1(2)));
}

}  // namespace dipaco::testing
