// "A network model" of docs/extending.md: a factor that SimGrid asks the program for, transfer by transfer.

#include <catch2/catch.hpp>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/s4u.hpp>
#include <string>

#include "core/base/text.hpp"
#include "core/roles/roles.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

namespace sg = simgrid::s4u;
using testing::full_platform;
using testing::hear;
using testing::in_child;
using testing::kLink;
using testing::run_nodes;
using testing::sized_message;

/// As on a network that shapes its traffic: what is large goes at a quarter of the bandwidth.
void shape_traffic(const Placement& /*placement*/) {
  sg::Engine::get_instance()->get_netzone_root()->get_network_model()->set_bw_factor_cb(
      [](double size, const sg::Host* /*from*/, const sg::Host* /*to*/, const std::vector<sg::Link*>& /*links*/,
         const std::unordered_set<sg::NetZone*>& /*zones*/) { return size > 100'000 ? 0.25 : 1.0; });
}

/// When two messages from another host arrive, 1 kB and 1 MB, over 1 MB/s and 10 ms.
std::string arrivals(const std::function<void(Placement&)>& change) {
  return in_child([&] {
    std::string heard;
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) {
            heard = hear(seams, Seconds(20));
          } else {
            seams.transport.send(kCoordinator, sized_message(1'000, 1));
            seams.transport.receive(Seconds(10));
            seams.transport.send(kCoordinator, sized_message(1'000'000, 2));
            seams.transport.receive(Seconds(-1));
          }
        },
        {}, {}, change);
    return heard;
  });
}

/// A whole run: "HASH SECONDS". A coordinator, a store, an executor and two workers.
std::string run_of(const RunPlan& plan, bool shaped) {
  return in_child([&] {
    RunResult result;
    run_nodes(
        {full_platform(5, kLink)}, 5,
        [&](const PlacedNode& node, Seams seams) {
          if (node.role == Role::coordinator) {
            result = run_coordinator(plan, seams, {.executors = 1, .stores = 1});
          } else {
            run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
          }
        },
        {.plan = &plan}, {},
        [&](Placement& placement) {
          placement.nodes[1].role = Role::store;
          placement.nodes[2].role = Role::executor;
          if (shaped) shape_traffic(placement);
        });
    return result.parameters_hash + " " + format_number(result.duration.count());
  });
}

}  // namespace

TEST_CASE("a network model of the program's own says how fast a transfer goes", "[extending]") {
  CHECK(arrivals({}) == "0.011 from 1 number 1; 11.01 from 1 number 2; ");
  CHECK(arrivals(shape_traffic) == "0.011 from 1 number 1; 14.01 from 1 number 2; ");  // 4 s, not 1
}

TEST_CASE("a run on an own network model takes longer and ends with the same parameters", "[extending]") {
  MadeUpRun made("2x2");
  made.config.charge = ChargeOptions{made.config.model, made.config.inner};
  made.config.charge->model.hidden = 64;  // modules of more than 100 kB on the wire
  const RunPlan plan = made.plan();
  const std::string plain = run_of(plan, false);
  const std::string shaped = run_of(plan, true);
  REQUIRE(plain.size() > 33);
  CHECK(shaped.substr(0, 33) == plain.substr(0, 33));
  CHECK(std::stod(shaped.substr(33)) > 2 * std::stod(plain.substr(33)));
}

}  // namespace dipaco
