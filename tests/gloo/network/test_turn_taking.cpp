#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "tests/gloo/meeting/finding.hpp"
#include "tests/gloo/network/meeting.hpp"

namespace dipaco {
namespace {

using testing::Meeting;

constexpr std::size_t kModuleFloats = 1 << 18;  // 1 MiB

Message module(std::int32_t version) {
  static const auto values = std::make_shared<const std::vector<float>>(kModuleFloats, 1.0F);
  return make_message(ModuleValues{{1, 2}, Version{version}, 1, {values, kModuleFloats}});
}

/// A coordinator, nodes 1 to 3 beside it, and nodes 4 and 5 at another site.
class TwoSites {
 public:
  explicit TwoSites(bool turns = true, const SessionOptions& session = Meeting::quick()) : meeting_(session) {
    for (int node = 0; node < 6; ++node) {
      meeting_.add([&](NetworkOptions& options) {
        options.line_turns = turns;
        options.self.site_name = node < 4 ? "here" : "there";
      });
      transports_.push_back(meeting_.at(static_cast<std::size_t>(node)).transport());
    }
  }
  Meeting& meeting() { return meeting_; }
  Transport& at(std::size_t node) { return *transports_.at(node); }
  /// Node `from` sends so many modules, of versions 0, 1, ...
  void send(std::size_t from, std::int32_t to, int modules) {
    for (int k = 0; k < modules; ++k) at(from).send(NodeId{to}, module(k));
  }
  /// Whether the node hears so many of each of nodes 1 to `senders`, in the order in which they were sent.
  bool hears(std::size_t node, int modules, std::int32_t senders) {
    std::map<NodeId, std::int32_t> versions;
    while (std::ranges::any_of(versions, [&](const auto& of) { return of.second < modules; }) ||
           std::ssize(versions) < senders) {
      const auto incoming = at(node).receive(Seconds(20));
      if (!incoming) return false;
      const auto* const envelope = std::get_if<Envelope>(&*incoming);
      if (envelope == nullptr) continue;  // the coordinator is lost
      const auto& values = std::get<ModuleValues>(envelope->message.body);
      if (number(values.version) != versions[envelope->from]++) return false;
    }
    return true;
  }
  /// Whether any message waits for its turn, or has it.
  bool any_in_turns() { return !at(0).in_motion().in_turns.empty(); }

 private:
  Meeting meeting_;
  std::vector<std::unique_ptr<Transport>> transports_;
};

/// Whether turns are seen, and all messages come, where nodes 1 to 3 send to node `to` for some time.
struct Seen {
  bool turns = false;
  bool all = false;
};

Seen send_much(TwoSites& sites, std::int32_t to) {
  constexpr int kModules = 200;
  std::atomic<bool> done = false;
  Seen seen;
  std::jthread watch([&] {
    while (!done) seen.turns = sites.any_in_turns() || seen.turns;
  });
  for (const std::size_t sender : {1, 2, 3}) sites.send(sender, to, kModules);
  seen.all = sites.hears(static_cast<std::size_t>(to), kModules, 3);
  done = true;
  return seen;
}

}  // namespace

TEST_CASE("large messages that fill a line to another site take turns, and all come in order", "[gloo]") {
  TwoSites sites;
  const Seen seen = send_much(sites, 4);
  CHECK(seen.turns);
  CHECK(seen.all);
  CHECK(testing::eventually([&] { return !sites.any_in_turns(); }));
}

TEST_CASE("those of one site take none, nor does anybody with run.line_turns=off", "[gloo]") {
  TwoSites with;
  const Seen within = send_much(with, 1);
  CHECK_FALSE(within.turns);
  TwoSites without(false);
  const Seen off = send_much(without, 4);
  CHECK_FALSE(off.turns);
  CHECK(off.all);
}

TEST_CASE("a node that takes nothing does not keep the line from others", "[gloo]") {
  SessionOptions session = Meeting::quick();
  session.inbox = kModuleFloats;  // one message waits, and one more may come
  TwoSites sites(true, session);
  sites.send(1, 4, 10);
  sites.send(2, 4, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // node 4 takes nothing
  sites.send(3, 5, 10);
  for (int k = 0; k < 10; ++k) {
    const auto incoming = sites.at(5).receive(Seconds(5));
    REQUIRE(incoming);
    CHECK(std::holds_alternative<Envelope>(*incoming));
  }
  CHECK(sites.hears(4, 10, 2));
  CHECK(testing::eventually([&] { return !sites.any_in_turns(); }));
}

TEST_CASE("what goes to the coordinator takes no turns: words about turns come behind it", "[gloo]") {
  TwoSites sites;
  sites.send(4, 0, 200);
  CHECK(sites.hears(0, 200, 1));
}

TEST_CASE("messages go on without turns once the coordinator is lost", "[gloo]") {
  TwoSites sites;
  std::jthread loss([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sites.meeting().kill(0);
  });
  for (const std::size_t sender : {1, 2, 3}) sites.send(sender, 4, 200);
  CHECK(sites.hears(4, 200, 3));
}

}  // namespace dipaco
