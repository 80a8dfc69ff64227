// "A schedule" of docs/extending.md: one that this project's table does not have.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "backends/loopback/run.hpp"
#include "tests/extending/named.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::read_again;

/// The slower half of the workers does nothing as long as the faster half is there.
class FastHalf : public Schedule {
 public:
  Seconds all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                      const StateMoves& moves) const override {
    std::vector<WorkerTimes> fast(workers.begin(), workers.end());
    std::ranges::sort(fast, {}, &WorkerTimes::task);
    fast.resize((fast.size() + 1) / 2);
    return EarliestFinish().all_done_at(fast, tasks, moves);
  }
};

NamedParts parts_with_fast_half() {
  NamedParts parts;
  parts.schedules.push_back({"fast_half", std::make_shared<FastHalf>()});
  return parts;
}

}  // namespace

TEST_CASE("a run file names a schedule that the program brings, and no bit of the run depends on it", "[extending]") {
  MadeUpRun made("2x2", "blocks:0");
  const auto hash_by = [&](const std::string& schedule) {
    read_again(made, parts_with_fast_half(), {"run.schedule=" + schedule});
    return run_loopback(made.plan(), {.workers = 3, .test_clock = true}).result.parameters_hash;
  };
  const std::string hash = hash_by("first_free");
  CHECK(hash.size() == 32);
  CHECK(hash_by("earliest_finish") == hash);
  CHECK(hash_by("fast_half") == hash);
  const FastHalf schedule;
  const std::vector<WorkerTimes> workers{{.task = Seconds(40)}, {.task = Seconds(10)}};
  CHECK(schedule.all_done_at(workers, {.queued = {{SiteId{0}, 5}}}, {}) == Seconds(50));
}

TEST_CASE("an own schedule is in the dump and in errors, and not in the hash", "[extending]") {
  MadeUpRun made("2x2");
  const std::string before = config_hash(made.config);
  read_again(made, parts_with_fast_half(), {"run.schedule=fast_half"});
  CHECK_THAT(dump_config(made.config), Catch::Contains("\nschedule=fast_half\n"));
  CHECK(config_hash(made.config) == before);
  CHECK(error_of("[run]\nschedule=fast_haf\n", parts_with_fast_half()) ==
        "runs/a.cfg:2: schedule=fast_haf in [run] is not allowed; did you mean \"fast_half\"?; write earliest_finish, "
        "first_free or fast_half");
  CHECK_THAT(error_of("[run]\nschedule=first\n", {}), Catch::EndsWith("write earliest_finish or first_free"));
}

}  // namespace dipaco
