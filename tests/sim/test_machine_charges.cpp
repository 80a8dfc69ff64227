#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

using ToPlacement = std::function<void(Placement&)>;

/// What node 1, and with it the others but the coordinator, says that it does.
std::string said_by(const ToPlacement& change, const std::function<std::string(Seams)>& program,
                    const std::vector<std::string>& hosts = {}) {
  return in_child([=] {
    std::string said;
    run_nodes(
        {full_platform(2, kLink)}, hosts.empty() ? 2 : static_cast<int>(hosts.size()),
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) return static_cast<void>(hear(seams, Seconds(60)));
          said += program(seams);
        },
        {}, hosts, change);
    return said;
  });
}

ToPlacement charge(const std::function<void(MachineCharges&)>& set) {
  return [set](Placement& placement) {
    for (PlacedNode& node : placement.nodes) set(node.charges);
  };
}

std::string now(Seams seams) { return format_fixed(seams.compute.now().count(), 6) + " "; }

}  // namespace

TEST_CASE("a disk takes the time of the bytes that a value is charged, written and read", "[sim]") {
  const auto program = [](Seams seams) {
    const std::vector<std::byte> small(1000);
    std::string times;
    seams.storage.put("a", {small, Bytes{3'000'000}});
    times += now(seams);  // 3 s
    seams.storage.put_if_absent("a", small);
    times += now(seams);  // it is there
    seams.storage.get("a");
    times += now(seams);  // 3 s more
    seams.storage.append("log", std::vector<std::byte>(500'000));
    times += now(seams);  // 0.5 s
    seams.storage.put("a", small);
    seams.storage.get("a");
    return times + now(seams);  // 2 ms
  };
  CHECK(said_by(charge([](auto& charges) { charges.disk = {1e6}; }), program) ==
        "3.000000 3.000000 6.000000 6.500000 6.502000 ");
  CHECK(said_by({}, program) == "0.000000 0.000000 0.000000 0.000000 0.000000 ");
}

TEST_CASE("nodes of one host share its disk, and one that goes off in a write has not written", "[sim]") {
  const auto shared = charge([](auto& charges) { charges.disk = {1e6}; });
  const auto write = [](Seams seams) {
    seams.storage.put("a", {std::vector<std::byte>{}, Bytes{2'000'000}});
    return now(seams);
  };
  CHECK(said_by(shared, write, {"h0", "h1", "h1"}) == "4.000000 4.000000 ");
  const auto cut_off = [=](Placement& placement) {
    shared(placement);
    placement.outages = {{"h1", Seconds(1), Seconds(5)}};
  };
  const auto write_once = [](Seams seams) {
    if (seams.storage.get("a")) return std::string("written ");
    seams.storage.put("a", {std::vector<std::byte>{}, Bytes{2'000'000}});
    return now(seams);
  };
  CHECK(said_by(cut_off, write_once) == "7.000000 ");
}

TEST_CASE("a node takes in one message after the other at its rate, but not its own", "[sim]") {
  const auto arrivals = [](const ToPlacement& change) {
    return in_child([=] {
      std::string heard;
      run_nodes(
          {full_platform(2, kLink)}, 2,
          [&](const PlacedNode& node, Seams seams) {
            if (node.id == kCoordinator) {
              heard = hear(seams, Seconds(30));
              return;
            }
            seams.transport.send(node.id, sized_message(5'000'000, 9));
            hear(seams, Seconds(0.5));
            seams.transport.send(kCoordinator, sized_message(1'000'000, 1));
            seams.transport.send(kCoordinator, sized_message(1'000'000, 2));
            hear(seams, Seconds(30));
          },
          {}, {}, change);
      return heard;
    });
  };
  // Sent at 0.5 s, 1 s each on the link and 10 ms of latency; 4 s each at 250 kB/s, the second once the first is done.
  CHECK(arrivals({}) == "1.51 from 1 number 1; 2.52 from 1 number 2; ");
  CHECK(arrivals(charge([](auto& charges) { charges.intake = {250e3}; })) ==
        "5.51 from 1 number 1; 9.51 from 1 number 2; ");
}

TEST_CASE("jitter makes each computation longer or shorter by a draw of seed, node and number", "[sim]") {
  const auto times = [](std::uint64_t seed) {
    return in_child([=] {
      std::string text;
      run_nodes(
          {full_platform(2, kLink)}, 2,
          [&](const PlacedNode& node, Seams seams) {
            if (node.id == kCoordinator) return static_cast<void>(hear(seams, Seconds(60)));
            for (int k = 0; k < 3; ++k) {
              const Seconds begin = seams.compute.now();
              const auto work = [](InnerSteps limit, const auto&) { return limit; };
              seams.compute.run(InnerSteps{10}, Flops{1e8}, work, std::nullopt);
              text += format_fixed((seams.compute.now() - begin).count(), 6) + " ";
            }
          },
          {.seed = seed}, {}, charge([](auto& charges) { charges.jitter = 0.2; }));
      return text;
    });
  };
  const auto expected = [](std::uint64_t seed) {
    std::string text;
    for (std::uint64_t k = 0; k < 3; ++k) {
      text += format_fixed(std::exp(0.2 * draw_normal(seed, Draw::machine_jitter, 1, k)), 6) + " ";
    }
    return text;
  };
  CHECK(times(1) == expected(1));
  CHECK(times(2) == expected(2));
  CHECK(expected(1) != expected(2));
}

TEST_CASE("a machine that comes back starts up first, anew if it goes off meanwhile", "[sim]") {
  const auto starts = [](std::vector<HostOutage> outages) {
    return said_by(
        [=](Placement& placement) {
          charge([](auto& charges) { charges.start_up = Seconds(3); })(placement);
          placement.outages = outages;
        },
        [](Seams seams) {
          const std::string begun = now(seams);
          hear(seams, Seconds(60));
          return begun;
        });
  };
  CHECK(starts({{"h1", Seconds(0), Seconds(5)}}) == "8.000000 ");
  CHECK(starts({{"h1", Seconds(0), Seconds(5)}, {"h1", Seconds(7), Seconds(10)}}) == "13.000000 ");
  // A process that starts again while its machine does waits for that.
  const std::string again = in_child([] {
    std::string said;
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id != kCoordinator) said += now(seams);
          hear(seams, Seconds(60));
        },
        {.faults = {{.kind = FaultKind::restart,
                     .target = {.role = Role::worker, .number = 0},
                     .time = Seconds(1),
                     .lasting = Seconds(10)}}},
        {},
        [](Placement& placement) {
          charge([](auto& charges) { charges.start_up = Seconds(30); })(placement);
          placement.outages = {{"h1", Seconds(5), Seconds(8)}};
        });
    return said;
  });
  CHECK(again == "0.000000 38.000000 ");
}

}  // namespace dipaco::testing
