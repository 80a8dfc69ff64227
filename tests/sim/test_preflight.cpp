// A preflight in a simulation of what a preflight has measured.

#include <catch2/catch.hpp>

#include "core/preflight/preflight.hpp"
#include "core/preflight/scenario.hpp"
#include "tests/preflight/made_up_measures.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

std::string measured_again(const NetworkMeasures& measures) {
  return in_child([&] {
    std::vector<std::string> hosts;
    for (const Attendee& who : measures.attendees) hosts.push_back(who.name);
    std::string text;
    run_nodes(
        {measured_scenario(measures, "")}, static_cast<int>(hosts.size()),
        [&](const PlacedNode& node, Seams seams) {
          const Attendee& who = measures.attendees[static_cast<std::size_t>(index(node.id))];
          const Attend self{.roles = who.roles,
                            .site = who.site,
                            .machine = who.machine,
                            .address = who.address,
                            .step_time = who.step_time.value_or(Seconds(0)).count()};
          if (node.id != kCoordinator) return attend_preflight(seams.transport, seams.compute, self);
          const PreflightOptions options{.processes = static_cast<std::int32_t>(hosts.size())};
          text = measures_text(lead_preflight(seams.transport, seams.compute, self, options));
        },
        {}, hosts);
    return text;
  });
}

}  // namespace

TEST_CASE("in a simulation of a measured network the same is measured again", "[sim]") {
  CHECK(measured_again(two_sites()) == measures_text(two_sites()));
  CHECK(measured_again(three_sites()) == measures_text(three_sites()));
}

}  // namespace dipaco::testing
