#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/run_files.hpp"
#include "core/base/file.hpp"
#include "core/report/report.hpp"
#include "tests/page/browser.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using namespace dipaco::testing;

namespace {

/// Where scripts/setup.sh --tests puts Perfetto's page.
std::filesystem::path perfetto_folder() {
  const char* const cache = std::getenv("DIPACO_CACHE");
  const char* const home = std::getenv("HOME");
  const std::filesystem::path folder =
      (cache != nullptr ? std::filesystem::path(cache)
                        : std::filesystem::path(home != nullptr ? home : "") / ".cache/dipaco") /
      "perfetto";
  if (!std::filesystem::exists(folder / "index.html")) {
    FAIL(folder.string() + " has no Perfetto: bash scripts/setup.sh --tests puts it there");
  }
  return folder;
}

/// What the slices of a worker's own track come to, in seconds.
struct WorkerSlices {
  double tasks = 0;
  double inner_steps = 0;
  double lost = 0;
  double jobs = 0;
  double wait = 0;
};

/// By worker, as Perfetto has them after it has imported a trace without an error.
std::map<std::int64_t, WorkerSlices> slices_in_perfetto(const std::filesystem::path& trace) {
  const std::string sql =
      "select thread.name, slice.name, sum(slice.dur) from slice join thread_track on slice.track_id = thread_track.id "
      "join thread using (utid) where thread.name like 'worker %' and thread.name not like '%: transfers %' "
      "group by 1, 2";
  const auto answer =
      nlohmann::json::parse(said_by("python3 " DIPACO_SOURCE_DIR "/tests/page/perfetto_sql.py " +
                                    perfetto_folder().string() + " " + trace.string() + " \"" + sql + "\""));
  CHECK(answer["errors"].empty());
  std::map<std::int64_t, WorkerSlices> workers;
  for (const auto& row : answer["rows"]) {
    WorkerSlices& worker = workers[std::stoll(row[0].get<std::string>().substr(7))];
    const std::string name = row[1];
    const double seconds = row[2].get<double>() / 1e9;
    if (name == "inner steps") worker.inner_steps += seconds;
    if (name == "inner steps, lost") worker.lost += seconds;
    if (name == "wait") worker.wait += seconds;
    if (name.starts_with("path ")) worker.tasks += seconds;
    if (name.starts_with("evaluate path ") || name == "fit router" || name == "route documents") worker.jobs += seconds;
  }
  return workers;
}

/// Compares them with workers.csv, and their sums with summary.json. A slice has whole nanoseconds.
void check_sums(const std::filesystem::path& folder) {
  const analysis::Run run = analysis::read_run(folder);
  const auto workers = slices_in_perfetto(folder / "trace.json");
  const auto same = [](double seconds) { return Approx(seconds).margin(1e-5); };
  WorkerSlices all;
  for (const analysis::WorkerRow& row : run.workers) {
    CAPTURE(row.worker);
    REQUIRE(workers.contains(row.worker));
    const WorkerSlices& worker = workers.at(row.worker);
    CHECK(worker.inner_steps == same(row.compute));
    CHECK(worker.lost == same(row.lost));
    CHECK(worker.jobs == same(row.evaluate));
    CHECK(worker.tasks + worker.jobs + worker.wait == same(row.up));
    all.inner_steps += worker.inner_steps;
    all.lost += worker.lost;
    all.jobs += worker.jobs;
  }
  CHECK(workers.size() == run.workers.size());
  CHECK(all.inner_steps == same(run.number("worker_compute_s").value()));
  CHECK(all.lost == same(run.number("worker_lost_s").value()));
  CHECK(all.jobs == same(run.number("worker_evaluate_s").value()));
}

}  // namespace

TEST_CASE("Perfetto's own page opens a trace, and its slices sum to the times of the summary", "[page]") {
  const TemporaryFolder folder;
  const MadeUpRun run = made_up_run();
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  check_sums(folder.path());
}

TEST_CASE("the trace of a simulation with spot machines, too", "[page]") {
  const TemporaryFolder folder;
  said_by(DIPACO_BINARY_DIR "/bin/dipaco-sim " DIPACO_SOURCE_DIR
                            "/scenarios/wan_4dc.xml --learn off --progress off --out " +
          folder.path().string());
  check_sums(folder.path());
}
