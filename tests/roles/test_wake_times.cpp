#include <catch2/catch.hpp>

#include "core/roles/modules/wake_times.hpp"

namespace dipaco {

constexpr ModuleId kOne{0, 0};
constexpr ModuleId kOtherModule{1, 3};
constexpr Seconds kForEver{-1};

TEST_CASE("an executor waits for a message until the first module is to be asked about", "[roles]") {
  WakeTimes times;
  CHECK(times.patience(Seconds(5), kForEver) == kForEver);
  CHECK(times.patience(Seconds(5), Seconds(3)) == Seconds(3));
  times.note(kOne, Seconds(12));
  times.note(kOtherModule, Seconds(9));
  CHECK(times.patience(Seconds(5), kForEver) == Seconds(4));
  CHECK(times.patience(Seconds(5), Seconds(3)) == Seconds(3));
  CHECK(times.patience(Seconds(5), Seconds(6)) == Seconds(4));
  CHECK(times.patience(Seconds(20), kForEver) == Seconds(0));
}

TEST_CASE("a module is asked about once when its time has come, unless it was noted anew", "[roles]") {
  WakeTimes times;
  times.note(kOne, Seconds(12));
  times.note(kOtherModule, Seconds(9));
  CHECK(times.take_ended(Seconds(8)).empty());
  CHECK(times.take_ended(Seconds(9)) == std::vector{kOtherModule});
  CHECK(times.take_ended(Seconds(9)).empty());
  times.note(kOne, Seconds(20));
  CHECK(times.take_ended(Seconds(15)).empty());
  times.note(kOne, std::nullopt);
  CHECK(times.take_ended(Seconds(30)).empty());
}

}  // namespace dipaco
