#include <catch2/catch.hpp>

#include "core/coordinator/job_giving.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {

TEST_CASE("a worker that is late with a job is asked to say hello, and its job waits again", "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  JobGiving jobs(known.run);
  const Job job{.kind = Job::Kind::watch, .version = 1, .path = PathId{0}};
  known.add(4, Role::worker);
  known.run.jobs.want(job);
  known.run.jobs.give(NodeId{4}, {.job = job, .until = Seconds(9)});
  known.clock.time = Seconds(8);
  jobs.expire_leases();
  CHECK(known.transport.take<WhoIsThere>().empty());
  CHECK(known.run.jobs.waiting().empty());
  known.clock.time = Seconds(9);
  jobs.expire_leases();
  REQUIRE(known.transport.take<WhoIsThere>().size() == 1);
  CHECK(known.run.jobs.waiting().contains(job));
  CHECK_FALSE(known.run.members.at(NodeId{4}).serves());
}

TEST_CASE("who leaves gives its job back and is given no other", "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  JobGiving jobs(known.run);
  const Job job{.kind = Job::Kind::watch, .version = 1, .path = PathId{0}};
  known.add(4, Role::evaluator);
  known.run.jobs.want(job);
  known.run.jobs.give(NodeId{4}, {.job = job, .until = Seconds(9)});
  jobs.leaves(NodeId{4});
  CHECK(known.run.jobs.waiting().contains(job));
  jobs.give();
  CHECK(known.transport.sent.empty());
  CHECK(known.run.jobs.waiting().contains(job));
}

TEST_CASE("evaluations go before tasks once the next of their kind is due", "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.evaluate.every = 2;
  KnownRun known(made);
  const JobGiving jobs(known.run);
  known.run.jobs.want({.kind = Job::Kind::watch, .version = 0, .path = PathId{0}});
  CHECK_FALSE(jobs.overdue());  // the lowest version is 0, below 0 + 2
  known.run.jobs.want({.kind = Job::Kind::stop_early, .version = -1, .path = PathId{0}});
  CHECK(jobs.overdue());  // 0 >= -1 + 1
}

}  // namespace dipaco::testing
