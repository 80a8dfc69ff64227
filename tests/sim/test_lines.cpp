#include <catch2/catch.hpp>
#include <set>

#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

constexpr int kSenders = 5;
constexpr NodeId kReceiver{kSenders + 1};

/// Node 0 coordinates, nodes 1 to 5 send, node 6 at another site receives; all of its routes share one link of 1 MB/s.
std::string joined_sites() {
  std::string xml = full_platform(kSenders + 2, kLink);
  for (int sender = 0; sender < kSenders; ++sender) {
    const std::string own = "<link_ctn id=\"l" + std::to_string(sender) + "-6\"/>";
    xml.replace(xml.find(own), own.size(), "<link_ctn id=\"l5-6\"/>");
  }
  return xml;
}

void place_at_two(Placement& placement) {
  placement.sites = {"here", "there"};
  placement.nodes.back().site = SiteId{1};
}

/// A gradient of this outer step, of 1 MB.
Message gradient(std::int32_t outer_step) {
  return {OuterGradient{.module = {0, 0}, .task = {PathId{0}, OuterStep{outer_step}}}, Bytes{1'000'000}};
}

/// What each sender sends at once: its first message goes as it is, the second waits behind it and then for its turn.
void send_two(const PlacedNode& node, Seams seams) {
  seams.transport.send(kReceiver, gradient(0));
  seams.transport.send(kReceiver, gradient(10 - index(node.id)));
}

/// Waits until then, whatever comes. @returns who was heard when, to a tenth of a second: "5.0 from 1; "
std::string heard_by(Seams seams, Seconds end) {
  std::set<std::string> heard;  // all times have as many digits; who is heard at one time comes in no order
  while (seams.compute.now() < end) {
    const auto incoming = seams.transport.receive(end - seams.compute.now());
    const auto* const envelope = incoming ? std::get_if<Envelope>(&*incoming) : nullptr;
    if (envelope == nullptr) continue;
    const std::string time = format_fixed(100 + seams.compute.now().count(), 1).substr(1);
    heard.insert(time + " from " + std::to_string(index(envelope->from)) + "; ");
  }
  std::string all;
  for (const std::string& one : heard) all += one;
  return all;
}

std::string run(const SimulationOptions& options, const PlatformText& platform = {joined_sites()}) {
  return in_child([&] {
    std::string result;
    run_nodes(
        platform, kSenders + 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id != kReceiver && node.id != kCoordinator) send_two(node, seams);
          const std::string heard = heard_by(seams, Seconds(60));
          if (node.id == kReceiver) result = heard;
        },
        options, {}, place_at_two);
    return result;
  });
}

/// The first message of each sender: they share the line for five seconds.
constexpr const char* kFirst = "05.0 from 1; 05.0 from 2; 05.0 from 3; 05.0 from 4; 05.0 from 5; ";
/// The second ones, where nobody takes turns.
constexpr const char* kAtOnce = "10.0 from 1; 10.0 from 2; 10.0 from 3; 10.0 from 4; 10.0 from 5; ";

}  // namespace

TEST_CASE("on a full line the most urgent messages go first, one at a time - without turns all end at once", "[sim]") {
  // The later senders' second messages are the more urgent.
  CHECK(run({}) == std::string(kFirst) + "06.0 from 5; 07.1 from 4; 08.1 from 3; 09.1 from 2; 10.2 from 1; ");
  CHECK(run({.line_turns = false}) == std::string(kFirst) + kAtOnce);
}

TEST_CASE("for a turn there is one question, one answer, and one word that it is over", "[sim]") {
  const std::string told = in_child([] {
    const auto simulated = run_nodes(
        {joined_sites()}, kSenders + 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id != kReceiver && node.id != kCoordinator) send_two(node, seams);
          heard_by(seams, Seconds(60));
        },
        {}, {}, place_at_two);
    std::uint64_t bytes = 0;  // on the links that lead to the coordinator
    for (const LinkFacts& link : simulated.report.links) bytes += link.name.starts_with("l0-") ? link.bytes.value : 0;
    return std::to_string(bytes);
  });
  const Bytes turn =
      make_message(AskForTurn{}).wire_size + make_message(Turn{}).wire_size + make_message(TurnOver{}).wire_size;
  CHECK(told == std::to_string(kSenders * turn.value));
}

TEST_CASE("a sender that is lost in its turn holds nobody up", "[sim]") {
  // Node 5 goes off at 5.5 s, when half of its second message is there: node 4 has the line as soon as it hears of it.
  const PlatformText lost{with_profile(joined_sites(), "h5", "profile"), "5.5 0\n"};
  CHECK(run({}, lost) == std::string(kFirst) + "06.5 from 4; 07.6 from 3; 08.6 from 2; 09.6 from 1; ");
}

TEST_CASE("once the coordinator is lost, messages go without turns: new ones at once, the others after the limit",
          "[sim]") {
  const auto off_at = [](const std::string& time) {
    return PlatformText{with_profile(joined_sites(), "h0", "profile"), time + " 0\n100 1\n"};
  };
  CHECK(run({.limit = Seconds(10)}, off_at("4")) == std::string(kFirst) + kAtOnce);
  // One has its turn by then. The other four wait for 10 seconds, and share the line.
  CHECK(run({.limit = Seconds(10)}, off_at("5.5")) ==
        std::string(kFirst) + "06.0 from 5; 19.5 from 1; 19.5 from 2; 19.5 from 3; 19.5 from 4; ");
}

TEST_CASE("what goes to the coordinator takes no turns: words about turns come behind it", "[sim]") {
  // Nodes 1 to 5 and the coordinator are at two sites, on links of their own.
  const std::string heard = in_child([] {
    std::string result;
    run_nodes(
        {joined_sites()}, kSenders + 2,
        [&](const PlacedNode& node, Seams seams) {
          const bool sends = node.id != kReceiver && node.id != kCoordinator;
          for (int k = 0; sends && k < 3; ++k) seams.transport.send(kCoordinator, gradient(k));
          const std::string told = heard_by(seams, Seconds(60));
          if (node.id == kCoordinator) result = told;
        },
        {}, {},
        [](Placement& placement) {
          placement.sites = {"here", "there"};
          for (std::size_t k = 1; k < placement.nodes.size(); ++k) placement.nodes[k].site = SiteId{1};
        });
    return result;
  });
  CHECK(heard.starts_with("01.0 from 1; 01.0 from 2; 01.0 from 3; 01.0 from 4; 01.0 from 5; 02.0 from 1; "));
  CHECK(heard.ends_with("03.0 from 1; 03.0 from 2; 03.0 from 3; 03.0 from 4; 03.0 from 5; "));
}

TEST_CASE("messages of one site, and those that never fill a line, ask nobody", "[sim]") {
  const auto bytes = [](const SimulationOptions& options) {
    return in_child([&] {
      const auto simulated = run_nodes(
          {joined_sites()}, kSenders + 2,
          [&](const PlacedNode& node, Seams seams) {
            if (node.id == kCoordinator || node.id == kReceiver)
              return static_cast<void>(heard_by(seams, Seconds(400)));
            for (int k = 0; k < 3; ++k) {
              heard_by(seams, Seconds(100 * (k + 1)));
              seams.transport.send(NodeId{index(node.id) % kSenders + 1}, gradient(k));
              if (index(node.id) == 1) seams.transport.send(kReceiver, gradient(k));
            }
          },
          options, {}, place_at_two);
      std::uint64_t all = 0;
      for (const LinkFacts& link : simulated.report.links) all += link.bytes.value;
      return std::to_string(all);
    });
  };
  CHECK(bytes({}) == bytes({.line_turns = false}));
  CHECK(bytes({}) == std::to_string((15 + 3) * 1'000'000));
}

}  // namespace dipaco::testing
