#include <catch2/catch.hpp>

#include "core/coordinator/state_refusals.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {

TEST_CASE("a worker is set aside once three gradients in a row that it made again are not finite", "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  JobGiving jobs(known.run);
  StateRefusals refusals(known.run, jobs);
  known.add(4, Role::worker);
  const TaskId task{PathId{0}, OuterStep{0}};
  refusals.not_finite(NodeId{4}, task);
  refusals.not_finite(NodeId{4}, task);
  refusals.committed(NodeId{4});  // a state of its own counts: the row has ended
  for (int k = 0; k < 3; ++k) {
    CHECK_FALSE(refusals.is_set_aside(NodeId{4}));
    refusals.not_finite(NodeId{4}, task);
  }
  CHECK(refusals.is_set_aside(NodeId{4}));
  CHECK_FALSE(known.run.members.at(NodeId{4}).serves());
}

}  // namespace dipaco::testing
