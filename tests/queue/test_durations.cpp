#include <catch2/catch.hpp>

#include "core/queue/durations.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kFast{4};
constexpr NodeId kSlow{5};

}  // namespace

TEST_CASE("an inner step's time is the median of the last tasks', whatever one of them took", "[queue]") {
  Durations times;
  CHECK(times.empty());
  CHECK_FALSE(times.of(kFast));
  CHECK_FALSE(times.of_all());
  for (const double each : {2.0, 2.1, 1.9, 80.0, 2.0}) times.add(kFast, Seconds(each));
  CHECK(times.of(kFast)->median == Seconds(2));
  CHECK(times.of(kFast)->deviation.count() == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("a worker that has become slower is believed after some tasks, and its past is forgotten", "[queue]") {
  Durations times;
  for (int k = 0; k < 20; ++k) times.add(kFast, Seconds(1));
  int tasks = 0;
  while (times.of(kFast)->median < Seconds(3)) {
    times.add(kFast, Seconds(3));
    ++tasks;
  }
  CHECK(tasks == 5);
  for (int k = 0; k < 4; ++k) times.add(kFast, Seconds(3));
  CHECK(times.of(kFast)->deviation == Seconds(0));
  times.forget(kFast);
  CHECK_FALSE(times.of(kFast));
}

TEST_CASE("all workers' time is the median of theirs, each counting once", "[queue]") {
  Durations times;
  for (int k = 0; k < 9; ++k) times.add(kFast, Seconds(1));
  times.add(kSlow, Seconds(5));
  times.add(NodeId{6}, Seconds(4));
  CHECK(times.of_all()->median == Seconds(4));
  CHECK(times.of_all()->deviation == Seconds(1));
}

}  // namespace dipaco::testing
