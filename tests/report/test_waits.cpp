#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/report/accounts/account.hpp"
#include "tests/report/made_up_run.hpp"

namespace dipaco::testing {
namespace {

std::string words_of(const std::vector<CriticalStretch>& path) {
  std::string words;
  for (const CriticalStretch& one : path) {
    words += format_number(one.begin.count()) + " " + name(one.stage) + " " + std::to_string(index(one.node)) + "; ";
  }
  return words + format_number(path.empty() ? 0 : path.back().end.count());
}

bool is_whole(const std::vector<CriticalStretch>& path) {
  Seconds at{};
  for (const CriticalStretch& one : path) {
    if (one.begin != at || one.end <= one.begin) return false;
    at = one.end;
  }
  return true;
}

/// Events of tasks by one line each, and of versions.
class Story {
 public:
  void task(std::int32_t path, std::int32_t step, std::int32_t worker, const std::vector<double>& times) {
    const EventKind kinds[] = {EventKind::task_queued, EventKind::task_assigned, EventKind::task_started,
                               EventKind::task_computed, EventKind::task_committed};
    for (std::size_t k = 0; k < times.size(); ++k) {
      events.push_back({.time = Seconds(times[k]),
                        .kind = kinds[k],
                        .attempt = static_cast<std::int16_t>(k == 0 ? 0 : 1),
                        .node = k == 0 ? NodeId{0} : NodeId{worker},
                        .path = PathId{path},
                        .outer_step = OuterStep{step},
                        .inner_steps = kinds[k] == EventKind::task_computed ? 10 : 0});
    }
  }
  void version(std::int32_t expert, std::int32_t version, double time) {
    events.push_back({.time = Seconds(time),
                      .kind = EventKind::module_stepped,
                      .node = NodeId{1},
                      .module = {0, expert},
                      .version = version});
  }
  void message(MessageKind kind, std::int32_t from, std::int32_t to, double time, std::int32_t path = -1) {
    events.push_back({.time = Seconds(time),
                      .kind = EventKind::transfer,
                      .detail = static_cast<std::uint8_t>(kind),
                      .node = NodeId{to},
                      .peer = NodeId{from},
                      .path = PathId{path},
                      .module = kind == MessageKind::outer_gradient ? ModuleId{0, 0} : ModuleId{-1, -1}});
  }
  Waits waits() const {
    RunFacts facts = made_up_run().facts;
    facts.duration = Seconds(0);
    facts.shared_modules = shared;
    return make_account(facts, events).waits;
  }
  std::vector<Event> events;
  decltype(RunFacts::shared_modules) shared{{{0, 0}, {PathId{0}, PathId{1}}}};
};

}  // namespace

TEST_CASE("the critical path of the run worked by hand", "[report]") {
  const MadeUpRun run = made_up_run();
  const Waits waits = make_account(run.facts, run.events).waits;
  CHECK(words_of(waits.critical_path) ==
        "0 lost 4; 20 fetch 3; 22 compute 3; 32 commit 3; 36 exchange 1; 40 fetch 4; 45 compute 4; 61 commit 4; "
        "64 fetch 3; 67 compute 3; 69 commit 3; 73 exchange 1; 80");
  CHECK(is_whole(waits.critical_path));
  const auto summary = summarize(run.facts, run.events);
  const auto seconds = [&](const char* key) { return std::get<double>(summary.at(key)); };
  CHECK(seconds("critical_lost_s") == 20);
  CHECK(seconds("critical_fetch_s") == 10);
  CHECK(seconds("critical_compute_s") == 28);
  CHECK(seconds("critical_commit_s") == 11);
  CHECK(seconds("critical_exchange_s") == 11);
  CHECK(seconds("critical_queue_s") == 0);
  CHECK(seconds("critical_coordinate_s") == 0);
}

TEST_CASE("each version of a shared module says for whom it waited, and how long", "[report]") {
  const MadeUpRun run = made_up_run();
  const Waits waits = make_account(run.facts, run.events).waits;
  REQUIRE(waits.module_steps.size() == 4);
  CHECK(waits.module_steps[0].stepped == Seconds(39));
  CHECK(waits.module_steps[0].last_path == PathId{1});
  CHECK(waits.module_steps[0].last_worker == NodeId{3});
  CHECK(waits.module_steps[0].behind == Seconds(20));  // 36 - 16
  CHECK(waits.module_steps[0].stage == WaitStage::lost);
  CHECK(waits.module_steps[3].behind == Seconds(17));  // 73 - 56
}

TEST_CASE("a task that waits for its worker leads to what the worker did before", "[report]") {
  Story story;
  story.task(0, 0, 3, {0, 1, 2, 12, 13});
  story.task(1, 0, 3, {0, 12.5, 14, 24, 25});  // queued all the time; its worker was free at 12
  story.version(0, 1, 27);
  const Waits waits = story.waits();
  CHECK(words_of(waits.critical_path) ==
        "0 queue 3; 1 fetch 3; 2 compute 3; 12 queue 3; 12.5 fetch 3; 14 compute 3; 24 commit 3; 25 exchange 1; 27");
  CHECK(is_whole(waits.critical_path));
  CHECK(waits.module_steps.front().behind == Seconds(12));
  CHECK(waits.module_steps.front().stage == WaitStage::queue);
}

TEST_CASE("a task that its worker had ahead is fetched from when the worker was free", "[report]") {
  Story story;
  story.task(0, 0, 3, {0, 1, 2, 12, 13});
  story.task(1, 0, 3, {0, 5, 12.25, 24, 25});
  story.version(0, 1, 27);
  CHECK(words_of(story.waits().critical_path) ==
        "0 queue 3; 1 fetch 3; 2 compute 3; 12 fetch 3; 12.25 compute 3; 24 commit 3; 25 exchange 1; 27");
}

TEST_CASE("the critical path goes through the input that was out last, and the path's own state", "[report]") {
  Story story;
  story.task(0, 0, 3, {0, 0, 0, 10, 11});
  story.task(1, 0, 4, {0, 0, 0, 20, 21});
  story.version(0, 1, 23);
  story.task(0, 1, 3, {23.5, 23.5, 24, 34, 35});
  story.task(1, 1, 4, {23.5, 23.5, 24, 30, 31});
  story.version(0, 2, 36);
  CHECK(words_of(story.waits().critical_path) ==
        "0 compute 4; 20 commit 4; 21 exchange 1; 23 coordinate -1; 23.5 fetch 3; 24 compute 3; 34 commit 3; "
        "35 exchange 1; 36");
  CHECK(story.waits().module_steps[1].stage == WaitStage::compute);
}

TEST_CASE("a module step whose last task was queued later says for which version that task had waited", "[report]") {
  Story story;
  story.shared.emplace(ModuleId{0, 1}, std::vector{PathId{1}, PathId{2}});
  story.task(0, 0, 3, {0, 0, 0, 10, 11});
  story.task(1, 0, 4, {0, 0, 0, 20, 21});
  story.task(2, 0, 3, {0, 12, 12, 37, 38});
  story.version(0, 1, 23);
  story.version(1, 1, 39.5);  // which path 1 begins with, and path 0 does not
  story.task(0, 1, 3, {23.5, 23.5, 24, 34, 35});
  story.task(1, 1, 4, {40, 40, 40.5, 50, 51});
  story.task(2, 1, 3, {40, 40, 40.5, 51, 52});
  story.version(0, 2, 53);
  story.version(1, 2, 54);
  const auto steps = story.waits().module_steps;
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].stage == WaitStage::compute);
  CHECK(steps[0].awaited == ModuleId{-1, -1});
  CHECK(steps[2].module == ModuleId{0, 0});
  CHECK(steps[2].stage == WaitStage::coordinate);
  CHECK(steps[2].awaited == ModuleId{0, 1});
  CHECK(steps[3].module == ModuleId{0, 1});
  CHECK(steps[3].stage == WaitStage::compute);  // both were queued at one time
}

TEST_CASE("what was waited for came over a way - of several messages in its time that of the last one", "[report]") {
  Story story;
  story.task(0, 0, 3, {0, 0, 0, 10, 11});
  story.task(1, 0, 4, {0, 2, 8, 20, 26});
  story.message(MessageKind::path_state, 2, 4, 7);
  story.message(MessageKind::module, 1, 4, 5);  // before: it is in the log behind what came later
  story.message(MessageKind::module, 1, 4, 9);  // the task has begun
  story.message(MessageKind::put_path_state, 4, 2, 25, 1);
  story.message(MessageKind::put_path_state, 4, 0, 24, 1);
  story.message(MessageKind::put_path_state, 4, 0, 25.5, 0);  // another path's
  story.message(MessageKind::outer_gradient, 3, 1, 26.5, 0);
  story.message(MessageKind::outer_gradient, 4, 1, 27.5, 1);
  story.version(0, 1, 28);
  const Waits waits = story.waits();
  CHECK(words_of(waits.critical_path) == "0 queue 4; 2 fetch 4; 8 compute 4; 20 commit 4; 26 exchange 1; 28");
  const auto way = [&](std::size_t k) {
    const Way& its = waits.critical_path[k].way;
    return std::pair(index(its.from), index(its.to));
  };
  CHECK(way(0) == std::pair(-1, -1));
  CHECK(way(1) == std::pair(2, 4));
  CHECK(way(2) == std::pair(-1, -1));
  CHECK(way(3) == std::pair(4, 2));
  CHECK(way(4) == std::pair(4, 1));
  REQUIRE(waits.module_steps.front().stage == WaitStage::fetch);
  CHECK(waits.module_steps.front().way.from == NodeId{2});
  CHECK(waits.module_steps.front().way.to == NodeId{4});
}

TEST_CASE("a run without rounds, or without shared modules, has no critical path", "[report]") {
  MadeUpRun run = made_up_run();
  run.events.push_back({.kind = EventKind::contribution_applied, .path = PathId{0}, .outer_step = OuterStep{0}});
  CHECK(make_account(run.facts, run.events).waits.critical_path.empty());
  run = made_up_run();
  run.facts.shared_modules.clear();
  CHECK(make_account(run.facts, run.events).waits.module_steps.empty());
}

}  // namespace dipaco::testing
