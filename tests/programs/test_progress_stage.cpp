#include <catch2/catch.hpp>
#include <string>

#include "programs/shared/progress_stage.hpp"

namespace dipaco {
namespace {

std::string bar_after(ProgressStage stage, double seconds) {
  return stage.bar_line(std::chrono::duration<double>(seconds));
}

}  // namespace

TEST_CASE("a stage's plain line has its count, its total where that is known, and its detail", "[programs]") {
  CHECK(ProgressStage{.name = "tokens", .done = 7}.plain_line() == "tokens 7");
  CHECK(ProgressStage{.name = "training", .done = 4, .total = 40}.plain_line() == "training 4/40");
  CHECK(ProgressStage{.name = "training", .done = 4, .total = 40, .detail = "loss 3.2"}.plain_line() ==
        "training 4/40, loss 3.2");
}

TEST_CASE("a stage counts its tenths, and none where its end is not known", "[programs]") {
  CHECK(ProgressStage{.done = 0, .total = 40}.tenth() == 0);
  CHECK(ProgressStage{.done = 7, .total = 40}.tenth() == 1);  // 10 x 7 / 40 = 1.75
  CHECK(ProgressStage{.done = 40, .total = 40}.tenth() == 10);
  CHECK(ProgressStage{.done = 1000}.tenth() == 0);
}

TEST_CASE("the time left is that of what is still to be done, at the pace since the stage began", "[programs]") {
  // 5 of its 15 in 100 s: 20 s each, and 10 are left.
  CHECK(bar_after({.name = "outer steps", .first_done = 5, .done = 10, .total = 20}, 100) ==
        "outer steps [##########..........] 10/20, 3:20 left");
  // 1 of 4 in an hour: three are left.
  CHECK(bar_after({.name = "outer steps", .done = 1, .total = 4, .detail = "loss 4"}, 3600) ==
        "outer steps [#####...............] 1/4, loss 4, 3:00:00 left");
}

TEST_CASE("a line that is too long for the screen loses the end of its detail, not the time left", "[programs]") {
  const ProgressStage stage{
      .name = "tasks", .done = 64, .total = 120, .detail = "outer step 15, loss 3.175, elapsed 144.5 s"};
  const std::chrono::seconds lasted(64);  // a second each, and 56 are left
  CHECK(stage.bar_line(lasted, 100) ==
        "tasks [##########..........] 64/120, outer step 15, loss 3.175, elapsed 144.5 s, 0:56 left");
  CHECK(stage.bar_line(lasted, 79) == "tasks [##########..........] 64/120, outer step 15, loss 3.175, 0:56 left");
  CHECK(stage.bar_line(lasted, 61) == "tasks [##########..........] 64/120, outer step 15, 0:56 left");
  CHECK(stage.bar_line(lasted, 50) == "tasks [##########..........] 64/120, 0:56 left");
  CHECK(stage.bar_line(lasted, 10) == "tasks [###");
}

TEST_CASE("a stage at its begin or its end, or without a known end, says no time left", "[programs]") {
  CHECK(bar_after({.name = "training", .first_done = 1, .done = 1, .total = 2}, 9) ==
        "training [##########..........] 1/2");
  CHECK(bar_after({.name = "training", .done = 2, .total = 2}, 9) == "training [####################] 2/2");
  CHECK(bar_after({.name = "tokens", .done = 3}, 9) == "tokens 3");
}

TEST_CASE("a stage that did more than its total has a full bar", "[programs]") {
  CHECK(bar_after({.name = "training", .done = 5, .total = 4}, 9) == "training [####################] 5/4");
}

}  // namespace dipaco
