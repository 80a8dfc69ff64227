#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "programs/shared/progress.hpp"

using namespace dipaco;

namespace {

int no_terminal() { return 0; }
int eighty_columns() { return 80; }

/// The longest of what was written from one carriage return to the next.
std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (auto at = text.find('\r'); at != std::string::npos; at = text.find('\r', at + 1)) {
    most = std::max(most, text.find_first_of("\r\n", at + 1) - at - 1);
  }
  return most;
}

}  // namespace

TEST_CASE("a pipe gets a line at a stage's begin, at each tenth and at its end", "[programs]") {
  std::ostringstream out;
  Progress progress(out, ProgressMode::automatic, no_terminal);
  for (int step = 0; step <= 40; ++step) progress.show("training", step, 40, step == 40 ? "loss 3.2" : "");
  progress.finish();
  CHECK(out.str() ==
        "training 0/40\ntraining 4/40\ntraining 8/40\ntraining 12/40\ntraining 16/40\ntraining 20/40\n"
        "training 24/40\ntraining 28/40\ntraining 32/40\ntraining 36/40\ntraining 40/40, loss 3.2\n");
}

TEST_CASE("a stage without a known end gets a line at its begin and at its end", "[programs]") {
  std::ostringstream out;
  Progress progress(out, ProgressMode::automatic, no_terminal);
  for (int document = 0; document < 1000; ++document) progress.show("tokens", document, 0);
  progress.show("training", 0, 2);
  CHECK(out.str() == "tokens 0\ntokens 999\ntraining 0/2\n");
}

TEST_CASE("a terminal gets one line that is written again and fits 80 columns", "[programs]") {
  std::ostringstream out;
  Progress progress(out, ProgressMode::automatic, eighty_columns);
  progress.show("training", 0, 2, std::string(200, 'x'));
  progress.show("training", 2, 2, "loss 3.2");
  progress.finish();
  std::string text = out.str();
  CHECK(text.find("\rtraining [####################] 2/2, loss 3.2 ") != std::string::npos);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(widest(text) == 79);
}

TEST_CASE("a narrow terminal's line is cut to what fits, and one that is made narrower on the way too", "[programs]") {
  static int columns = 40;
  std::ostringstream out;
  Progress progress(out, ProgressMode::automatic, [] { return columns; });
  progress.show("training", 0, 2, std::string(200, 'x'));
  columns = 20;
  progress.finish();
  CHECK(widest(out.str()) == 39);
  CHECK_THAT(out.str(), Catch::EndsWith("\rtraining [.........\n"));
}

TEST_CASE("progress that is off writes nothing", "[programs]") {
  std::ostringstream out;
  Progress progress(out, ProgressMode::off, eighty_columns);
  progress.show("training", 1, 2);
  progress.finish();
  CHECK(out.str().empty());
}

TEST_CASE("progress that is on is a bar on a pipe, too", "[programs]") {
  std::ostringstream out;
  Progress progress(out, ProgressMode::on, no_terminal);
  progress.show("training", 1, 2);
  CHECK_THAT(out.str(), Catch::StartsWith("\rtraining [##########..........] 1/2"));
}
