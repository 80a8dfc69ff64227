#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "backends/loopback/transport.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr NodeId kA{0};
constexpr NodeId kB{1};
constexpr Seconds kForEver{-1};

using NodeBody = std::function<void(LoopbackNetwork&, Transport&)>;

/// Runs each body as the node of its place on a test's clock with a liveness limit of 10 s, until all have ended.
void run_nodes(LoopbackNetwork& network, const std::vector<NodeBody>& bodies) {
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    threads.emplace_back([&, k] {
      const NodeId node{static_cast<std::int32_t>(k)};
      try {
        bodies[k](network, *network.connect(node));
      } catch (const NodeKilled&) {
      }
      network.leave(node);
    });
  }
}

Message numbered(std::int32_t number) { return make_message(ModuleReady{{0, 0}, Version{number}, 0}); }

/// What came and when: "1@10 lost:0@20", until nothing comes for `patience`.
std::string heard(const LoopbackNetwork& network, Transport& transport, Seconds patience) {
  std::string all;
  while (const auto incoming = transport.receive(patience)) {
    const auto* lost = std::get_if<PeerLost>(&*incoming);
    if (!all.empty()) all += " ";
    if (lost != nullptr) {
      all.append("lost:").append(std::to_string(index(lost->node)));
    } else {
      all += std::to_string(number(std::get<ModuleReady>(std::get<Envelope>(*incoming).message.body).version));
    }
    all.append("@").append(std::to_string(static_cast<int>(network.now().count())));
  }
  return all;
}

}  // namespace

TEST_CASE("a test's clock takes no time for a week of waiting", "[loopback]") {
  LoopbackNetwork network(2, {.test_clock = true});
  Seconds waited{};
  run_nodes(network, {[&](LoopbackNetwork&, Transport& a) {
                        CHECK_FALSE(a.receive(Seconds(7 * 86400.0)));
                        waited = network.now();
                        a.send(kB, numbered(1));
                      },
                      [](LoopbackNetwork&, Transport& b) { CHECK(b.receive(kForEver)); }});
  CHECK(waited == Seconds(7 * 86400.0));
}

TEST_CASE("a test's clock stands while a node is awake, and passes for one that computes", "[loopback]") {
  LoopbackNetwork network(2, {.test_clock = true});
  std::string got;
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(20));
                        CHECK(net.now() == Seconds(0));
                        net.pass(kA, Seconds(7));
                        a.send(kB, numbered(1));
                      },
                      [&](LoopbackNetwork& net, Transport& b) { got = heard(net, b, Seconds(9)); }});
  CHECK(got == "1@7");
}

TEST_CASE("nodes that all wait for ever are stuck, and end", "[loopback]") {
  LoopbackNetwork network(2, {.test_clock = true});
  const NodeBody waits = [](LoopbackNetwork&, Transport& node) { node.receive(kForEver); };
  run_nodes(network, {waits, waits});
  CHECK(network.stuck());
}

TEST_CASE("a node that ends leaves the others' clock running, and who sends to it hears so", "[loopback]") {
  LoopbackNetwork network(2, {.test_clock = true});
  std::string got;
  run_nodes(network, {[&](LoopbackNetwork& net, Transport& a) {
                        a.receive(Seconds(3));
                        a.send(kB, numbered(1));
                        got = heard(net, a, Seconds(1));
                      },
                      [](LoopbackNetwork&, Transport&) {}});
  CHECK(got == "lost:1@3");
  CHECK_FALSE(network.stuck());
}

TEST_CASE("on a test's clock a loss is told after the limit, or when the node is back", "[loopback]") {
  for (const double away : {25.0, 4.0}) {
    LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
    std::string got;
    run_nodes(network, {[&](LoopbackNetwork& net, Transport& a) {
                          a.receive(kForEver);
                          got = heard(net, a, Seconds(40));
                        },
                        [&](LoopbackNetwork& net, Transport& b) {
                          b.send(kA, numbered(1));
                          net.pass(kB, Seconds(5));
                          net.kill(kB);
                          CHECK_THROWS_AS(b.receive(Seconds(0)), NodeKilled);
                          net.rest(kB, Seconds(away));
                          const auto again = net.connect(kB);
                          CHECK(again->incarnation() == 1);
                          again->send(kA, numbered(2));
                        }});
    CHECK(got == (away > 10 ? "lost:1@15 2@30" : "lost:1@9 2@9"));
  }
}

TEST_CASE("a node frozen for less than the limit loses nothing", "[loopback]") {
  LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
  std::string got_a;
  std::string got_b;
  run_nodes(network, {[&](LoopbackNetwork& net, Transport& a) {
                        a.receive(kForEver);  // it is there
                        net.freeze(kB, Seconds(8));
                        a.send(kB, numbered(1));
                        got_a = heard(net, a, Seconds(20));
                      },
                      [&](LoopbackNetwork& net, Transport& b) {
                        b.send(kA, numbered(0));
                        while (got_b.empty()) got_b = heard(net, b, Seconds(3));
                        b.send(kA, numbered(2));
                      }});
  CHECK(got_a == "2@11");  // 8 frozen, 3 without another message
  CHECK(got_b == "1@8");
}

TEST_CASE("a node frozen for longer than the limit and its peers lose each other", "[loopback]") {
  LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
  std::string got_a;
  std::string got_b;
  run_nodes(network, {[&](LoopbackNetwork& net, Transport& a) {
                        a.receive(kForEver);
                        net.freeze(kB, Seconds(30));
                        a.send(kB, numbered(1));
                        got_a = heard(net, a, Seconds(12));
                        a.send(kB, numbered(3));  // still frozen: refused
                        got_a.append(" ").append(heard(net, a, Seconds(20)));
                      },
                      [&](LoopbackNetwork& net, Transport& b) {
                        b.send(kA, numbered(0));
                        net.pass(kB, Seconds(1));
                        got_b = heard(net, b, Seconds(5));
                        b.send(kA, numbered(2));
                      }});
  CHECK(got_a == "lost:1@10 lost:1@22 2@35");
  CHECK(got_b == "lost:0@30");
}

TEST_CASE("urgent mail is told as long as it waits, also where a frozen node drops it", "[loopback]") {
  LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
  std::string told;
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
                        a.receive(kForEver);  // it is there
                        a.send(kB, make_message(Goodbye{}));
                        a.send(kB, make_message(Goodbye{}));
                        net.pass(kA, Seconds(5));
                        net.freeze(kB, Seconds(30));
                        a.send(kB, make_message(Goodbye{}));
                      },
                      [&](LoopbackNetwork& net, Transport& b) {
                        net.tell_urgent(kB, [&](bool waits) {
                          told += (waits ? "waits@" : "none@") + format_number(net.now().count()) + " ";
                        });
                        b.send(kA, numbered(0));
                        net.pass(kB, Seconds(1));  // both are there
                        for (int k = 0; k < 2; ++k) b.receive(kForEver);
                        net.pass(kB, Seconds(40));
                      }});
  CHECK(told == "waits@0 none@1 waits@5 none@15 ");
}

TEST_CASE("a frozen node's own calls block until it is over", "[loopback]") {
  LoopbackNetwork network(1, {.test_clock = true});
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
              net.freeze(kA, Seconds(4));
              net.wait_until_thawed(kA);
              CHECK(net.now() == Seconds(4));
              net.freeze(kA, Seconds(4));
              a.send(kA, numbered(1));
              CHECK(net.now() == Seconds(8));
            }});
}

TEST_CASE("what is sent over a cut comes once it is mended, in order", "[loopback]") {
  LoopbackNetwork network(3, {.limit = Seconds(10), .test_clock = true});
  std::string got;
  std::string third;
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
                        net.cut(kA, kB, Seconds(6));
                        for (const int k : {1, 2}) a.send(kB, numbered(k));
                        a.send(NodeId{2}, numbered(9));
                        a.receive(Seconds(7));
                        a.send(kB, numbered(3));
                      },
                      [&](LoopbackNetwork& net, Transport& b) { got = heard(net, b, Seconds(8)); },
                      [&](LoopbackNetwork& net, Transport& c) { third = heard(net, c, Seconds(8)); }});
  CHECK(got == "1@6 2@6 3@7");
  CHECK(third == "9@0");
}

TEST_CASE("a cut that lasts for longer than the limit loses what was sent, and both sides hear so", "[loopback]") {
  LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
  std::string got_a;
  std::string got_b;
  run_nodes(network, {[&](LoopbackNetwork& net, Transport& a) {
                        net.cut(kA, std::nullopt, Seconds(15));
                        a.send(kB, numbered(1));
                        got_a = heard(net, a, Seconds(11));
                        a.receive(Seconds(1));
                        a.send(kB, numbered(2));
                      },
                      [&](LoopbackNetwork& net, Transport& b) { got_b = heard(net, b, Seconds(15)); }});
  CHECK(got_a == "lost:1@10");
  CHECK(got_b == "lost:0@10 2@22");
}

TEST_CASE("a delayed node's messages come later, and none overtakes another", "[loopback]") {
  LoopbackNetwork network(2, {.limit = Seconds(10), .test_clock = true});
  std::string got;
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
                        net.delay(kA, Seconds(5));
                        a.send(kB, numbered(1));
                        a.receive(Seconds(4));
                        a.send(kB, numbered(2));
                        a.receive(Seconds(2));
                        a.send(kB, numbered(3));  // at 6, on time, but behind 2
                        a.receive(Seconds(20));
                      },
                      [&](LoopbackNetwork& net, Transport& b) { got = heard(net, b, Seconds(15)); }});
  CHECK(got == "1@5 2@9 3@9");
}

TEST_CASE("on the machine's clock a cut is mended without anybody's call", "[loopback]") {
  LoopbackNetwork network(2);
  bool got = false;
  run_nodes(network, {[](LoopbackNetwork& net, Transport& a) {
                        net.cut(kA, kB, Seconds(0.05));
                        a.send(kB, numbered(1));
                        a.receive(Seconds(0.2));
                      },
                      [&](LoopbackNetwork&, Transport& b) { got = b.receive(kForEver).has_value(); }});
  CHECK(got);
}

}  // namespace dipaco
