#include <catch2/catch.hpp>
#include <fstream>

#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

/// Of this process, in pages.
double resident() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double pages = 0;
  file >> size >> pages;
  return pages;
}

/// Every second something goes off or is cut, each time with messages on their way, for `seconds`. Memory at the end
/// over memory at a tenth.
double growth(int seconds) {
  double early = 0;
  double late = 0;
  FaultPlan plan;
  std::vector<HostOutage> outages;
  for (int k = 0; k < seconds; ++k) {
    const FaultTarget target{Role::worker, k % 3};
    const FaultKind kind = k % 2 == 0 ? FaultKind::cut : FaultKind::restart;
    plan.push_back({.kind = kind, .target = target, .time = Seconds(k + 0.5), .lasting = Seconds(0.2)});
    outages.push_back({"h2", Seconds(k + 0.8), Seconds(k + 0.9)});
  }
  run_nodes(
      {full_platform(4, kLink)}, 4,
      [&](const PlacedNode& node, Seams seams) {
        while (seams.compute.now() < Seconds(seconds)) {
          for (int peer = 0; peer < 4; ++peer) {
            for (int k = 0; k < 4; ++k) seams.transport.send(NodeId{peer}, sized_message(100'000));
          }
          const Seconds next = seams.compute.now() + Seconds(1);
          while (seams.compute.now() < next) seams.transport.receive(next - seams.compute.now());
          if (node.id != kCoordinator) continue;
          if (early == 0 && seams.compute.now() > Seconds(seconds / 10.0)) early = resident();
          late = resident();
        }
      },
      {.limit = Seconds(2), .period = Seconds(0.5), .faults = plan}, {},
      [&](Placement& placement) { placement.outages = outages; });
  return late / early;
}

}  // namespace

TEST_CASE("memory does not grow with the number of losses, cuts and lost flows", "[sim][long]") {
  const std::string grown = in_child([] { return format_fixed(growth(2000), 3); });
  INFO("grew by " << grown);
#ifdef DIPACO_SANITIZED
  CHECK(parse_number(grown).value_or(0) > 0);  // its quarantine keeps what was freed
#else
  CHECK(parse_number(grown).value_or(9) < 1.1);
#endif
}

}  // namespace dipaco::testing
