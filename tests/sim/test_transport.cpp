#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/transport/contract.hpp"

namespace dipaco::testing {
namespace {

constexpr const char* kProfile = " state_file=\"profile\"";

/// Runs each body as a node; node 0 stays until all have returned.
std::string run_contract(const contract::Case& contract_case, const std::vector<std::string>& hosts) {
  return contract_case.run([&](const std::vector<contract::NodeBody>& bodies) {
    int running = static_cast<int>(bodies.size());
    run_nodes(
        {full_platform(3, kLink)}, running,
        [&](const PlacedNode& node, Seams seams) {
          bodies[static_cast<std::size_t>(index(node.id))](seams.transport, seams.compute);
          --running;
          while (node.id == kCoordinator && running > 0) seams.transport.receive(Seconds(1));
        },
        {}, hosts);
  });
}

std::string time_of(double seconds) { return format_fixed(seconds, 6); }

/// When a message of `bytes` from node 0 came to node 1.
std::string arrival(std::uint64_t bytes, const std::vector<std::string>& hosts = {}) {
  return in_child([&] {
    double arrived = -1;
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) {
            seams.transport.send(NodeId{1}, sized_message(bytes));
            seams.transport.receive(Seconds(-1));
          } else {
            seams.transport.receive(Seconds(-1));
            arrived = seams.compute.now().count();
            seams.transport.send(kCoordinator, sized_message(1));
          }
        },
        {}, hosts);
    return time_of(arrived);
  });
}

}  // namespace

TEST_CASE("the simulated transport keeps the contract between hosts and within one", "[sim]") {
  for (const auto& contract_case : contract::transport_cases()) {
    DYNAMIC_SECTION(contract_case.name) {
      CHECK(in_child([&] { return run_contract(contract_case, {}); }).empty());
      CHECK(in_child([&] { return run_contract(contract_case, {"h0", "h0", "h0"}); }).empty());
    }
  }
}

TEST_CASE("a message takes latency + size / bandwidth", "[sim]") {
  std::printf("10 ms + 2 MB / 1 MB/s: simulated %s s\n", arrival(2'000'000).c_str());
  CHECK(arrival(2'000'000) == time_of(0.010 + 2.0));  // 2 MB over 1 MB/s
  CHECK(arrival(1) == time_of(0.010001));
}

TEST_CASE("a message within a host takes no time", "[sim]") { CHECK(arrival(2'000'000, {"h0", "h0"}) == time_of(0)); }

TEST_CASE("a small message passes another node's large one, but waits behind its own node's", "[sim]") {
  const std::string heard = in_child([] {
    std::string result;
    run_nodes({full_platform(3, kLink)}, 3, [&](const PlacedNode& node, Seams seams) {
      if (node.id == kCoordinator) {
        result = hear(seams, Seconds(5));
      } else if (index(node.id) == 1) {
        seams.transport.send(kCoordinator, sized_message(2'000'000, 10));
        seams.transport.send(kCoordinator, sized_message(1000, 11));
      } else {
        seams.transport.send(kCoordinator, sized_message(1000, 20));
      }
    });
    return result;
  });
  // Node 2: 0.010 + 0.001. Node 1's two flows share its link: 1 kB at half of it, then 2 MB; both at 0.010 + 2.001.
  CHECK(heard == "0.011 from 2 number 20; 2.011 from 1 number 10; 2.011 from 1 number 11; ");
}

TEST_CASE("large messages from one node to another go one after the other, small ones pass them", "[sim]") {
  const std::string heard = in_child([] {
    std::string result;
    run_nodes({full_platform(3, kLink)}, 3, [&](const PlacedNode& node, Seams seams) {
      if (node.id == kCoordinator) {
        result = hear(seams, Seconds(5));
      } else {
        const int sender = 10 * index(node.id);
        for (const int k : {1, 2}) seams.transport.send(kCoordinator, sized_message(1'000'000, sender + k));
      }
    });
    return result;
  });
  // Each has its link for itself: 0.010 + 1 a message.
  CHECK(heard == "1.01 from 1 number 11; 1.01 from 2 number 21; 2.02 from 1 number 12; 2.02 from 2 number 22; ");
}

TEST_CASE("a large message says how long it was on its way, without what it waited for its turn", "[sim]") {
  const std::string told = in_child([] {
    std::string result;
    run_nodes({full_platform(2, kLink)}, 2, [&](const PlacedNode& node, Seams seams) {
      if (node.id != kCoordinator) {
        for (const std::uint64_t size : {1000, 1'000'000, 2'000'000}) {
          seams.transport.send(kCoordinator, sized_message(size));
        }
        return;
      }
      for (int k = 0; k < 3; ++k) {
        result += time_of(std::get<Envelope>(*seams.transport.receive(Seconds(-1))).took.count()) + " ";
      }
    });
    return result;
  });
  // The small one shares the link with the first large one.
  CHECK(told == "0.000000 " + time_of(0.010 + 1.001) + " " + time_of(0.010 + 2) + " ");
}

TEST_CASE("what waits behind a large message is lost with it, and the next one goes at once", "[sim]") {
  const std::string heard = in_child([] {
    std::string result;
    run_nodes(
        {full_platform(2, kLink)}, 2,
        [&](const PlacedNode& node, Seams seams) {
          if (node.id == kCoordinator) {
            result = hear(seams, Seconds(30));
          } else if (seams.transport.incarnation() == 0) {
            for (const int k : {1, 2, 3}) seams.transport.send(kCoordinator, sized_message(5'000'000, k));
            seams.transport.receive(Seconds(-1));
          } else {
            seams.transport.send(kCoordinator, sized_message(1'000'000, 4));
            seams.transport.receive(Seconds(-1));
          }
        },
        {.limit = Seconds(10)}, {},
        [](Placement& placement) {
          placement.outages.push_back({.host = "h1", .from = Seconds(6), .until = Seconds(20)});
        });
    return result;
  });
  CHECK(heard == "5.01 from 1 number 1; 16 lost 1; 21.01 from 1 number 4; ");
}

TEST_CASE("a lost host is heard of one limit later, by those who knew it, and comes back as another incarnation",
          "[sim]") {
  const std::string profile = "7 0\n40 1\n";
  const std::string heard = in_child([&] {
    std::string known;
    std::string stranger;
    run_nodes({full_platform(3, kLink, {"", kProfile, ""}), profile}, 3,
              [&](const PlacedNode& node, Seams seams) {
                if (index(node.id) == 1) {
                  seams.transport.send(kCoordinator, sized_message(1, seams.transport.incarnation()));
                  seams.transport.receive(Seconds(-1));
                } else if (node.id == kCoordinator) {
                  known = hear(seams, Seconds(9));
                  seams.transport.send(NodeId{1}, sized_message(1));  // to the dead: no answer before the limit
                  known += hear(seams, Seconds(20));
                  seams.transport.send(NodeId{1}, sized_message(1));  // to one known as dead: an answer at once
                  known += hear(seams, Seconds(60));
                } else {
                  stranger = hear(seams, Seconds(59));
                }
              },
              {.limit = Seconds(10)});
    return known + "| " + stranger;
  });
  CHECK(heard == "0.010001 from 1 number 0; 17 lost 1; 20 lost 1; 40.010001 from 1 number 1; | ");
}

TEST_CASE("a host that is back before the limit is told lost before it says hello", "[sim]") {
  const std::string profile = "7 0\n9 1\n";
  const std::string heard = in_child([&] {
    std::string result;
    run_nodes({full_platform(2, kLink, {"", kProfile}), profile}, 2,
              [&](const PlacedNode& node, Seams seams) {
                if (node.id == kCoordinator) {
                  result = hear(seams, Seconds(30));
                } else {
                  seams.transport.send(kCoordinator, sized_message(1, seams.transport.incarnation()));
                  seams.transport.receive(Seconds(-1));
                }
              },
              {.limit = Seconds(10)});
    return result;
  });
  CHECK(heard == "0.010001 from 1 number 0; 9 lost 1; 9.010001 from 1 number 1; ");
}

TEST_CASE("what is on its way from or to a lost host does not arrive", "[sim]") {
  const std::string profile = "1 0\n5 1\n";
  const std::string heard = in_child([&] {
    std::string coordinator;
    std::string second_life;
    run_nodes({full_platform(2, kLink, {"", kProfile}), profile}, 2,
              [&](const PlacedNode& node, Seams seams) {
                const bool first = seams.transport.incarnation() == 0;
                seams.transport.send(NodeId{1 - index(node.id)}, sized_message(first ? 2'000'000 : 1, first ? 1 : 2));
                (node.id == kCoordinator ? coordinator : second_life) = hear(seams, Seconds(20));
              },
              {.limit = Seconds(2)});
    return coordinator + "| " + second_life;
  });
  CHECK(heard == "3 lost 1; 5.010001 from 1 number 2; | ");
}

TEST_CASE("a link that is down for less than the limit delays, for longer it parts its ends", "[sim]") {
  const auto run = [](const std::string& up_again) {
    const std::string profile = "1 0\n" + up_again + " 1\n";
    return in_child([&] {
      std::string result;
      run_nodes({full_platform(2, std::string(kLink) + kProfile), profile}, 2,
                [&](const PlacedNode& node, Seams seams) {
                  if (node.id == kCoordinator) {
                    result = hear(seams, Seconds(40));
                    return;
                  }
                  seams.transport.send(kCoordinator, sized_message(2'000'000, 0));
                  for (std::int32_t again = 1; seams.transport.receive(Seconds(-1)); ++again) {
                    hear(seams, seams.compute.now() + Seconds(4));
                    seams.transport.send(kCoordinator, sized_message(1, again));
                  }
                },
                {.limit = Seconds(10), .period = Seconds(3)});
      return result;
    });
  };
  // Broken at 1, tried again at 4 and at 7, when the link is up: 0.010 + 2 more. Down until 20.5: parted at 11; what
  // the worker sends at 15 and 19 is answered at once, at 23 all is as before.
  CHECK(run("5") == "9.01 from 1 number 0; ");
  CHECK(run("20.5") == "11 lost 1; 23.010001 from 1 number 3; ");
}

TEST_CASE("nodes that knew each other hear of a link that is off, also where nobody sends", "[sim]") {
  const std::string heard = in_child([&] {
    std::string known;
    std::string stranger;
    run_nodes({with_profile(full_platform(3, kLink), "l0-1", "profile"), "1 0\n50 1\n"}, 3,
              [&](const PlacedNode& node, Seams seams) {
                if (index(node.id) == 1) seams.transport.send(kCoordinator, sized_message(1, 0));
                if (node.id == kCoordinator) {
                  known = hear(seams, Seconds(60));
                } else {
                  const std::string told = hear(seams, Seconds(60));
                  if (index(node.id) == 2) stranger = told;
                }
              },
              {.limit = Seconds(10)});
    return known + "| " + stranger;
  });
  CHECK(heard == "0.010001 from 1 number 0; 11 lost 1; | ");
}

TEST_CASE("an idle host that goes off is heard of in time", "[sim]") {
  const std::string heard = in_child([&] {
    std::string known;
    run_nodes({full_platform(2, kLink, {"", kProfile}), "7 0\n"}, 2,
              [&](const PlacedNode& node, Seams seams) {
                if (node.id == kCoordinator) {
                  known = hear(seams, Seconds(60));
                } else {
                  seams.transport.send(kCoordinator, sized_message(1, 0));
                  seams.transport.receive(Seconds(-1));
                }
              },
              {.limit = Seconds(10)});
    return known;
  });
  CHECK(heard == "0.010001 from 1 number 0; 17 lost 1; ");
}

TEST_CASE("bytes and peak use are counted for each link", "[sim]") {
  const std::string links = in_child([] {
    const auto simulated = run_nodes({full_platform(2, kLink)}, 2, [](const PlacedNode& node, Seams seams) {
      if (node.id == kCoordinator) {
        seams.transport.receive(Seconds(-1));
      } else {
        seams.transport.send(kCoordinator, sized_message(2'000'000));
      }
    });
    std::string text;
    for (const LinkFacts& link : simulated.report.links) {
      text += link.name + " " + std::to_string(link.bytes.value) + " " + format_number(link.peak_use);
    }
    return text;
  });
  CHECK(links == "l0-1 2000000 1");
}

}  // namespace dipaco::testing
