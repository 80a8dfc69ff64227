#include <catch2/catch.hpp>

#include "core/roles/put_times.hpp"

namespace dipaco::testing {

TEST_CASE("nothing is said of a put before one was measured", "[roles]") { CHECK_FALSE(PutTimes().of(Bytes{1000})); }

TEST_CASE("a put takes as long for its bytes as the fastest and the slowest of the last nine", "[roles]") {
  PutTimes times;
  times.add(Bytes{1000}, Seconds(8));
  CHECK(times.of(Bytes{1000})->shortest == Seconds(8));
  CHECK(times.of(Bytes{1000})->longest == Seconds(8));
  times.add(Bytes{2000}, Seconds(8));  // 4 s a thousand bytes
  CHECK(times.of(Bytes{500})->shortest == Seconds(2));
  CHECK(times.of(Bytes{500})->longest == Seconds(4));
  for (int put = 0; put < 7; ++put) times.add(Bytes{1000}, Seconds(5));
  CHECK(times.of(Bytes{1000})->longest == Seconds(8));
  times.add(Bytes{1000}, Seconds(5));  // the first of ten
  CHECK(times.of(Bytes{1000})->shortest == Seconds(4));
  CHECK(times.of(Bytes{1000})->longest == Seconds(5));
}

}  // namespace dipaco::testing
