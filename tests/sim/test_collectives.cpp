// Data-parallel training as arithmetic: what ranks send, when sums lie beside the backward pass, how often checkpoints
// pay.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "backends/sim/data_parallel/checkpoints.hpp"
#include "backends/sim/data_parallel/collectives.hpp"
#include "backends/sim/data_parallel/overlap.hpp"

namespace dipaco {
namespace {

using Sites = std::vector<SiteId>;

Sites sites_of(const std::vector<int>& counts) {
  Sites sites;
  for (std::size_t site = 0; site < counts.size(); ++site)
    sites.insert(sites.end(), static_cast<std::size_t>(counts[site]), SiteId{static_cast<int>(site)});
  return sites;
}

/// What each rank has sent, in S.
std::vector<double> sent_by_rank(const std::vector<CollectivePhase>& phases, std::size_t ranks, Bytes size) {
  std::vector<double> sent(ranks, 0);
  for (const CollectivePhase& phase : phases) {
    for (const RankMessage& message : phase.messages)
      sent[message.from] += static_cast<double>(phase.times) * static_cast<double>(message.size.value);
  }
  for (double& each : sent) each /= static_cast<double>(size.value);
  return sent;
}

constexpr Bytes kSummed{1'200'000};
constexpr Seconds kHour{3600};
constexpr Seconds kMinute{60};

}  // namespace

TEST_CASE("in a ring each rank sends 2 (n - 1) / n of what is summed", "[sim]") {
  const Sites sites = sites_of({2, 3});
  const auto phases = plan_all_reduce(AllReduce::ring, sites, kSummed);
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].times == 8);
  for (const double sent : sent_by_rank(phases, 5, kSummed)) CHECK(sent == Approx(1.6));
  // Two of the five ranks have their neighbour at the other site.
  CHECK(bytes_between_sites(phases, sites) == Bytes{2 * 8 * (kSummed.value / 5)});
}

TEST_CASE("in a hierarchy a site's line carries 2 (s - 1) / s of what is summed, however many ranks there are",
          "[sim]") {
  for (const std::vector<int>& counts : {std::vector{1, 1, 1}, {4, 4, 4}, {4, 2, 3}}) {
    const Sites sites = sites_of(counts);
    const auto phases = plan_all_reduce(AllReduce::hierarchical, sites, kSummed);
    CHECK(bytes_between_sites(phases, sites) == Bytes{3 * 4 * (kSummed.value / 3)});
  }
  const auto equal = plan_all_reduce(AllReduce::hierarchical, sites_of({4, 4, 4}), kSummed);
  for (const double sent : sent_by_rank(equal, 12, kSummed)) CHECK(sent == Approx(2 * 0.75 + 4.0 / 3 / 4));
}

TEST_CASE("where a site has more ranks than another, those that are left hand their parts to the others", "[sim]") {
  const Sites sites = sites_of({2, 4});
  const auto phases = plan_all_reduce(AllReduce::hierarchical, sites, kSummed);
  // The second site has two more turns of its ring, then two ranks give their quarters; and the same way back.
  std::vector<std::int64_t> times;
  for (const CollectivePhase& phase : phases) times.push_back(phase.times);
  CHECK(times == std::vector<std::int64_t>{1, 2, 1, 2, 1, 1, 2});
  CHECK(phases[0].messages.size() == 6);
  CHECK(phases[1].messages.size() == 4);
  CHECK(phases[2].messages.size() == 2);
  CHECK(phases[2].messages[0].size == Bytes{kSummed.value / 4});
  CHECK(phases[4].messages[0].from == phases[2].messages[0].to);
}

TEST_CASE("a single rank sums nothing, and a single site needs no hierarchy", "[sim]") {
  CHECK(plan_all_reduce(AllReduce::hierarchical, sites_of({1}), kSummed).empty());
  const auto one_site = plan_all_reduce(AllReduce::hierarchical, sites_of({3}), kSummed);
  REQUIRE(one_site.size() == 1);
  CHECK(one_site[0].times == 4);
}

TEST_CASE("sums lie beside the backward pass as far as it has made gradients", "[sim]") {
  const Bytes gradients{std::uint64_t{101} << 20U};  // 1 + 4 x 25 MiB
  const auto takes = [](double a_mebibyte, double latency) {
    return [=](Bytes size) { return Seconds(latency + a_mebibyte * static_cast<double>(size.value) / (1 << 20)); };
  };
  // Forward 10 s, backward 20 s. Each 25 MiB take 1 s and are made in 4.95 s: the last one alone is behind the pass.
  const DataParallelStep hidden = step_with_overlap(Seconds(30), gradients, takes(0.04, 0));
  CHECK(hidden.whole.count() == Approx(31));
  CHECK(hidden.all_reduce.count() == Approx(4.04));
  // Each 25 MiB take 10 s: they begin once the first MiB is made, 10.198 s, and its 0.4 s are over; the next bucket is
  // made at 15.149 s, and those behind it wait for their turn.
  CHECK(step_with_overlap(Seconds(30), gradients, takes(0.4, 0)).whole.count() == Approx(15.1485 + 40).epsilon(1e-4));
  CHECK(step_in_turn(Seconds(30), gradients, takes(0.4, 0)).whole.count() == Approx(30 + 40.4));
  // A latency of 20 s each: one bucket is best, and nothing is hidden.
  const DataParallelStep one = step_with_overlap(Seconds(30), gradients, takes(0.04, 20));
  CHECK(one.whole.count() == Approx(30 + 20 + 4.04));
  CHECK(one.bucket == gradients);
}

TEST_CASE("checkpoints are best as far apart as Young and Daly say", "[sim]") {
  // Daly, figures 3 to 5: 5 min to write, 10 min to restart, 500 h of work.
  struct Printed {
    Seconds mean;
    double young;
    double daly;
    double goodput;
  };
  for (const Printed& printed : {Printed{24 * kHour, 120, 116.7, 0.913}, Printed{6 * kHour, 60, 56.7, 0.819},
                                 Printed{15 * kMinute, 12.2, 9.14, 0.200}}) {
    const Seconds write = 5 * kMinute;
    CHECK(young_interval(write, printed.mean) / kMinute == Approx(printed.young).epsilon(5e-3));
    const Seconds daly = daly_interval(write, printed.mean);
    CHECK(daly / kMinute == Approx(printed.daly).epsilon(1e-3));
    const auto takes = [&](Seconds interval) {
      return expected_time(500 * kHour, interval, write, 10 * kMinute, printed.mean);
    };
    CHECK(500 * kHour / takes(daly) == Approx(printed.goodput).epsilon(5e-3));
    Seconds best = kMinute;
    for (Seconds tried = kMinute; tried < 300 * kMinute; tried += Seconds(3)) {
      if (takes(tried) < takes(best)) best = tried;
    }
    CHECK(daly / kMinute == Approx(best / kMinute).epsilon(1e-2));
  }
  CHECK(daly_interval(3 * kHour, kHour) == kHour);  // it takes longer than two failures are apart
}

}  // namespace dipaco
