// What a scenario says over time, without a simulation: laws of times, sections of traces, capacities.

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/machines/machines.hpp"
#include "backends/sim/timeline/capacity.hpp"
#include "backends/sim/timeline/link_rates.hpp"
#include "backends/sim/timeline/time_law.hpp"
#include "backends/sim/timeline/up_times.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

using Steps = std::vector<AvailabilityStep>;

/// "0-20 30- ": when the machine is there, of the first `most` stretches.
std::string told(TracedUpTimes times, int most = 6) {
  std::string text;
  for (int k = 0; k < most; ++k) {
    const auto up = times.next();
    if (!up) return text;
    text += std::to_string(std::lround(up->from.count())) + "-";
    if (up->until) text += std::to_string(std::lround(up->until->count()));
    text += " ";
  }
  return text;
}

/// "0:1 10:2 ": times and counts.
std::string told(const Steps& steps) {
  std::string text;
  for (const AvailabilityStep& step : steps) {
    text += std::to_string(std::lround(step.time.count())) + ":" + std::to_string(step.machines) + " ";
  }
  return text;
}

/// The first up times of a machine that fails, up to number 50.
std::vector<UpTime> drawn_times(const TimeLaw& there, const TimeLaw& away, std::uint64_t seed = 1,
                                std::uint64_t number = 4) {
  std::vector<UpTime> times;
  Seconds end{};
  for (std::uint64_t k = 0; k < 50; ++k) {
    times.push_back(drawn_up_time({there, away, Draw::host_failure, number}, seed, k, end));
    end = *times.back().until;
  }
  return times;
}

// Machine 0 is there from 0 to 20, from 30 to 40 and at 50, when the trace ends; machine 1 from 10 to 20.
const Steps kTrace{{Seconds(0), 1},  {Seconds(10), 2}, {Seconds(20), 0},
                   {Seconds(30), 1}, {Seconds(40), 0}, {Seconds(50), 1}};

}  // namespace

TEST_CASE("a law of times is a time, a mean, or a scale and a shape", "[sim]") {
  CHECK(parse_time_law("5min") == TimeLaw{TimeLaw::Kind::fixed, Seconds(300)});
  CHECK(parse_time_law("exponential 6h") == TimeLaw{TimeLaw::Kind::exponential, Seconds(21600)});
  CHECK(parse_time_law(" weibull  10h 0.7 ") == TimeLaw{TimeLaw::Kind::weibull, Seconds(36000), 0.7});
  CHECK_THROWS_WITH(parse_time_law("expnential 6h"), Contains("did you mean \"exponential\"?"));
  CHECK_THROWS_WITH(parse_time_law("exponential 6"), Contains("has \"6\", which is no time above 0 with a unit"));
  CHECK_THROWS_WITH(parse_time_law("0s"), Contains("no time above 0"));
  CHECK_THROWS_WITH(parse_time_law("weibull 10h"), Contains("write 5min, exponential 6h (the mean), or weibull"));
  CHECK_THROWS_WITH(parse_time_law("weibull 10h 0"), Contains("has the shape \"0\""));
  CHECK_THROWS_WITH(parse_time_law(""), Contains("says nothing"));
}

TEST_CASE("a Weibull of shape 1 has the exponential's very numbers, and mtbf's", "[sim]") {
  const TimeLaw repair{TimeLaw::Kind::exponential, Seconds(20)};
  const auto weibull = drawn_times({TimeLaw::Kind::weibull, Seconds(100), 1}, repair);
  const auto exponential = drawn_times({TimeLaw::Kind::exponential, Seconds(100)}, repair);
  const HostFailures host{.host = "h", .number = 4, .mtbf = Seconds(100), .mttr = Seconds(20)};
  Seconds end{};
  for (std::size_t k = 0; k < weibull.size(); ++k) {
    CHECK(weibull[k].from == exponential[k].from);
    CHECK(weibull[k].until == exponential[k].until);
    const UpTime means = failing_up_time(host, 1, k, end);
    end = *means.until;
    CHECK(exponential[k].until == means.until);
  }
  const auto another = drawn_times({TimeLaw::Kind::weibull, Seconds(100), 1}, repair, 2);
  CHECK(another.front().until != weibull.front().until);
}

TEST_CASE("the mean of a Weibull is scale times gamma of 1 + 1 / shape", "[sim]") {
  for (const double shape : {0.7, 2.0}) {
    double sum = 0;
    constexpr int kDraws = 20'000;
    for (int k = 0; k < kDraws; ++k) {
      sum += drawn({TimeLaw::Kind::weibull, Seconds(10), shape},
                   draw_uniform(3, Draw::host_failure, 0, static_cast<std::uint64_t>(k)))
                 .count();
    }
    const double mean = 10 * std::tgamma(1 + 1 / shape);
    const double deviation = std::sqrt(100 * std::tgamma(1 + 2 / shape) - mean * mean);
    CHECK(std::abs(sum / kDraws - mean) < 1.96 * deviation / std::sqrt(kDraws));
  }
}

TEST_CASE("laws of twice the time double every time", "[sim]") {
  const auto once = drawn_times({TimeLaw::Kind::weibull, Seconds(100), 0.7}, {TimeLaw::Kind::fixed, Seconds(20)});
  const auto twice = drawn_times({TimeLaw::Kind::weibull, Seconds(200), 0.7}, {TimeLaw::Kind::fixed, Seconds(40)});
  for (std::size_t k = 0; k < once.size(); ++k) CHECK(*twice[k].until == 2 * *once[k].until);
}

TEST_CASE("a trace's times and counts are scaled, and counts stay whole", "[sim]") {
  CHECK(told(scaled(kTrace, 2, 1)) == "0:1 20:2 40:0 60:1 80:0 100:1 ");
  CHECK(told(scaled({{Seconds(0), 64}, {Seconds(10), 5}, {Seconds(20), 4}, {Seconds(30), 3}}, 1, 0.125)) ==
        "0:8 10:1 20:1 30:0 ");
  CHECK(scaled({{Seconds(0), std::int64_t{1} << 62}}, 1, 1e6).front().machines == 1'000'000'000'000'000);
}

TEST_CASE("an offset shifts a trace, which holds at its end or begins again", "[sim]") {
  CHECK(told(begun_at(kTrace, Seconds(0), false)) == told(kTrace));
  CHECK(told(begun_at(kTrace, Seconds(15), false)) == "0:2 5:0 15:1 25:0 35:1 ");
  CHECK(told(begun_at(kTrace, Seconds(20), false)) == "0:0 10:1 20:0 30:1 ");
  const auto held = [](double offset, std::int64_t machine) {
    return told(TracedUpTimes(begun_at(kTrace, Seconds(offset), false), std::nullopt, machine));
  };
  CHECK(held(0, 0) == "0-20 30-40 50- ");
  CHECK(held(15, 0) == "0-5 15-25 35- ");
  CHECK(held(15, 1) == "0-5 ");
  CHECK(held(0, 2) == "");
  const auto repeated = [](double offset, std::int64_t machine) {
    return told(TracedUpTimes(begun_at(kTrace, Seconds(offset), true), Seconds(50), machine));
  };
  CHECK(repeated(0, 0) == "0-20 30-40 50-70 80-90 100-120 130-140 ");
  CHECK(repeated(0, 1) == "10-20 60-70 110-120 160-170 210-220 260-270 ");
  CHECK(repeated(15, 0) == "0-5 15-25 35-55 65-75 85-105 115-125 ");
  CHECK(repeated(45, 0) == "5-25 35-45 55-75 85-95 105-125 135-145 ");
  CHECK(repeated(15, 2) == "");
  const Steps always{{Seconds(0), 2}, {Seconds(10), 1}, {Seconds(20), 0}};
  CHECK(told(TracedUpTimes(always, Seconds(20), 0)) == "0- ");  // the last row is where the trace begins again
}

TEST_CASE("a drawn offset is the same share of every trace, by the seed", "[sim]") {
  const TraceSection drawn{.drawn = true};
  const double share = offset_of(drawn, Seconds(1), 1).count();
  CHECK(share > 0);
  CHECK(share < 1);
  CHECK(offset_of(drawn, Seconds(3600), 1) == share * Seconds(3600));
  CHECK(offset_of(drawn, Seconds(1), 2) != Seconds(share));
  CHECK(offset_of({.offset = Seconds(7)}, Seconds(3600), 1) == Seconds(7));
}

TEST_CASE("a capacity is a count from one time to another", "[sim]") {
  CHECK(told(parse_capacity("3 from 2s to 4s, 0 from 10s", 8)) == "0:8 2:3 4:8 10:0 ");
  CHECK(told(parse_capacity("1 from 4s to 6s,2 from 0s to 4s", 8)) == "0:2 4:1 6:8 ");
  CHECK_THROWS_WITH(parse_capacity("9 from 0s", 8), Contains("the zone has 8 machines that only work"));
  CHECK_THROWS_WITH(parse_capacity("-1 from 0s", 8), Contains("begins with no whole number from 0"));
  CHECK_THROWS_WITH(parse_capacity("3 until 4s", 8), Contains("write how many machines and when"));
  CHECK_THROWS_WITH(parse_capacity("3 from 2 to 4h", 8), Contains("\"2\" is no time with a unit"));
  CHECK_THROWS_WITH(parse_capacity("3 from 4s to 4s", 8), Contains("ends before it begins"));
  CHECK_THROWS_WITH(parse_capacity("3 from 2s to 4s, 2 from 3s to 5s", 8), Contains("which overlap"));
  CHECK_THROWS_WITH(parse_capacity("3 from 2s, 2 from 3s to 5s", 8), Contains("which overlap"));
  CHECK_THROWS_WITH(parse_capacity("", 8), Contains("says nothing"));
}

TEST_CASE("stretches of time are told apart, in order", "[sim]") {
  const auto times = parse_stretches("from 10s,from 2s to 4s");
  REQUIRE(times.size() == 2);
  CHECK(times[0].from == Seconds(2));
  CHECK(times[0].to == Seconds(4));
  CHECK(times[1].from == Seconds(10));
  CHECK_FALSE(times[1].to);
  const auto touching = parse_stretches("from 4s to 7s, from 2s to 4s");
  REQUIRE(touching.size() == 1);
  CHECK(touching[0].from == Seconds(2));
  CHECK(touching[0].to == Seconds(7));
  CHECK_THROWS_WITH(parse_stretches("2s to 4s"), Contains("write when, as in \"from 2h to 4h, from 10h\""));
  CHECK_THROWS_WITH(parse_stretches("3 from 2s to 4s"), Contains("write when"));
  CHECK_THROWS_WITH(parse_stretches("from 2"), Contains("\"2\" is no time with a unit"));
  CHECK_THROWS_WITH(parse_stretches("from 4s to 4s"), Contains("ends before it begins"));
  CHECK_THROWS_WITH(parse_stretches("from 2s, from 3s to 5s"), Contains("which overlap"));
  CHECK_THROWS_WITH(parse_stretches(""), Contains("says nothing"));
}

TEST_CASE("a CSV of a link's bandwidth says where it is wrong", "[sim]") {
  const auto rates = [](const std::string& text) {
    const TemporaryFolder folder;
    write_file(folder.path() / "wan.csv", text);
    return read_link_rates(folder.path() / "wan.csv");
  };
  const auto steps = rates("# measured\ntime_s,bandwidth\n0,1Gbps\n600,25MBps\n");
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].bandwidth.value == 125e6);
  CHECK(steps[1].time == Seconds(600));
  CHECK(steps[1].bandwidth.value == 25e6);
  CHECK_THROWS_AS(rates("time_s,bandwidth\n0,\n"), DataError);
  CHECK_THROWS_WITH(rates("time_s,bandwidth\n0,\n"), Contains("wan.csv:2: an empty cell; write a rate with a unit"));
  CHECK_THROWS_WITH(rates("time_s,bandwidth\n0,100\n"), Contains("wan.csv:2: the bandwidth \"100\" is no rate"));
  CHECK_THROWS_WITH(rates("time_s,bandwidth\n0,0Mbps\n"), Contains("a link that is down has a state_file"));
  CHECK_THROWS_WITH(rates("time_s,available\n0,1Gbps\n"), Contains("it must be time_s,bandwidth"));
  CHECK_THROWS_WITH(rates("time_s,bandwidth\n3,1Gbps\n"), Contains("the first time is 3; it must be 0"));
}

TEST_CASE("a link's jitter is a spread and how long a draw holds", "[sim]") {
  const auto jitter = parse_link_jitter("0.2 every 30s");
  REQUIRE(jitter);
  CHECK(jitter->spread == 0.2);
  CHECK(jitter->every == Seconds(30));
  for (const char* const wrong : {"", "0.2", "0.2 every", "0.2 every 30", "0 every 3s", "1.1 every 3s", "a every 3s"}) {
    CHECK_FALSE(parse_link_jitter(wrong));
  }
}

TEST_CASE("draws of a link's bandwidth are log-normal about its own, and each holds as long as the next", "[sim]") {
  const LinkRate rate("wan", {{Seconds(0), {100.0}}, {Seconds(50), {200.0}}}, LinkJitter{0.3, Seconds(0.1)});
  double sum = 0;
  double squares = 0;
  int changes = 0;
  std::optional<Seconds> at = Seconds(0);
  for (; *at < Seconds(1000); at = rate.changes_after(*at)) {
    const double base = *at < Seconds(50) ? 100 : 200;
    const double logarithm = std::log(rate.at(*at, 7).value / base);
    CHECK(rate.at(*at + Seconds(0.05), 7).value == rate.at(*at, 7).value);  // until the next one
    sum += logarithm;
    squares += logarithm * logarithm;
    ++changes;
  }
  CHECK(changes == 10'000);  // the step at 50 s is a boundary as well
  CHECK(sum / changes == Approx(0).margin(0.01));
  CHECK(std::sqrt(squares / changes) == Approx(0.3).epsilon(0.03));
  CHECK(rate.at(Seconds(3), 7).value != rate.at(Seconds(3), 8).value);
  CHECK(LinkRate("lan", rate.steps(), LinkJitter{0.3, Seconds(0.1)}).at(Seconds(3), 7).value !=
        rate.at(Seconds(3), 7).value);
  CHECK(rate.mean(Seconds(50), 7).value == Approx(100 * std::exp(0.045)).epsilon(0.05));
  const LinkRate steady("wan", {{Seconds(0), {100.0}}}, std::nullopt);
  CHECK_FALSE(steady.changes_after(Seconds(0)));
  CHECK(steady.mean(Seconds(50), 7).value == 100);
}

}  // namespace dipaco::testing
