#include <catch2/catch.hpp>
#include <latch>
#include <numeric>
#include <thread>

#include "core/base/error.hpp"
#include "core/compute/calling_thread.hpp"
#include "tests/gloo/network/meeting.hpp"
#include "tests/transport/contract.hpp"

namespace dipaco {
namespace {

using testing::Meeting;

Secret a_secret() {
  const std::string text = "0123456789abcdef";
  return Secret(std::as_bytes(std::span(text)));
}

contract::RunNodes runs_on(const SessionOptions& session, const std::optional<Secret>& secret) {
  return [session, secret](const std::vector<contract::NodeBody>& bodies) {
    Meeting meeting(session, secret);
    for (std::size_t node = 0; node < bodies.size(); ++node) meeting.add();
    // Who leaves before another has finished would be its loss.
    std::latch finished(static_cast<std::ptrdiff_t>(bodies.size()));
    std::vector<std::jthread> threads;
    for (std::size_t node = 0; node < bodies.size(); ++node) {
      threads.emplace_back([&, node] {
        Network& network = meeting.at(node);
        const auto transport = network.transport();
        const LoopbackCompute clock([&network] { return network.now(); });
        bodies[node](*transport, clock);
        finished.arrive_and_wait();
        network.leave(Seconds(10));
      });
    }
  };
}

Message values(std::size_t count) {
  std::vector<float> floats(count);
  std::iota(floats.begin(), floats.end(), 0.0F);
  return make_message(
      ModuleValues{{1, 2}, Version{3}, 1, {std::make_shared<const std::vector<float>>(std::move(floats)), count}});
}

Message small(std::int32_t number) { return make_message(ModuleReady{{0, 0}, Version{number}}); }

/// What comes next within some seconds, as text.
std::string next(Transport& transport) {
  const auto incoming = transport.receive(Seconds(20));
  if (!incoming) return "nothing";
  if (const auto* lost = std::get_if<PeerLost>(&*incoming)) return "lost " + std::to_string(index(lost->node));
  const auto& envelope = std::get<Envelope>(*incoming);
  if (const auto* ready = std::get_if<ModuleReady>(&envelope.message.body)) {
    return "ready " + std::to_string(number(ready->version)) + " of " + std::to_string(index(envelope.from));
  }
  const auto& module = std::get<ModuleValues>(envelope.message.body).parameters;
  const auto& floats = *module.data;
  for (std::size_t k = 0; k < floats.size(); ++k) {
    if (floats[k] != static_cast<float>(k)) return "damaged values";
  }
  return std::to_string(floats.size()) + " values of " + std::to_string(index(envelope.from));
}

}  // namespace

TEST_CASE("links keep the contract of a transport, in the open and encrypted, with one stream and with three",
          "[gloo]") {
  for (const bool secret : {false, true}) {
    for (const std::uint32_t streams : {1U, 3U}) {
      SessionOptions session = Meeting::quick();
      session.streams = streams;
      const auto run = runs_on(session, secret ? std::optional(a_secret()) : std::nullopt);
      for (const auto& clause : contract::transport_cases()) {
        INFO(clause.name << (secret ? ", encrypted, " : ", ") << streams << " streams");
        CHECK(clause.run(run).empty());
      }
    }
  }
}

TEST_CASE("large messages go both ways at once, in order with small ones", "[gloo]") {
  Meeting meeting(Meeting::quick(), a_secret());
  meeting.add();
  const auto a = meeting.add().transport();
  const auto b = meeting.add().transport();
  // Three chunks and a part, twice the inbox of nobody; several are under way at once.
  constexpr std::size_t kCount = 400'000;
  for (std::int32_t k = 0; k < 6; ++k) {
    a->send(b->self(), values(kCount));
    a->send(b->self(), small(k));
    b->send(a->self(), values(kCount + 1));
  }
  for (std::int32_t k = 0; k < 6; ++k) {
    CHECK(next(*b) == "400000 values of 1");
    CHECK(next(*b) == "ready " + std::to_string(k) + " of 1");
    CHECK(next(*a) == "400001 values of 2");
  }
}

TEST_CASE("a link whose inbox is full reads no further, and others do not wait for it", "[gloo]") {
  SessionOptions session = Meeting::quick();
  session.inbox = 1 << 20;
  Meeting meeting(session);
  meeting.add();
  const auto slow = meeting.add().transport();
  const auto sender = meeting.add().transport();
  const auto other = meeting.add().transport();
  for (int k = 0; k < 20; ++k) sender->send(slow->self(), values(500'000));
  sender->send(other->self(), small(1));
  CHECK(next(*other) == "ready 1 of 2");
  other->send(slow->self(), small(2));
  int large = 0;
  bool heard_other = false;
  for (int k = 0; k < 21; ++k) {
    const std::string what = next(*slow);
    large += what == "500000 values of 2" ? 1 : 0;
    heard_other |= what == "ready 2 of 3";
  }
  CHECK(large == 20);
  CHECK(heard_other);
}

TEST_CASE("who dies is lost to those who knew it, and to nobody else", "[gloo]") {
  Meeting meeting;
  meeting.add();
  const auto a = meeting.add().transport();
  const auto gone = meeting.add().transport();
  const auto c = meeting.add().transport();
  a->send(gone->self(), small(1));
  CHECK(next(*gone) == "ready 1 of 1");
  meeting.kill(2);
  CHECK(next(*a) == "lost 2");
  c->send(a->self(), small(2));
  CHECK(next(*a) == "ready 2 of 3");
  CHECK_FALSE(c->receive(Seconds(0.3)));
}

TEST_CASE("nodes with a range of ports listen on one of it each, until all are taken", "[gloo]") {
  Meeting meeting;
  const std::uint16_t first = meeting.add().endpoint().port;
  const auto in_range = [&](std::uint16_t last) {
    return [=](NetworkOptions& options) { options.ports = {first, last}; };
  };
  const std::uint16_t last = first < 65000 ? first + 20 : first;
  for (int k = 0; k < 2 && last > first; ++k) {
    const std::uint16_t port = meeting.add(in_range(last)).endpoint().port;
    CHECK((port > first && port <= last));
  }
  const std::string range = std::to_string(first) + "-" + std::to_string(first);
  CHECK_THROWS_AS(meeting.add(in_range(first)), ConfigError);
  CHECK_THROWS_WITH(meeting.add(in_range(first)), Catch::Contains("all ports of " + range + " are taken"));
}

TEST_CASE("a node that others reach by another name than where it listens says so", "[gloo]") {
  Meeting meeting;
  meeting.add();
  const auto behind = meeting.add([](NetworkOptions& options) { options.reached_at = "localhost"; }).transport();
  CHECK(meeting.at(1).endpoint().host == "localhost");
  const auto other = meeting.add().transport();
  other->send(behind->self(), small(1));
  CHECK(next(*behind) == "ready 1 of 2");
}

TEST_CASE("a node is cut off once it has had a link with the coordinator and has none for so long", "[gloo]") {
  Meeting meeting;
  meeting.add();
  Network& node = meeting.add();
  CHECK_FALSE(node.is_cut_off(Seconds(0)));
  meeting.kill(0);
  const auto transport = node.transport();
  CHECK(next(*transport) == "lost 0");
  CHECK_FALSE(node.is_cut_off(Seconds(60)));
  CHECK(node.is_cut_off(Seconds(0)));
}

TEST_CASE("a link that ends in the middle of large messages holds nobody up", "[gloo]") {
  const bool secret = GENERATE(true, false);
  Meeting meeting(Meeting::quick(), secret ? std::optional(a_secret()) : std::nullopt);
  meeting.add();
  const auto a = meeting.add().transport();
  const auto c = meeting.add().transport();
  for (std::int32_t k = 3; k < 6; ++k) {
    const auto gone = meeting.add().transport();
    // Both ways: one chunk is half sent, and one half received, at either end.
    gone->send(a->self(), values(16'000'000));
    a->send(gone->self(), small(k));
    for (int times = 0; times < 4; ++times) a->send(gone->self(), values(4'000'000));
    CHECK(next(*gone) == "ready " + std::to_string(k) + " of 1");
    CHECK(next(*gone) == "4000000 values of 1");
    meeting.kill(static_cast<std::size_t>(k));
    std::string heard = next(*a);
    if (heard == "16000000 values of " + std::to_string(k)) heard = next(*a);
    CHECK(heard == "lost " + std::to_string(k));
    c->send(a->self(), small(k));
    CHECK(next(*a) == "ready " + std::to_string(k) + " of 2");
  }
}

TEST_CASE("what is sent to a node that is gone comes back as its loss, each time", "[gloo]") {
  Meeting meeting;
  meeting.add();
  const auto a = meeting.add().transport();
  meeting.add();
  meeting.kill(2);
  for (int k = 0; k < 2; ++k) {
    a->send(NodeId{2}, small(k));
    CHECK(next(*a) == "lost 2");
  }
}

TEST_CASE("a node that comes back has its number again, and its peers hear of it as of a new one", "[gloo]") {
  Meeting meeting;
  const auto coordinator = meeting.add().transport();
  Token key;
  const auto remember = [&](NetworkOptions& options) { key = options.key; };
  meeting.add(remember);
  const auto first = meeting.at(1).transport();
  first->send(kCoordinator, small(1));
  CHECK(next(*coordinator) == "ready 1 of 1");
  meeting.kill(1);
  CHECK(next(*coordinator) == "lost 1");
  Network& again = meeting.add([&](NetworkOptions& options) {
    options.key = key;
    options.self.incarnation = 1;
  });
  CHECK(again.self().id == NodeId{1});
  CHECK(again.transport()->incarnation() == 1);
  again.transport()->send(kCoordinator, small(2));
  CHECK(next(*coordinator) == "ready 2 of 1");
}

TEST_CASE("a node of another version, configuration or run is refused with both values", "[gloo]") {
  Meeting meeting;
  meeting.add();
  const auto add = [&](const std::function<void(NetworkOptions&)>& change) { meeting.add(change); };
  CHECK_THROWS_WITH(add([](NetworkOptions& o) { o.version = "other"; }),
                    Catch::Contains("other") && Catch::Contains("test"));
  CHECK_THROWS_WITH(add([](NetworkOptions& o) { o.config_hash = "another"; }),
                    Catch::Contains("another") && Catch::Contains("same"));
  CHECK_THROWS_WITH(add([](NetworkOptions& o) { o.run = "of old"; }), Catch::Contains("of old"));
  CHECK_THROWS_WITH(add([](NetworkOptions& o) { o.self.role = Role::coordinator; }), Catch::Contains("--role"));
  CHECK_THROWS_AS(add([](NetworkOptions& o) { o.version = "other"; }), RunError);
}

TEST_CASE("a node with another secret is not authorised, and harms nobody", "[gloo]") {
  Meeting meeting(Meeting::quick(), a_secret());
  meeting.add();
  try {
    meeting.add([](NetworkOptions& options) { options.secret.reset(); });
    FAIL("it was let in");
  } catch (const RunError& error) {
    CHECK(error.exit_status() == static_cast<int>(ExitStatus::not_authorised));
  }
  CHECK(meeting.add().self().id == NodeId{1});
}

TEST_CASE("garbage on a port ends the connection that it came by", "[gloo]") {
  Meeting meeting;
  const auto coordinator = meeting.add().transport();
  const auto a = meeting.add().transport();
  asio::io_context io;
  std::vector<tcp::socket> strangers;
  for (std::size_t node = 0; node < 2; ++node) {
    const Endpoint where = meeting.at(node).endpoint();
    for (std::size_t size : {0U, 1U, 47U, 48U, 80U, 5000U}) {
      strangers.emplace_back(io);
      strangers.back().connect({asio::ip::make_address(where.host), where.port});
      const std::vector<char> garbage(size, 'x');
      boost::system::error_code ignored;
      asio::write(strangers.back(), asio::buffer(garbage), ignored);
    }
  }
  a->send(kCoordinator, small(1));
  CHECK(next(*coordinator) == "ready 1 of 1");
  CHECK(meeting.add().self().id == NodeId{2});
}

}  // namespace dipaco
