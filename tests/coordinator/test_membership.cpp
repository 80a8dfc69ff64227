#include <catch2/catch.hpp>

#include "core/coordinator/membership.hpp"
#include "tests/coordinator/begun_run.hpp"

namespace dipaco::testing {
namespace {

/// A run that has begun; its worker has been given the first task.
struct Meeting {
  explicit Meeting(MadeUpRun& made) : begun(made) {}

  /// What the worker says who has no task.
  void says(bool asked, std::int32_t incarnation = 0) {
    membership.hello(kWorker, {.role = Role::worker,
                               .incarnation = incarnation,
                               .machine = "m4",
                               .speed = 1,
                               .config_hash = begun.known.plan.config_hash,
                               .prepared_hash = begun.known.plan.prepared_hash,
                               .asked = asked});
  }
  bool runs() const { return begun.first().phase == PathEntry::Phase::running; }

  BegunRun begun;
  ModuleOwners modules{begun.known.run, begun.doubts, begun.evaluations, begun.model};
  Membership membership{begun.known.run, {begun.tasks, modules, begun.jobs, begun.model, begun.refusals}};
};

}  // namespace

TEST_CASE("a hello that was asked for, of a node that has said hello by itself, takes no task from it",
          "[coordinator]") {
  MadeUpRun made("2x2");
  Meeting meeting(made);
  REQUIRE(meeting.runs());
  meeting.says(true);
  CHECK(meeting.runs());
  CHECK(meeting.begun.known.run.given.find(kWorker) != nullptr);
  SECTION("one that says hello by itself has lost its task") { meeting.says(false); }
  SECTION("and so has one that began anew") { meeting.says(true, 1); }
  CHECK(!meeting.runs());
}

TEST_CASE("who is late with a job and answers serves again", "[coordinator]") {
  MadeUpRun made("2x2");
  Meeting meeting(made);
  Members& members = meeting.begun.known.run.members;
  members.late(kWorker);
  REQUIRE(!members.at(kWorker).serves());
  meeting.says(true);
  CHECK(members.at(kWorker).serves());
}

TEST_CASE("who is not known and answers is a member", "[coordinator]") {
  MadeUpRun made("2x2");
  Meeting meeting(made);
  meeting.says(false);  // from now on the ledger has it
  meeting.membership.lost(kWorker);
  REQUIRE(!meeting.begun.known.run.members.contains(kWorker));
  meeting.says(true);
  CHECK(meeting.begun.known.run.members.contains(kWorker));
}

}  // namespace dipaco::testing
