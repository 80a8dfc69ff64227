#include <catch2/catch.hpp>

#include "programs/shared/stage_rate.hpp"

namespace dipaco {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a stage's rate counts what was done since it began, after a second", "[programs]") {
  StageRate rate;
  const StageRate::Clock::time_point start{};
  CHECK(rate.text("tokens", 500, start).empty());
  CHECK(rate.text("tokens", 900, start + milliseconds(900)).empty());
  CHECK(rate.text("tokens", 2500, start + milliseconds(1500)) == "1,333 a second");  // 2000 in 1.5 s
  CHECK(rate.text("tokens", 580, start + milliseconds(4000)) == "20.0 a second");
  CHECK(rate.text("tokens", 505, start + milliseconds(4000)) == "1.25 a second");
}

TEST_CASE("another stage begins anew, and one that does nothing has no rate", "[programs]") {
  StageRate rate;
  const StageRate::Clock::time_point start{};
  rate.text("tokens", 0, start);
  CHECK(rate.text("features", 100, start + milliseconds(5000)).empty());
  CHECK(rate.text("features", 100, start + milliseconds(9000)).empty());
  CHECK(rate.text("features", 300, start + milliseconds(9000)) == "50.0 a second");
}

}  // namespace
}  // namespace dipaco
