#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

#include "core/transport/line_width.hpp"

namespace dipaco::testing {
namespace {

/// A line on which messages of 1 MB arrive, so many at a time as the width says; all of them together at `rate` of that
/// many, in MB/s.
struct MadeUpLine {
  LineWidth width;
  double now = 0;
  std::size_t widest = 0;
  std::size_t beyond = 0;  ///< messages that arrived while the width was above two

  template <class Rate>
  void carry(int messages, Rate rate, bool others_wait = true) {
    for (int k = 0; k < messages; ++k) {
      now += 1 / rate(static_cast<double>(width.at_once()));
      width.arrived(Bytes{1'000'000}, Seconds(now), others_wait);
      widest = std::max(widest, width.at_once());
      if (width.at_once() > 2) ++beyond;
    }
  }
};

/// The line is full with one message.
double full(double /*at_once*/) { return 10; }
/// It stands idle for a third of the time, while the next message waits to hear that one has arrived; two fill it.
double far(double at_once) { return at_once < 2 ? 7 : 10; }
/// For a thirtieth of the time.
double near(double at_once) { return at_once < 2 ? 9.7 : 10; }
/// Each sender gets no more than 1 MB/s into it, and 10 MB/s are the line's.
double thin_senders(double at_once) { return std::min(at_once, 10.0); }

}  // namespace

TEST_CASE("a line that one message fills stays at one, but for ever rarer trials", "[transport]") {
  MadeUpLine line;
  line.carry(1000, full);
  CHECK(line.width.at_once() == 1);
  CHECK(line.widest == 2);
  CHECK(line.beyond == 0);
  line.carry(1000, near);
  CHECK(line.width.at_once() == 1);
}

TEST_CASE("a line that stands idle between messages takes two, but for ever rarer trials", "[transport]") {
  MadeUpLine line;
  line.carry(1000, far);
  CHECK(line.width.at_once() == 2);
  CHECK(line.widest == 3);
  const std::size_t early = line.beyond;
  CHECK(early < 100);
  line.carry(1000, far);
  CHECK(line.beyond - early < early);
  line.carry(3000, full);
  CHECK(line.width.at_once() == 1);
}

TEST_CASE("a line gets as many messages at a time as fill it, and fewer once it is full with fewer", "[transport]") {
  MadeUpLine line;
  line.carry(300, thin_senders);
  CHECK(line.width.at_once() >= 8);
  CHECK(line.width.at_once() <= 18);
  line.carry(3000, full);
  CHECK(line.width.at_once() <= 3);
}

TEST_CASE("a line that is not full as its width allows says nothing about it", "[transport]") {
  MadeUpLine line;
  line.carry(1000, thin_senders, false);
  CHECK(line.widest == 1);
}

}  // namespace dipaco::testing
