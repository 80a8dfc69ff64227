#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "backends/sim/engine/link_curves.hpp"

using namespace dipaco;

namespace {

constexpr std::array<std::uint32_t, 1> kFirst{0};
constexpr std::array<std::uint32_t, 2> kBoth{0, 1};

double sum(const std::vector<double>& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

}  // namespace

TEST_CASE("what crosses a link is spread evenly over its flow", "[sim]") {
  LinkCurves curves;
  curves.add(kBoth, Seconds(0.002), Seconds(0.004), Bytes{2000});
  curves.add(kFirst, Seconds(0.0035), Seconds(0.0045), Bytes{1000});
  const BytesOverTime first = curves.of(0);
  CHECK(first.stretch == Seconds(0.001));
  REQUIRE(first.bytes.size() == 5);
  CHECK(first.bytes[1] == 0);
  CHECK(first.bytes[2] == Approx(1000));
  CHECK(first.bytes[3] == Approx(1500));
  CHECK(first.bytes[4] == Approx(500));
  CHECK(sum(curves.of(1).bytes) == Approx(2000));
  CHECK(curves.of(7).bytes.empty());
}

TEST_CASE("a message that takes no time crosses at one moment", "[sim]") {
  LinkCurves curves;
  curves.add(kFirst, Seconds(0.0025), Seconds(0.0025), Bytes{70'000});
  CHECK(curves.of(0).bytes == std::vector<double>{0, 0, 70'000});
}

TEST_CASE("a long run has no more stretches than a short one, and all its bytes at their time", "[sim]") {
  LinkCurves curves;
  for (int second = 0; second < 100'000; ++second) {
    curves.add(second < 50'000 ? kBoth : std::span<const std::uint32_t>(kFirst), Seconds(second), Seconds(second + 1),
               Bytes{300});
  }
  for (const std::uint32_t link : {0U, 1U}) {
    const BytesOverTime crossed = curves.of(link);
    CHECK(crossed.bytes.size() <= 256);
    CHECK(sum(crossed.bytes) == Approx(link == 0 ? 30e6 : 15e6));
    const double full = 300 * crossed.stretch.count();
    CHECK(crossed.bytes[1] == Approx(full));
    // The later half of the run is the first link's alone.
    if (link == 1) CHECK(crossed.stretch * static_cast<double>(crossed.bytes.size()) < Seconds(51'000));
    if (link == 0) CHECK(crossed.stretch * static_cast<double>(crossed.bytes.size()) >= Seconds(100'000));
  }
}
