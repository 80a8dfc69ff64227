#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <thread>

#include "backends/loopback/transport.hpp"
#include "core/base/error.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/preflight/preflight.hpp"

namespace dipaco::testing {
namespace {

Attend at(const std::string& site) {
  return {.roles = {Role::worker}, .site = site, .machine = "m-" + site, .address = "here:1", .step_time = 0};
}

std::string names(const NetworkMeasures& measures) {
  std::string all;
  for (const Attendee& who : measures.attendees) all += who.name + " ";
  return all;
}

/// A preflight of nodes at these sites on a test's clock, on which nothing takes time. `others` is what each of the
/// nodes but the coordinator does. @returns what `told` says of the measures, or of an error its status and words
std::string preflight(const std::vector<std::string>& sites, const PreflightOptions& options,
                      const std::function<void(LoopbackNetwork&, Transport&, const Attend&)>& others,
                      const std::function<std::string(const NetworkMeasures&)>& told = names) {
  LoopbackNetwork network(sites.size(), {.test_clock = true});
  const LoopbackCompute clock([&] { return network.now(); });
  std::string answer;
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    threads.emplace_back([&, k] {
      const NodeId node{static_cast<std::int32_t>(k)};
      const auto transport = network.connect(node);
      try {
        if (k > 0) {
          others(network, *transport, at(sites[k]));
        } else {
          answer = told(lead_preflight(*transport, clock, at(sites[k]), options));
        }
      } catch (const RunError& error) {
        if (k == 0) answer = std::to_string(error.exit_status()) + " " + error.what();
      } catch (const NodeKilled&) {
      }
      network.leave(node);
    });
  }
  threads.clear();
  return answer;
}

void attend(LoopbackNetwork& network, Transport& transport, const Attend& self) {
  const LoopbackCompute clock([&] { return network.now(); });
  attend_preflight(transport, clock, self);
}

/// Says that its messages take what a line of 1 MB/s takes, a fifth of a second more, and as much less as `burst` bytes
/// need: those the line lets through at once.
void attend_with_burst(Transport& transport, const Attend& self, double burst) {
  transport.send(kCoordinator, make_message(self));
  while (true) {
    const auto incoming = transport.receive(Seconds(100));
    const auto* const envelope = incoming ? std::get_if<Envelope>(&*incoming) : nullptr;
    if (envelope == nullptr || std::holds_alternative<Goodbye>(envelope->message.body)) return;
    if (const auto* const probe = std::get_if<Probe>(&envelope->message.body)) {
      transport.send(envelope->from, make_message(ProbeArrived{probe->number}));
    }
    if (const auto* const order = std::get_if<MeasureLink>(&envelope->message.body)) {
      const double bytes = 4 * static_cast<double>(order->floats);
      const double seconds = 0.2 + std::max(0.0, bytes - burst) / 1e6;
      transport.send(envelope->from, make_message(LinkMeasured{order->number, true, seconds}));
    }
  }
}

}  // namespace

TEST_CASE("a line's bandwidth is what it carries once its burst is gone", "[preflight]") {
  const auto rate = [](double burst) {
    return preflight(
        {"a", "b"}, {.processes = 2},
        [&](auto&, auto& transport, const auto& self) { attend_with_burst(transport, self, burst); },
        [](const NetworkMeasures& all) { return std::to_string(std::lround(all.link(1, 0).bytes_per_second)); });
  };
  CHECK(rate(0) == "1000000");
  CHECK(rate(50'000) == "1000000");
}

TEST_CASE("a preflight measures all processes, site by site, and ends", "[preflight]") {
  CHECK(preflight({"b", "a", "b", "a"}, {.processes = 4}, attend) == "b-0 b-1 a-0 a-1 ");
  CHECK(preflight({"a", "b", "c"}, {.processes = 3}, attend) == "a-0 b-0 c-0 ");
}

TEST_CASE("a process that is lost in a preflight ends it, and is named", "[preflight]") {
  const auto answer =
      preflight({"a", "b", "c"}, {.processes = 3}, [](auto& network, auto& transport, const auto& self) {
        if (self.site == "b") return attend(network, transport, self);
        transport.send(kCoordinator, make_message(self));
        network.kill(transport.self());
      });
  CHECK_THAT(answer, Catch::StartsWith("5 ") && Catch::Contains("m-c, here:1") && Catch::Contains("is lost"));
}

TEST_CASE("a measurement that does not end is given up, and both processes are named", "[preflight]") {
  const auto answer = preflight({"a", "b"}, {.processes = 2}, [](auto&, auto& transport, const auto& self) {
    transport.send(kCoordinator, make_message(self));
    while (true) {
      const auto incoming = transport.receive(Seconds(100));  // and answers nothing
      if (!incoming || std::holds_alternative<PeerLost>(*incoming)) return;
    }
  });
  CHECK_THAT(answer, Catch::StartsWith("4 ") && Catch::Contains("from a-0") && Catch::Contains("to b-0"));
}

}  // namespace dipaco::testing
