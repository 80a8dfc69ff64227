#include <catch2/catch.hpp>

#include "core/queue/task_lengths.hpp"

namespace dipaco {
namespace {

/// Of workers that take so many seconds an inner step.
Speeds speeds_of(std::initializer_list<double> seconds) {
  Speeds speeds;
  for (const double each : seconds) speeds.add(1 / each);
  return speeds;
}

PathEntry trained(std::int64_t steps) {
  PathEntry path;
  path.trained = steps;
  return path;
}

}  // namespace

TEST_CASE("a worker does as many inner steps as it can while the fastest does H of them", "[queue]") {
  const TaskLengths lengths(50, 1000);
  const Speeds speeds = speeds_of({0.58, 0.75, 1.51, 3.33});  // the authors' notebook
  const auto on = [&](double seconds) { return lengths.next(trained(0), 1 / seconds, speeds); };
  CHECK(on(0.58) == 50);
  CHECK(on(0.75) == 38);
  CHECK(on(1.51) == 19);
  CHECK(on(3.33) == 8);
  CHECK(on(1e6) == 1);
  CHECK(on(0.6) == 50);  // no more than noise
  CHECK(lengths.next(trained(0), 0, speeds) == 50);
  CHECK(lengths.next(trained(0), 0, Speeds()) == 50);
}

TEST_CASE("paths of short and long tasks are compared by the inner steps that they lack", "[queue]") {
  const TaskLengths lengths(50, 120);
  CHECK(number(lengths.round_of(trained(11))) == 0);
  CHECK(number(lengths.round_of(trained(12))) == 1);
  const OuterStep second{1};  // it begins with 12 inner steps, and ends with 62
  CHECK(lengths.lacks(12, second) == Approx(1));
  CHECK(lengths.lacks(37, second) == Approx(0.5));
  CHECK(lengths.lacks(0, second) == Approx(1.24));
  CHECK(lengths.lacks(70, second) == 0);
  CHECK(lengths.lacks(100, lengths.round_of(trained(100))) == Approx(0.4));  // a path has no more than 120
  // Where all tasks are equally long, that are the outer steps.
  CHECK(TaskLengths(50).round_of(OuterStep{7}) == OuterStep{7});
}

TEST_CASE("a path ends with its last inner step, whoever does it", "[queue]") {
  const TaskLengths lengths(50, 120);
  const Speeds speeds = speeds_of({1, 2});
  CHECK(lengths.differ());
  CHECK(lengths.next(trained(70), 1, speeds) == 50);
  CHECK(lengths.next(trained(71), 1, speeds) == 49);
  CHECK(lengths.next(trained(119), 0.5, speeds) == 1);
  CHECK_FALSE(lengths.all_done(trained(119)));
  CHECK(lengths.all_done(trained(120)));
  PathEntry path = trained(70);
  CHECK_FALSE(lengths.is_last(path));
  path.length = 49;
  CHECK_FALSE(lengths.is_last(path));
  path.length = 50;
  CHECK(lengths.is_last(path));
}

TEST_CASE("tasks that are equally long say nothing of where a path ends", "[queue]") {
  const TaskLengths lengths(50);
  CHECK_FALSE(lengths.differ());
  CHECK(lengths.next(trained(1000), 1, speeds_of({0.5, 1})) == 50);
  CHECK_FALSE(lengths.all_done(trained(1000)));
  PathEntry path = trained(1000);
  path.length = 50;
  CHECK_FALSE(lengths.is_last(path));
}

}  // namespace dipaco
