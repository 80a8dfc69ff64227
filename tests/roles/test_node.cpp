#include <algorithm>
#include <catch2/catch.hpp>

#include "core/state/path_values.hpp"
#include "tests/roles/scripted_node.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kExecutor{1};

Envelope from(NodeId node, Body body) { return {node, {}, make_message(std::move(body))}; }

Body evaluate_path_0() {
  return Evaluate{.path = PathId{0},
                  .version = 1,
                  .purpose = Purpose::progress,
                  .owners = {{{0, 0}, kExecutor, 1}, {{1, 0}, kExecutor, 1}},
                  .base = {{{0, 0}, Version{1}}, {{1, 0}, Version{1}}}};
}

/// The modules that evaluate_path_0 asks for.
std::vector<Envelope> its_modules(const RunPlan& plan) {
  std::vector<Envelope> messages;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    messages.push_back(from(kExecutor, ModuleValues{{l, 0}, Version{1}, 1, start_module(plan, {l, 0})}));
  }
  return messages;
}

}  // namespace

TEST_CASE("an evaluation ends unanswered when its node says hello anew in the middle of gathering", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  for (const Role role : {Role::worker, Role::evaluator}) {
    std::deque<Incoming> script{from(kCoordinator, evaluate_path_0()), from(kCoordinator, WhoIsThere{})};
    for (Envelope& module : its_modules(plan)) script.push_back(std::move(module));
    ScriptedNode node(std::move(script));
    node.run(plan, role);
    CHECK(node.sent<Hello>().size() == 2);
    CHECK(node.sent<FetchModule>().size() == 2);
    CHECK(node.sent<Evaluated>().empty());
  }
}

TEST_CASE("an evaluation that is given once more after a hello is done", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  for (const Role role : {Role::worker, Role::evaluator}) {
    std::deque<Incoming> script{from(kCoordinator, evaluate_path_0()), from(kCoordinator, WhoIsThere{}),
                                from(kCoordinator, evaluate_path_0())};
    for (Envelope& module : its_modules(plan)) script.push_back(std::move(module));
    ScriptedNode node(std::move(script));
    node.run(plan, role);
    CHECK(node.sent<Evaluated>().size() == 1);
  }
}

TEST_CASE("an evaluation that is answered and given once more after a hello is answered again, and not computed",
          "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  for (const Role role : {Role::worker, Role::evaluator}) {
    std::deque<Incoming> script{from(kCoordinator, evaluate_path_0())};
    for (Envelope& module : its_modules(plan)) script.push_back(std::move(module));
    script.push_back(from(kCoordinator, WhoIsThere{}));
    script.push_back(from(kCoordinator, evaluate_path_0()));
    ScriptedNode node(std::move(script));
    node.run(plan, role);
    const auto answers = node.sent<Evaluated>();
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].nats == answers[1].nats);
    CHECK(answers[0].tokens == answers[1].tokens);
    const auto events = node.events();
    CHECK(std::ranges::count(events, EventKind::evaluation_started, &Event::kind) == 1);
  }
}

TEST_CASE("who has a notice says so, with each job that it is given, and does none", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  for (const Role role : {Role::worker, Role::evaluator}) {
    ScriptedNode node({from(kCoordinator, evaluate_path_0()), from(kCoordinator, FitRouter{}),
                       from(kCoordinator, RouteDocuments{.count = 1})});
    node.notice = true;
    node.run(plan, role);
    const auto said = node.sent<TaskDone>();
    CHECK(said.size() >= 1);
    for (const TaskDone& one : said) {
      CHECK(one.leaving);
      CHECK(one.id.path == PathId{-1});
    }
    CHECK(node.sent<Evaluated>().empty());
    CHECK(node.sent<RouterFitted>().empty());
    CHECK(node.sent<DocumentsRouted>().empty());
  }
}

TEST_CASE("who hears of its notice ends when it has nothing in hand, and says so before", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  for (const Role role : {Role::worker, Role::evaluator}) {
    ScriptedNode node({Notice{}, from(kCoordinator, WhoIsThere{})});
    node.notice = true;
    node.run(plan, role);
    CHECK(node.unheard() == 1);
    REQUIRE(node.sent<TaskDone>().size() == 1);
    CHECK(node.sent<TaskDone>()[0].leaving);
  }
}

TEST_CASE("a worker that hears of its notice while it waits for a task's inputs hands the task back", "[roles]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  const TaskId task{PathId{1}, OuterStep{1}};
  ScriptedNode node({from(kCoordinator, Task{.id = task, .epoch = 3, .to_stores = {NodeId{2}}}), Notice{},
                     from(kCoordinator, WhoIsThere{})});
  node.run(plan, Role::worker);
  CHECK(node.unheard() == 1);
  const auto said = node.sent<TaskDone>();
  REQUIRE_FALSE(said.empty());
  CHECK(said[0].id == task);
  CHECK(said[0].epoch == 3);
  CHECK_FALSE(said[0].committed);
}

}  // namespace dipaco::testing
