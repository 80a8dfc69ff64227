// Streams that stand still behind something that acknowledges what it never forwards, or that break.

#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "tests/gloo/meeting/finding.hpp"
#include "tests/gloo/network/meeting.hpp"
#include "tests/gloo/network/relay.hpp"
#include "tests/gloo/spawned.hpp"

namespace dipaco {
namespace {

using testing::Meeting;
using testing::Relay;
using testing::RelayPlan;

constexpr std::size_t kFloats = 1'500'000;  // two chunks and a part
constexpr int kMessages = 6;
constexpr std::uint64_t kPayload = kMessages * kFloats * sizeof(float);
/// What else goes over the connections: handshakes, frames, Gloo's words.
constexpr std::uint64_t kBeside = 64 * 1024;

Message ramp() {
  std::vector<float> floats(kFloats);
  std::iota(floats.begin(), floats.end(), 0.0F);
  return make_message(
      ModuleValues{{1, 2}, Version{3}, 1, {std::make_shared<const std::vector<float>>(std::move(floats)), kFloats}});
}

/// Whether the next that comes are so many ramps, whole.
bool ramps_come(Transport& transport, int count) {
  for (int k = 0; k < count; ++k) {
    const auto incoming = transport.receive(Seconds(30));
    if (!incoming || !std::holds_alternative<Envelope>(*incoming)) return false;
    const auto& floats = *std::get<ModuleValues>(std::get<Envelope>(*incoming).message.body).parameters.data;
    if (floats.size() != kFloats) return false;
    for (std::size_t at = 0; at < kFloats; ++at) {
      if (floats[at] != static_cast<float>(at)) return false;
    }
  }
  return true;
}

/// A coordinator, and two nodes with a relay between them. The first opens the link: its connections are the control
/// connection, the stream there, the stream back.
class RelayedPair {
 public:
  RelayedPair(std::vector<RelayPlan> plans, bool secret, SessionOptions session = Meeting::quick())
      : meeting_(session, secret ? std::optional(testing::secret_of("0123456789abcdef")) : std::nullopt) {
    meeting_.add();
    meeting_.add([this](NetworkOptions& options) { options.note = notes_a_.taker(); });
    meeting_.add([this](NetworkOptions& options) {
      options.listen = {"127.0.0.2", testing::free_port()};  // the relay gets the same port
      options.reached_at = "127.0.0.1";
      options.note = notes_b_.taker();
    });
    const std::uint16_t port = meeting_.at(2).endpoint().port;
    relay_.emplace(Endpoint{"127.0.0.1", port}, Endpoint{"127.0.0.2", port}, std::move(plans));
    a_ = meeting_.at(1).transport();
    b_ = meeting_.at(2).transport();
    a_->send(NodeId{2}, make_message(Goodbye{}));
    REQUIRE(b_->receive(Seconds(10)));
  }

  Transport& a() { return *a_; }
  Transport& b() { return *b_; }
  Relay& relay() { return *relay_; }
  std::vector<StalledStream> stalled_at_a() { return meeting_.at(1).stalled(); }
  std::vector<StalledStream> stalled_at_b() { return meeting_.at(2).stalled(); }
  std::string notes() {
    std::string all;
    for (auto* const notes : {&notes_a_, &notes_b_}) {
      for (const std::string& note : notes->all()) all += note + "\n";
    }
    return all;
  }
  /// Large messages, both ways. @returns whether all came, whole
  bool exchange() {
    for (int k = 0; k < kMessages; ++k) {
      a().send(NodeId{2}, ramp());
      b().send(NodeId{1}, ramp());
    }
    bool there = false;
    std::jthread other([&] { there = ramps_come(b(), kMessages); });
    const bool back = ramps_come(a(), kMessages);
    other.join();
    return there && back;
  }

 private:
  testing::Notes notes_a_;
  testing::Notes notes_b_;
  Meeting meeting_;
  std::optional<Relay> relay_;
  std::unique_ptr<Transport> a_;
  std::unique_ptr<Transport> b_;
};

/// How long the exchange takes where nothing stands, on this machine as it is now.
std::chrono::steady_clock::duration undisturbed() {
  RelayedPair pair({{}, {}, {}}, true);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(pair.exchange());
  return std::chrono::steady_clock::now() - begin;
}

/// The stream there stands, after so many bytes on it one way or both.
void stall_the_stream_there(const RelayPlan& plan, bool secret) {
  RelayedPair pair({{}, plan, {}}, secret);
  static const auto kBare = undisturbed();
  const auto begin = std::chrono::steady_clock::now();
  const bool came = pair.exchange();
  const auto took = std::chrono::steady_clock::now() - begin;
  INFO((secret ? "sealed, " : "") << plan.swallow_there << " bytes there, " << plan.swallow_back << " back\n"
                                  << pair.notes());
  CHECK(came);
  // Named and mended within three limits, which are 30 s where nobody has chosen others.
  CHECK(took < 2 * kBare + std::chrono::seconds(3));
  const auto stalled = pair.stalled_at_b();
  REQUIRE(stalled.size() == 1);
  CHECK(stalled[0].peer == NodeId{1});
  CHECK(stalled[0].times == 1);
  const Stall& named = stalled[0].last;
  CHECK(named.stream == 0);
  CHECK(named.receives);
  CHECK_FALSE(named.broke);
  CHECK(named.stood >= Seconds(1));
  CHECK(named.stood < Seconds(2));
  CHECK(named.owed > 0);
  REQUIRE(testing::eventually([&] { return pair.stalled_at_a().size() == 1; }));
  const Stall heard = pair.stalled_at_a().at(0).last;
  CHECK_FALSE(heard.receives);
  CHECK(heard.chunks == named.chunks);
  CHECK(heard.bytes == named.bytes);
  CHECK(heard.on_the_way == (plan.swallow_there != RelayPlan::kNever));
  CHECK_THAT(pair.notes(), Catch::Contains("stream 0 from it stood for 1."));
  // What had come was not sent again.
  CHECK(pair.relay().there() >= kPayload);
  CHECK(pair.relay().there() < kPayload + kBeside);
  CHECK(pair.relay().back() < kPayload + kBeside);
}

}  // namespace

TEST_CASE("a stream whose bytes are acknowledged and never come goes on over another connection from there", "[gloo]") {
  std::mt19937_64 draw(17);
  for (const bool secret : {false, true}) {
    std::uniform_int_distribution<std::uint64_t> moment(2000, kPayload - 200'000);
    for (int k = 0; k < 2; ++k) stall_the_stream_there({.swallow_there = moment(draw)}, secret);
    // The words that ask for chunks: 48 bytes each, two for a chunk that is not sealed.
    std::uniform_int_distribution<std::uint64_t> word(600, 1200);
    stall_the_stream_there({.swallow_back = word(draw)}, secret);
    const std::uint64_t both = moment(draw);
    stall_the_stream_there({.swallow_there = both, .swallow_back = 2000}, secret);
  }
}

TEST_CASE("the initiator of a link makes a stream anew that it receives", "[gloo]") {
  RelayedPair pair({{}, {}, {.swallow_back = 9'000'000}}, true);
  const bool came = pair.exchange();
  INFO(pair.notes());
  CHECK(came);
  const auto stalled = pair.stalled_at_a();
  REQUIRE(stalled.size() == 1);
  CHECK(stalled[0].last.stream == 1);
  CHECK(stalled[0].last.receives);
  CHECK(pair.relay().back() < kPayload + kBeside);
}

TEST_CASE("streams that are cut again and again bring everything once", "[gloo]") {
  std::vector<RelayPlan> plans{{}, {.swallow_there = 3'000'000}, {}};
  for (int k = 1; k < 4; ++k) plans.push_back({.swallow_there = 700'000});  // less than a chunk
  RelayedPair pair(std::move(plans), true);
  const bool came = pair.exchange();
  INFO(pair.notes());
  CHECK(came);
  REQUIRE(pair.stalled_at_b().size() == 1);
  CHECK(pair.stalled_at_b()[0].times == 4);
  CHECK(pair.relay().there() < kPayload + kBeside);
}

TEST_CASE("a stream whose connection breaks goes on over another one, and the link stays", "[gloo]") {
  const bool secret = GENERATE(true, false);
  RelayedPair pair({{}, {.reset = 11'111'111}, {}}, secret);
  const bool came = pair.exchange();
  INFO(pair.notes());
  CHECK(came);
  const auto stalled = pair.stalled_at_b();
  REQUIRE(stalled.size() == 1);
  CHECK(stalled[0].last.broke);
}

TEST_CASE("a stream that is slow, and one that its receiver does not read, is not called stalled", "[gloo]") {
  SessionOptions session = Meeting::quick();
  session.inbox = 1 << 20;
  RelayedPair pair({{}, {.bytes_at_once = 2000}, {}}, false, session);
  pair.a().send(NodeId{2}, ramp());
  for (int k = 0; k < 8; ++k) pair.b().send(NodeId{1}, ramp());
  // Three limits: a few kilobytes come every quarter of a second, and nobody takes what came to the other.
  std::this_thread::sleep_for(std::chrono::seconds(3));
  INFO(pair.notes());
  CHECK(pair.relay().there() > 10'000);
  CHECK(pair.relay().there() < kBeside);
  CHECK(pair.stalled_at_b().empty());
  CHECK(ramps_come(pair.a(), 8));
  CHECK(pair.stalled_at_a().empty());
  CHECK(pair.relay().connections() == 3);
}

TEST_CASE("both ends of a slow stream say which message is under way, and that it moves - none is once it is there",
          "[gloo]") {
  RelayedPair pair({{}, {.bytes_at_once = 65536}, {}}, true);
  CHECK(pair.a().in_motion().under_way.empty());
  pair.a().send(NodeId{2}, ramp());
  REQUIRE(testing::eventually([&] { return pair.b().in_motion().under_way.size() == 1; }));
  const InMotion sent = pair.a().in_motion();
  const InMotion coming = pair.b().in_motion();
  REQUIRE(sent.under_way.size() == 1);
  REQUIRE(coming.under_way.size() == 1);
  CHECK(sent.under_way[0].peer == NodeId{2});
  CHECK_FALSE(sent.under_way[0].incoming);
  CHECK(sent.under_way[0].kind == MessageKind::module);
  CHECK(sent.under_way[0].size >= Bytes{kFloats * sizeof(float)});
  CHECK(coming.under_way[0].peer == NodeId{1});
  CHECK(coming.under_way[0].incoming);
  CHECK(coming.under_way[0].kind == MessageKind::module);
  CHECK(coming.under_way[0].arrived > Bytes{0});
  CHECK(coming.under_way[0].arrived < coming.under_way[0].size);
  CHECK(testing::eventually([&] { return pair.b().in_motion().moves != coming.moves; }));
  pair.b().send(NodeId{1}, ramp());
  CHECK(ramps_come(pair.a(), 1));
  CHECK(testing::eventually([&] { return pair.b().in_motion().under_way.size() == 1; }));  // once that side has said so
}

TEST_CASE("a link whose first connection stands while its streams move is lost", "[gloo]") {
  // A large message takes longer than the limit; the words beside it, a few hundred bytes a second, end before.
  RelayedPair pair({{.swallow_there = 900}, {.bytes_at_once = 65536}, {}}, false);
  for (int k = 0; k < 3; ++k) pair.a().send(NodeId{2}, ramp());
  const auto lost = pair.b().receive(Seconds(10));
  INFO(pair.notes());
  REQUIRE(lost);
  CHECK(std::holds_alternative<PeerLost>(*lost));
  CHECK_THAT(pair.notes(), Catch::Contains("its first connection has stood for 1."));
}

TEST_CASE("a link ends where a stream stands and no other connection can be had for it", "[gloo]") {
  std::vector<RelayPlan> plans(100, {.swallow_there = 0, .swallow_back = 0});
  plans[0] = {};
  plans[1] = {.swallow_there = 3'000'000};
  plans[2] = {};
  RelayedPair pair(std::move(plans), true);
  for (int k = 0; k < 2; ++k) pair.a().send(NodeId{2}, ramp());
  const auto lost = pair.b().receive(Seconds(20));
  INFO(pair.notes());
  REQUIRE(lost);
  CHECK(std::holds_alternative<PeerLost>(*lost));
  CHECK_THAT(pair.notes(), Catch::Contains("no other connection could be had for it"));
}

}  // namespace dipaco
