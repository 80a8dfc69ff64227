// When hosts were on: what machines are billed by.

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

std::string in_words(const HostTimes& times) {
  std::ostringstream text;
  for (const auto& [host, stretches] : times) {
    text << host << ":";
    for (const Interval& one : stretches) text << " " << one.begin.count() << "-" << one.end.count();
    text << "; ";
  }
  return text.str();
}

}  // namespace

TEST_CASE("hosts are on from 0 or since they came until they went, or the end, whatever switches them", "[sim]") {
  const std::string seen = in_child([] {
    // h1 by an outage that begins at once, h2 by two, h3 by SimGrid's own profile; a node that is killed is no machine.
    const FaultTarget target{Role::worker, 0};
    const PlatformText platform{with_profile(full_platform(4, kLink), "h3", "profile"), "4 0\n5 1\n"};
    const auto simulated = run_nodes(
        platform, 4, [](const PlacedNode&, Seams seams) { hear(seams, Seconds(20)); },
        {.limit = Seconds(1),
         .period = Seconds(0.5),
         .faults = {{.kind = FaultKind::kill, .target = target, .time = Seconds(15)}}},
        {},
        [](Placement& placement) {
          placement.outages = {
              {"h1", Seconds(0), Seconds(3)}, {"h2", Seconds(6), Seconds(8)}, {"h2", Seconds(12), std::nullopt}};
        });
    return in_words(simulated.report.host_times);
  });
  CHECK(seen == "h0: 0-20; h1: 0-0 3-20; h2: 0-6 8-12; h3: 0-4 5-20; ");
}

}  // namespace dipaco::testing
