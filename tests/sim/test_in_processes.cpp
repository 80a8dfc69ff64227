// Jobs in processes of their own, as many at once as are asked for.

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/base/file.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

TEST_CASE("the next job is at work while what another one has said is kept", "[sim]") {
  const TemporaryFolder folder;
  const std::atomic<bool> stop{false};
  std::vector<std::function<std::string()>> jobs;
  for (int job = 0; job < 3; ++job) {
    jobs.emplace_back([&folder, job] {
      write_file(folder.path() / std::to_string(job), std::string_view("begun"));
      return std::to_string(job);
    });
  }
  std::vector<std::size_t> order;
  const auto told = in_processes(jobs, 1, stop, [&](std::size_t job, const Told& what) {
    order.push_back(job);
    CHECK(what.text == std::to_string(job));
    if (job + 1 == jobs.size()) return;
    const auto next = folder.path() / std::to_string(job + 1);
    for (int tries = 0; tries < 1000 && !std::filesystem::exists(next); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(std::filesystem::exists(next));
  });
  CHECK(order == std::vector<std::size_t>{0, 1, 2});
  CHECK(told.size() == 3);
}

}  // namespace dipaco::testing
