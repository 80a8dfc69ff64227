#include <catch2/catch.hpp>

#include "core/coordinator/job_giving.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {

TEST_CASE("a worker that is late with a job is asked how far it is - it keeps the job as long as something moves",
          "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  JobGiving jobs(known.run);
  const Job job{.kind = Job::Kind::watch, .version = 1, .path = PathId{0}};
  known.add(4, Role::worker);
  known.run.jobs.want(job);
  known.run.jobs.give(NodeId{4}, {.job = job, .lasting = Seconds(9)}, Seconds(0));
  known.clock.time = Seconds(8);
  jobs.expire_leases();
  CHECK(known.transport.sent.empty());
  for (int k = 1; k < 4; ++k) {
    known.clock.time = Seconds(((1 << k) - 1) * 9);  // twice as long each time
    jobs.expire_leases();
    CHECK(known.transport.take<HowFar>().size() == 1);
    CHECK(known.run.jobs.waiting().empty());
    known.run.inquiries.answered(NodeId{4}, {.received = k}, known.clock.time);
  }
  known.clock.time = Seconds(15 * 9);
  jobs.expire_leases();
  known.run.inquiries.answered(NodeId{4}, {.received = 3}, known.clock.time);  // as before
  known.transport.sent.clear();
  known.clock.time = Seconds(31 * 9);
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
  known.run.jobs.give(NodeId{4}, {.job = job, .lasting = Seconds(9)}, Seconds(0));
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

TEST_CASE("gradients are made again by a worker, whatever evaluators there are, before anything else is done",
          "[coordinator]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "gradients";
  made.config.inner.steps = 1;
  KnownRun known(made);
  known.own_all(1);
  known.add(2, Role::store);
  known.add(3, Role::evaluator);
  known.add(4, Role::worker);
  RunState& run = known.run;
  run.queue.path(PathId{0}).base = run.queue.modules().newest(PathId{0});
  run.queue.committed(PathId{0}, 1, SiteId{0}, Seconds(0));
  run.holders.add(PathId{0}, 1, 0, NodeId{2});
  JobGiving jobs(run);
  jobs.evaluator_up(NodeId{3});
  const ModuleId module = known.plan.topology.module(PathId{0}, 1);
  run.lost_gradients.lacking({{PathId{0}, OuterStep{0}}, module}, 1);
  run.jobs.want({.kind = Job::Kind::gradients, .version = 1, .path = PathId{0}});
  CHECK(jobs.overdue());
  jobs.give();
  CHECK(known.transport.sent.empty());  // the worker is not free
  run.queue.dispatch().worker_up(NodeId{4}, SiteId{0}, 1);
  jobs.give();
  const auto asked = known.transport.take<MakeGradients>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == NodeId{4});
  CHECK(asked[0].second.task == TaskId{PathId{0}, OuterStep{0}});
  CHECK(asked[0].second.store == NodeId{2});
  CHECK(asked[0].second.modules == std::vector<ModuleId>{module});
  CHECK(asked[0].second.base == run.queue.path(PathId{0}).state_base);
  CHECK(asked[0].second.base.size() == 2);
}

}  // namespace dipaco::testing
