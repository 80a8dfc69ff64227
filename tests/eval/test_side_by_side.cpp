#include <atomic>
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/eval/side_by_side.hpp"

namespace dipaco {
namespace {

TEST_CASE("every index is worked on once, on at most as many threads as given", "[eval]") {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::thread::id> by(100);
    std::vector<int> times(100);
    side_by_side(100, threads, [&](std::size_t i) {
      ++times[i];
      by[i] = std::this_thread::get_id();
    });
    CHECK(times == std::vector<int>(100, 1));
    CHECK(std::set<std::thread::id>(by.begin(), by.end()).size() <= static_cast<std::size_t>(threads));
  }
  side_by_side(0, 3, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("two threads work at the same time", "[eval]") {
  std::atomic<int> met{0};
  side_by_side(2, 2, [&](std::size_t) {
    ++met;
    while (met < 2) std::this_thread::yield();  // hangs, and the test's time runs out, if they come one by one
  });
  CHECK(met == 2);
}

TEST_CASE("an error of one thread reaches the caller and ends the work", "[eval]") {
  for (const int threads : {1, 3}) {
    std::atomic<int> done{0};
    const auto work = [&](std::size_t i) {
      if (i == 0) throw std::runtime_error("at " + std::to_string(i));
      ++done;
    };
    CHECK_THROWS_WITH(side_by_side(1000, threads, work), "at 0");
    CHECK(done < 1000);
  }
}

}  // namespace
}  // namespace dipaco
