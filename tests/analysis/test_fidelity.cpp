// How near simulated runs come to real ones.

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "analysis/fidelity/comparison.hpp"
#include "analysis/fidelity/departures.hpp"
#include "analysis/fidelity/measured_lines.hpp"
#include "analysis/fidelity/measured_workers.hpp"
#include "analysis/fidelity/phases.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::analysis {
namespace {

/// Given out at `assigned`, `fetch` seconds until it begins, 10 inner steps that take `compute`, put within `upload`.
TaskRow task_of(std::int64_t worker, double assigned, double fetch, double compute, double upload) {
  return {.worker = worker,
          .queued = assigned,
          .assigned = assigned,
          .started = assigned + fetch,
          .computed = assigned + fetch + compute,
          .ended = assigned + fetch + compute + upload,
          .end = "committed",
          .inner_steps = 10,
          .useful_inner_steps = 10};
}

/// Two tasks of one outer step; the second ends at 20 + 3 + 5 + 1 = 29, its version is out at 31.
Run two_tasks() {
  Run run;
  run.folder = "a run";
  run.summary = {{"elapsed_s", 31.0}, {"finished", true}};
  run.tasks = {task_of(2, 0, 1, 4, 0.5), task_of(3, 20, 3, 5, 1)};
  run.outer_steps = {{.outer_step = 0, .begin = 0, .end = 31, .duration = 31}};
  run.workers = {{.worker = 3, .site = "b"}, {.worker = 2, .site = "a"}};
  return run;
}

ComparedCase compared(const std::string& name, const std::string& policy, double real, double simulated) {
  return {.name = name,
          .what = "two sites",
          .policy = policy,
          .apart = name == "apart",
          .real = {{.duration = real, .fetch = 2, .compute = 4, .upload = 1, .outer_step = 0}},
          .simulated = {{.duration = simulated, .fetch = 3, .compute = 4, .upload = 0.5, .outer_step = 0}}};
}

}  // namespace

TEST_CASE("phases are means over committed tasks, and from the last commit to the version over outer steps",
          "[analysis]") {
  Run run = two_tasks();
  run.tasks.push_back(task_of(2, 25, 100, 100, 100));
  run.tasks.back().end = "requeued";
  const Phases phases = phases_of(run);
  CHECK(phases.duration == 31);
  CHECK(phases.fetch == Approx((1 + 3) / 2.0));
  CHECK(phases.compute == Approx((4 + 5) / 2.0));
  CHECK(phases.upload == Approx((0.5 + 1) / 2.0));
  CHECK(phases.outer_step == Approx(31 - 29));
}

TEST_CASE("a line is measured by the run in the middle, for each figure", "[analysis]") {
  const auto with = [](std::optional<double> rate, double spread, double message) {
    Run run;
    run.links.push_back({.kind = "sites", .from_site = "a", .to_site = "b", .line_rate = rate});
    run.links.back().line_spread = spread;
    run.links.back().line_message = message;
    run.links.push_back({.kind = "sites", .from_site = "b", .to_site = "a"});  // too few messages
    return run;
  };
  const std::vector<Run> runs{with(2e6, 0.3, 1), with(1e6, 0.1, 3), with(3e6, 0.2, 2), with(std::nullopt, 9, 9)};
  const auto lines = measured_lines(runs);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].from + lines[0].to == "ab");
  CHECK(lines[0].rate == 2e6);
  CHECK(lines[0].spread == 0.2);
  CHECK(lines[0].message == 2);
}

TEST_CASE("a run that has not finished has no phases", "[analysis]") {
  Run run = two_tasks();
  run.summary["finished"] = false;
  CHECK_THROWS_AS(phases_of(run), DataError);
  run = two_tasks();
  run.tasks.clear();
  CHECK_THROWS_AS(phases_of(run), DataError);
}

TEST_CASE("of several runs the one in the middle by its duration counts, with its own phases", "[analysis]") {
  CHECK(middle_of({{.duration = 9, .fetch = 1}, {.duration = 7, .fetch = 2}, {.duration = 8, .fetch = 3}}).fetch == 3);
  CHECK(middle_of({{.duration = 9, .fetch = 1}, {.duration = 7, .fetch = 2}}).fetch == 2);
}

TEST_CASE("differences are of what is real, and an average forgets their signs", "[analysis]") {
  // +10 %, -5 % and +3 %: 6 % on average, 10 % at worst.
  const std::vector<ComparedCase> cases{compared("one", "synchronous", 40, 44), compared("two", "quorum", 20, 19),
                                        compared("apart", "synchronous", 100, 103)};
  CHECK(difference(cases[0]) == Approx(0.1));
  CHECK(difference(cases[1]) == Approx(-0.05));
  const Table errors = errors_table(cases);
  REQUIRE(errors.rows.size() == 4);  // two policies, those kept apart, all
  const auto cells = [&](std::size_t row) {
    std::string text;
    for (const Value& value : errors.rows[row]) text += for_person(value) + "|";
    return text;
  };
  // Fetches sum up to 3 instead of 2 a case, puts to 0.5 instead of 1; nobody waited for an outer step.
  CHECK(cells(0) == "synchronous|2|6.5 %|10.0 %|+50.0 %|+0.0 %|-50.0 %|-|");
  CHECK(cells(1) == "quorum|1|5.0 %|5.0 %|+50.0 %|+0.0 %|-50.0 %|-|");
  CHECK(cells(2) == "kept apart|1|3.0 %|3.0 %|+50.0 %|+0.0 %|-50.0 %|-|");
  CHECK(cells(3) == "all|3|6.0 %|10.0 %|+50.0 %|+0.0 %|-50.0 %|-|");
}

TEST_CASE("the file of a comparison has a row a case, with its extremes", "[analysis]") {
  ComparedCase one = compared("one", "synchronous", 40, 44);
  one.real.push_back({.duration = 50});
  one.real.push_back({.duration = 30});
  CHECK(comparison_csv({one}) ==
        "case,policy,kept_apart,runs,real_s,real_least_s,real_most_s,simulations,simulated_s,difference,real_fetch_s,"
        "simulated_fetch_s,real_compute_s,simulated_compute_s,real_upload_s,simulated_upload_s,real_outer_step_s,"
        "simulated_outer_step_s\n"
        "one,synchronous,no,3,40,30,50,1,44,0.1,2,3,4,4,1,0.5,0,0\n");
}

TEST_CASE("a worker is as fast as the median of its tasks, and as uneven as their logarithms", "[analysis]") {
  Run run = two_tasks();
  run.tasks.clear();
  for (const double seconds : {4.0, 4.0, 4.0, 8.0}) run.tasks.push_back(task_of(2, 0, 0, seconds, seconds / 10));
  const std::vector<Run> once{run};
  auto workers = measured_workers(once);
  REQUIRE(workers.size() == 1);  // the other has done nothing
  CHECK(workers[0].site == "a");
  CHECK(workers[0].number == 0);
  CHECK(workers[0].step_time == Approx(0.4));
  CHECK_FALSE(workers[0].jitter);
  CHECK(*workers[0].commit == Approx((0.4 + 0.4 + 0.4 + 0.8) / 4));
  const std::vector<Run> twice{run, run};
  workers = measured_workers(twice);
  REQUIRE(workers.size() == 1);
  CHECK(workers[0].tasks == 8);
  CHECK(*workers[0].jitter == Approx(std::sqrt(2 * std::log(2.0) * std::log(2.0) / 7)));
  Run other = run;
  other.workers.push_back({.worker = 4, .site = "b"});
  const std::vector<Run> unlike{run, other};
  CHECK_THROWS_AS(measured_workers(unlike), DataError);
}

TEST_CASE("the bytes of a put are those of all by their number", "[analysis]") {
  Run run = two_tasks();
  CHECK_FALSE(bytes_of_put(run));
  run.summary["bytes_put_path_state"] = 3000;
  run.summary["messages_put_path_state"] = 4;
  CHECK(bytes_of_put(run) == 750.0);
}

TEST_CASE("workers of a site are numbered by their nodes, whatever the order of rows", "[analysis]") {
  Run run = two_tasks();
  run.workers = {{.worker = 7, .site = "a"}, {.worker = 3, .site = "a"}};
  run.tasks = {task_of(7, 0, 0, 6, 0), task_of(3, 0, 0, 4, 0)};
  const std::vector<Run> runs{run};
  const auto workers = measured_workers(runs);
  REQUIRE(workers.size() == 2);
  CHECK(workers[0].step_time == Approx(0.4));
  CHECK(workers[1].step_time == Approx(0.6));
}

TEST_CASE("the first loss is read from a run's events", "[analysis]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "events.csv";
  write_file(file, "time_s,event,node\n1,node_up,1\n13.25,node_down,1\n14,node_down,2\n");
  CHECK(first_loss(file) == 13.25);
  write_file(file, "time_s,event,node\n1,node_up,1\n");
  CHECK_FALSE(first_loss(file));
  write_file(file, "event,node\nnode_up,1\n");
  CHECK_THROWS_AS(first_loss(file), DataError);
}

}  // namespace dipaco::analysis
