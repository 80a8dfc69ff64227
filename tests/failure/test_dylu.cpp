// Tasks that are as long as machines are fast (DyLU, 2401.09135, Eq. 6).

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr std::int64_t kTimesMost = 6;
constexpr std::int64_t kFastestSteps = 8;

/// Eight inner steps take 2 s, 2.67 s and 16 s; messages 10 ms.
const std::vector<double> kStepsASecond{4, 3, 0.5};

RunPlan unequal_plan(MadeUpRun& made, bool dylu) {
  made.config.outer.steps = kTimesMost;
  if (made.config.outer.policy == "synchronous") made.config.outer.policy = "asynchronous";
  made.config.inner.steps = kFastestSteps;
  made.config.inner.dylu = dylu;
  made.config.evaluate.every = 0;
  return made.plan();
}

/// In an undisturbed run of three paths: who did tasks of which lengths, how many inner steps each path has, what was
/// asked again, and when it ended.
std::string told_of_lengths(bool dylu, const std::string& schedule = "first_free") {
  return in_child([&] {
    MadeUpRun made("shared:3");
    made.config.run.schedule = schedule;
    const WorldEnd end = run_world(unequal_plan(made, dylu), {.workers = kStepsASecond});
    std::map<NodeId, std::set<int>> lengths;
    std::map<PathId, int> trained;
    for (const Event& event : end.simulated.events) {
      if (event.kind != EventKind::task_committed) continue;
      lengths[event.node].insert(event.inner_steps);
      trained[event.path] += event.inner_steps;
    }
    std::string told;
    for (const auto& [node, some] : lengths) {
      for (const int length : some) told += std::to_string(length) + " ";
      told += "on " + std::to_string(index(node)) + "; ";
    }
    for (const auto& [path, steps] : trained) told += std::to_string(steps) + " ";
    const auto& counts = end.simulated.report.traffic.messages_by_kind;
    for (const MessageKind kind : {MessageKind::gradients_lost, MessageKind::query_path, MessageKind::how_far}) {
      told += "again " + std::to_string(counts.at(static_cast<std::size_t>(kind))) + " ";
    }
    return told + "by " + format_fixed(end.result.duration.count(), 0) + " s";
  });
}

}  // namespace

TEST_CASE("each worker's tasks take as long as the fastest one's, and each path ends with all its inner steps",
          "[failure]") {
  // The slowest worker's tasks have one inner step of 2 s. Each path's last task has as many as are left, and once the
  // fastest worker has ended its own path, it does the others'.
  CHECK(told_of_lengths(false) == "8 on 5; 8 on 6; 8 on 7; 48 48 48 again 0 again 0 again 0 by 96 s");
  CHECK(told_of_lengths(true) == "7 8 on 5; 3 6 on 6; 1 on 7; 48 48 48 again 0 again 0 again 0 by 23 s");
}

TEST_CASE("a worker much slower than the others waits where they bring all paths on sooner", "[failure]") {
  CHECK(told_of_lengths(false, "earliest_finish") == "8 on 5; 8 on 6; 48 48 48 again 0 again 0 again 0 by 22 s");
  CHECK(told_of_lengths(true, "earliest_finish") ==
        "5 6 8 on 5; 6 on 6; 1 on 7; 48 48 48 again 0 again 0 again 0 by 22 s");
}

TEST_CASE("a quorum of tasks of different lengths waits for no path that has ended", "[failure]") {
  const std::string schedule = GENERATE("earliest_finish", "first_free");
  const std::string told = in_child([&] {
    MadeUpRun made("shared:3");
    made.config.outer.policy = "quorum";
    made.config.outer.quorum = 3;
    made.config.run.schedule = schedule;
    const WorldEnd end = run_world(unequal_plan(made, true), {.workers = kStepsASecond});
    const auto& counts = end.simulated.report.traffic.messages_by_kind;
    const ContributionCounts& contributions = end.result.contributions;
    return std::to_string(end.result.inner_steps) + " inner steps; " +
           (contributions.settled == contributions.given ? "settled" : "lacking") + "; asked " +
           std::to_string(counts.at(static_cast<std::size_t>(MessageKind::nobody_else)));
  });
  // 14 where the owner does not know that the fastest worker's path has given its last.
  CHECK(told == std::string("144 inner steps; settled; asked ") + (schedule == "first_free" ? "10" : "8"));
}

}  // namespace dipaco::testing
