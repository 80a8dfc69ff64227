// Data-parallel training on a simulated platform, against closed form.

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/checkpoints.hpp"
#include "core/base/text.hpp"
#include "tests/sim/data_parallel.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

std::string told(const DataParallelReport& report) {
  return format_number(report.first_step.all_reduce.count()) + " " + format_number(report.duration.count());
}

/// The two numbers of told().
std::pair<double, double> all_reduce_and_duration(const std::vector<int>& sites, AllReduce kind) {
  int ranks = 0;
  for (const int site : sites) ranks += site;
  const std::string text = in_child([&] {
    DataParallelOptions options = options_for(ranks, 10);
    options.all_reduce = kind;
    return told(train(sites, options));
  });
  INFO(text);
  const auto cells = split(text, ' ');
  REQUIRE(cells.size() == 2);
  return {std::stod(cells[0]), std::stod(cells[1])};
}

}  // namespace

TEST_CASE("a ring takes 2 (n - 1) (latency + S / n / slowest line)", "[sim]") {
  const double size = 120e6;
  const auto [one_site, ten_steps] = all_reduce_and_duration({4}, AllReduce::ring);
  std::printf("ring of 4: 6 x (2 ms + S / 4 / NIC) = %.3f s, simulated %.3f s\n", 6 * (0.002 + size / 4 / kNic),
              one_site);
  CHECK(one_site == Approx(6 * (0.002 + size / 4 / kNic)).epsilon(0.01));
  CHECK(ten_steps == Approx(10 * (1 + one_site)).epsilon(1e-6));
  const auto [three_sites, duration] = all_reduce_and_duration({2, 2, 2}, AllReduce::ring);
  CHECK(three_sites == Approx(10 * (0.042 + size / 6 / kLine)).epsilon(0.01));
}

TEST_CASE("a hierarchy takes 2 (g - 1) times S / g within sites and 2 (s - 1) times S / s on each site's line",
          "[sim]") {
  const double size = 120e6;
  const auto [takes, duration] = all_reduce_and_duration({4, 4, 4}, AllReduce::hierarchical);
  const double formula = 2 * 3 * (0.002 + size / 4 / kNic) + 2 * 2 * (0.042 + size / 3 / kLine);
  std::printf("hierarchy of 3 x 4: %.3f s by its formula, simulated %.3f s\n", formula, takes);
  CHECK(takes == Approx(formula).epsilon(0.01));
  CHECK(duration == Approx(10 * (1 + takes)).epsilon(1e-6));
}

TEST_CASE("a step takes longer from the moment on at which a line gets thinner", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(2, 20);
    for (const char* line : {"line0-1", "line1-0"}) {
      options.link_rates.emplace(line,
                                 LinkRate(line, {{Seconds(0), {kLine}}, {Seconds(30), {kLine / 10}}}, std::nullopt));
    }
    return format_fixed(train({1, 1}, options).duration.count(), 1);
  });
  // A step takes 1 + 2 x (0.042 + 60e6 / 50e6) = 3.484 s up to 31.4 s, nine of them, and then 25.1 s, eleven.
  CHECK(text == "307.3");
}

TEST_CASE("under exponential failures a job takes what Daly's formula says, and least near his interval", "[sim]") {
  // Four machines of 2,000 s each: 500 s between failures of the job.
  constexpr int kSeeds = 60;
  constexpr std::int64_t kSteps = 3000;
  const Seconds between(500);
  const auto mean_of = [&](Seconds interval) {
    std::vector<double> durations;
    for (const std::string& text : in_children(kSeeds, [&](std::size_t seed) {
           DataParallelOptions options = options_for(4, kSteps);
           options.gradients = Bytes{64};
           options.on_loss = OnLoss::restart;
           options.state = Bytes{5'000'000'000};  // 5 s to write
           options.interval = interval;
           options.seed = seed + 1;
           return told(train({4}, options, [](Placement& p) { fail_now_and_then(p, Seconds(2000)); }));
         }))
      durations.push_back(std::stod(split(text, ' ').at(1)));
    double sum = 0;
    double squares = 0;
    for (const double each : durations) sum += each;
    for (const double each : durations) squares += (each - sum / kSeeds) * (each - sum / kSeeds);
    return std::pair(sum / kSeeds, 1.96 * std::sqrt(squares / (kSeeds - 1) / kSeeds));
  };
  const Seconds write(5.002);
  const Seconds step(1.012);
  const Seconds daly = daly_interval(write, between);
  const auto [best, deviation] = mean_of(daly);
  // From a failure on: 60 s, in which another machine may fail, and the state's 20 s.
  const Seconds restart(60 + 20);
  const double expected = expected_time(static_cast<double>(kSteps) * step, daly, write, restart, between).count();
  std::printf("every %.1f s, as Daly says: %.1f s expected, simulated %.1f +- %.1f s\n", daly.count(), expected, best,
              deviation);
  INFO(best << " of " << expected << " expected, +- " << deviation);
  CHECK(best == Approx(expected).margin(deviation + 0.02 * expected));
  CHECK(best < mean_of(daly / 5).first);
  CHECK(best < mean_of(5 * daly).first);
}

}  // namespace dipaco::testing
