#include <catch2/catch.hpp>
#include <thread>

#include "backends/loopback/transport.hpp"
#include "core/compute/calling_thread.hpp"
#include "tests/transport/contract.hpp"

namespace dipaco {
namespace {

void run_on_threads(const std::vector<contract::NodeBody>& bodies, bool test_clock) {
  LoopbackNetwork network(bodies.size(), {.test_clock = test_clock});
  const LoopbackCompute clock([&] { return network.now(); });
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    threads.emplace_back([&, k] {
      const NodeId node{static_cast<std::int32_t>(k)};
      const auto transport = network.connect(node);
      bodies[k](*transport, clock);
      network.leave(node);
    });
  }
}

Message ready() { return make_message(ModuleReady{{0, 0}, Version{1}}); }

}  // namespace

TEST_CASE("loopback keeps the contract of a transport on both clocks", "[loopback]") {
  for (const contract::Case& one : contract::transport_cases()) {
    INFO(one.name);
    CHECK(one.run([](const auto& bodies) { run_on_threads(bodies, false); }) == "");
    CHECK(one.run([](const auto& bodies) { run_on_threads(bodies, true); }) == "");
  }
}

TEST_CASE("a lost node is told to those who knew it and to nobody else", "[loopback]") {
  LoopbackNetwork network(3);
  const auto a = network.connect(NodeId{0});
  const auto b = network.connect(NodeId{1});
  const auto stranger = network.connect(NodeId{2});
  b->send(NodeId{0}, ready());
  network.kill(NodeId{1});
  CHECK(std::holds_alternative<Envelope>(*a->receive(Seconds(0))));
  CHECK(std::get<PeerLost>(*a->receive(Seconds(0))).node == NodeId{1});
  CHECK_FALSE(stranger->receive(Seconds(0)));
}

TEST_CASE("who sends to a lost node hears that it is lost", "[loopback]") {
  LoopbackNetwork network(2);
  const auto a = network.connect(NodeId{0});
  network.connect(NodeId{1});
  network.kill(NodeId{1});
  a->send(NodeId{1}, ready());
  CHECK(std::get<PeerLost>(*a->receive(Seconds(0))).node == NodeId{1});
}

TEST_CASE("a node that comes back has a higher incarnation and an empty inbox", "[loopback]") {
  LoopbackNetwork network(2);
  const auto a = network.connect(NodeId{0});
  const auto before = network.connect(NodeId{1});
  a->send(NodeId{1}, ready());
  network.kill(NodeId{1});
  const auto after = network.connect(NodeId{1});
  CHECK(after->incarnation() == before->incarnation() + 1);
  CHECK_FALSE(after->receive(Seconds(0)));
  CHECK_THROWS_AS(before->receive(Seconds(0)), NodeKilled);
  CHECK_THROWS_AS(before->send(NodeId{0}, ready()), NodeKilled);
}

TEST_CASE("nobody joins a network that is over", "[loopback]") {
  LoopbackNetwork network(1);
  network.kill_all();
  CHECK_THROWS_AS(network.connect(NodeId{0}), NodeKilled);
}

TEST_CASE("a killed node's waiting receive ends", "[loopback]") {
  LoopbackNetwork network(1);
  const auto node = network.connect(NodeId{0});
  bool killed = false;
  {
    const std::jthread waiting([&] {
      try {
        node->receive(Seconds(-1));
      } catch (const NodeKilled&) {
        killed = true;
      }
    });
    network.kill(NodeId{0});
  }
  CHECK(killed);
}

}  // namespace dipaco
