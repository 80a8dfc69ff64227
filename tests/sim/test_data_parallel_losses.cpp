// Data-parallel training whose machines, lines and stores come and go.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "tests/sim/data_parallel.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {

TEST_CASE("a job that shrinks loses the step under way, and gives who comes back its state", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(4, 100);
    options.gradients = Bytes{64};  // sums take their latencies alone
    const DataParallelReport report = train({4}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h3", Seconds(10.5), Seconds(20.25)});
    });
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost + report.steps_redone) + " " +
           format_fixed(report.recovering.count(), 2) + " " + format_fixed(report.duration.count(), 1);
  });
  // Ten steps of 1.012 s with four; at 10.5 s one goes. Steps of 1.341 s with three: eight until it is there again, at
  // 21.23 s. Its state takes 0.72 s. The other 82 take 82.98 s.
  CHECK(text == "1 1 0.72 104.9");
}

TEST_CASE("who comes while another one gets the state gets it afterwards", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(3, 20);
    options.gradients = Bytes{64};
    const DataParallelReport report = train({3}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h1", Seconds(5), Seconds(10)});
      placement.outages.push_back({"s0-h2", Seconds(5), Seconds(11.5)});
    });
    return std::to_string(report.losses) + " " + format_fixed(report.recovering.count(), 2);
  });
  // The first one gets it from 11.02 s on, at the end of a step of 3 s, until 11.74 s.
  CHECK(text == "2 1.44");
}

TEST_CASE("a job that restarts waits for all machines and begins again at its last checkpoint", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(4, 20);
    options.gradients = Bytes{64};
    options.on_loss = OnLoss::restart;
    options.interval = Seconds(4);
    const DataParallelReport report = train({4}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h3", Seconds(12), Seconds(32)});
    });
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost + report.steps_redone) + " " +
           std::to_string(report.checkpoints) + " " + format_fixed(report.waiting.count(), 1) + " " +
           format_fixed(report.recovering.count(), 2) + " " + format_fixed(report.duration.count(), 1);
  });
  // Four steps of 1.012 s and a checkpoint of 0.722 s, twice: 9.54 s. Two steps more, and one under way, are lost. All
  // are there again at 32 s; the state takes 0.722 s to one, and 2.16 s from there to three. 12 steps, two checkpoints.
  CHECK(text == "1 3 4 20.0 2.88 48.5");
}

TEST_CASE("a job all of whose machines go begins again at its last checkpoint once one is there", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(2, 20);
    options.gradients = Bytes{64};
    options.interval = Seconds(4);
    const DataParallelReport report = train({2}, options, [](Placement& placement) {
      placement.outages.push_back({"s0-h0", Seconds(8), Seconds(30)});
      placement.outages.push_back({"s0-h1", Seconds(8), Seconds(100)});
    });
    Seconds busy{};
    for (const auto& [host, times] : report.busy) busy += Intervals::merged(times).total();
    return std::to_string(report.losses) + " " + std::to_string(report.steps_lost + report.steps_redone) + " " +
           std::to_string(report.checkpoints) + " " + format_fixed(report.waiting.count(), 1) + " " +
           format_fixed(busy.count(), 0) + " " + format_fixed(report.duration.count(), 1);
  });
  // Four steps of 1.004 s with both and a checkpoint of 0.722 s; three more, and one is under way at 8 s. From
  // 30 s on, 16 steps of 2 s with one, and seven checkpoints. Both compute for 7 s: 14 + 32 s.
  CHECK(text == "2 4 8 22.0 46 67.8");
}

TEST_CASE("nobody waits for the start-up of a machine that comes back", "[sim]") {
  const auto told_of = [](OnLoss on_loss) {
    return in_child([&] {
      DataParallelOptions options = options_for(2, 30);
      options.gradients = Bytes{64};
      options.on_loss = on_loss;
      const DataParallelReport report = train({2}, options, [](Placement& placement) {
        for (PlacedNode& node : placement.nodes) node.charges.start_up = Seconds(20);
        placement.outages.push_back({"s0-h1", Seconds(5), Seconds(10)});
      });
      return format_fixed(report.waiting.count(), 1) + " " + format_fixed(report.duration.count(), 1);
    });
  };
  // Four steps of 1.004 s, then 12.5 steps of 2 s until 30 s; the state takes 0.72 s; 13 steps with both.
  CHECK(told_of(OnLoss::shrink) == "0.0 44.8");
  // It waits from 5 to 30 s, and begins at the start, which all have.
  CHECK(told_of(OnLoss::restart) == "25.0 60.1");
}

TEST_CASE("without a store that is there no checkpoint is written, and none is gone on from", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    DataParallelOptions options = options_for(2, 200);
    options.gradients = Bytes{64};
    options.interval = Seconds(10);
    options.deadline = Seconds(500);
    try {
      train({2, 1}, options, [](Placement& placement) {
        placement.nodes[1].host = "s1-h0";  // the store's
        std::erase_if(placement.nodes,
                      [](const PlacedNode& node) { return node.role == Role::worker && node.host == "s1-h0"; });
        placement.outages.push_back({"s1-h0", Seconds(25), std::nullopt});
        for (const char* host : {"s0-h0", "s0-h1"}) placement.outages.push_back({host, Seconds(40), Seconds(50)});
      });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  INFO(text);
  CHECK(text.starts_with("4 no step beyond step"));
}

TEST_CASE("a job whose coordinator's host goes off ends with that", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    try {
      train({2}, options_for(2, 200), [](Placement& placement) {
        placement.outages.push_back({"home", Seconds(25), std::nullopt});
      });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  CHECK(text == "5 the coordinator's host, home, went off, which sees to the job");
}

TEST_CASE("an interval that is longer than the job writes no checkpoint", "[sim]") {
  const std::string text = in_child([] {
    DataParallelOptions options = options_for(2, 20);
    options.interval = Seconds(1e300);
    return std::to_string(train({2}, options).checkpoints);
  });
  CHECK(text == "0");
}

TEST_CASE("a job whose machines are never all there is given up", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    DataParallelOptions options = options_for(4, 20);
    options.on_loss = OnLoss::restart;
    try {
      train({4}, options, [](Placement& placement) {
        placement.outages.push_back({"s0-h3", Seconds(5), std::nullopt});
      });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  INFO(text);
  CHECK(text.starts_with("4 no step in 1 d 00 h: 3 of 4 machines are there, and the job needs all"));
}

TEST_CASE("a job that loses as much as it does again and again is given up", "[sim]") {
  const std::string text = in_child([]() -> std::string {
    DataParallelOptions options = options_for(4, 2000);
    options.gradients = Bytes{64};
    options.on_loss = OnLoss::restart;
    options.interval = Seconds(1000);
    options.deadline = Seconds(20'000);
    try {
      train({4}, options, [](Placement& placement) { fail_now_and_then(placement, Seconds(100)); });
    } catch (const RunError& error) {
      return std::to_string(error.exit_status()) + " " + error.what();
    }
    return "it ended";
  });
  INFO(text);
  CHECK(text.starts_with("4 no step beyond step"));
}

}  // namespace dipaco::testing
