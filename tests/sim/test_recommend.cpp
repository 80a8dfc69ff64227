#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// 72 choices, three seeds each.
const std::vector<std::string> kChoices{"charge.steps=100,150,200", "zone:dallas.workers=1..4+1",
                                        "zone:tokyo.workers=1,2", "link:dallas-*.bandwidth=100Mbps,500Mbps,2Gbps"};

Outcome ask(const std::string& command, const fs::path& out, const std::vector<std::string>& more) {
  std::vector<std::string> words{command, DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--learn", "off", "--out", out};
  words.insert(words.end(), {"--progress", "off", "--format", "json", "--repeat", "3"});
  words.insert(words.end(), {"--set", "zone:dallas.jitter=0.05"});
  words.insert(words.end(), more.begin(), more.end());
  return run_built("dipaco-sim", words);
}

std::vector<std::string> with_choices(std::vector<std::string> words) {
  for (const std::string& choice : kChoices) words.insert(words.end(), {"--over", choice});
  return words;
}

/// The least median of a figure among the points whose other figure is below a bound; rows are of one figure each.
double least_of(const nlohmann::json& rows, const std::string& figure, const std::string& other, double below) {
  double least = 1e300;
  for (const auto& row : rows) {
    if (row["figure"] != figure) continue;
    const auto fits = [&](const auto& one) {
      return one["figure"] == other && one["point"] == row["point"] && one["median"] < below;
    };
    if (std::ranges::any_of(rows, fits)) least = std::min(least, row["median"].get<double>());
  }
  return least;
}

}  // namespace

TEST_CASE("what is recommended is the best of all choices, and its files give the figures that it promised",
          "[sim][long]") {
  const TemporaryFolder folder;
  const Outcome all = ask("sweep", folder.path() / "all", with_choices({"--show", "usd", "--show", "simulated_s"}));
  INFO(all.error);
  REQUIRE(all.status == 0);
  const fs::path out = folder.path() / "best";
  const Outcome found = ask("recommend", out, with_choices({"--objective", "usd", "--subject", "simulated_s<1h"}));
  INFO(found.error);
  REQUIRE(found.status == 0);
  const auto told = nlohmann::json::parse(found.output);
  CHECK(told["runs"] <= 216 / 5);
  CHECK(told["missed"].empty());
  const auto best = told["best"];
  const double least = least_of(nlohmann::json::parse(all.output), "usd", "simulated_s", 3600);
  CHECK(least < 1e300);
  CHECK(best[0]["figure"] == "usd");
  CHECK(best[0]["median"] <= 1.02 * least);
  CHECK_FALSE(told["front"].empty());

  const Outcome again = run_built("dipaco-sim", {out / "best.xml", "--run", out / "best.cfg", "--learn", "off", "--out",
                                                 folder.path() / "again", "--format", "json", "--progress", "off"});
  INFO(again.error);
  REQUIRE(again.status == 0);
  const auto summary = nlohmann::json::parse(again.output);
  CHECK(summary["usd"] >= best[0]["low"]);
  CHECK(summary["usd"] <= best[0]["high"]);
}

TEST_CASE("a recommendation that nothing meets ends with status 1 and names the nearest", "[sim]") {
  const TemporaryFolder folder;
  const Outcome none = ask("recommend", folder.path() / "out",
                           {"--over", "charge.steps=100,150", "--objective", "hours", "--subject", "usd<10"});
  CHECK(none.status == 1);
  CHECK_THAT(none.error, Contains("not met by the nearest: usd<10, it is "));
  CHECK(nlohmann::json::parse(none.output)["settings"] == nlohmann::json{"charge.steps=100"});
  const Outcome never =
      ask("recommend", folder.path() / "never",
          {"--over", "charge.steps=100,150", "--objective", "-hours", "--set", "liveness.deadline=11s"});
  CHECK(never.status == 4);
  CHECK_THAT(never.error, Contains("no run has ended; the first: "));
}

TEST_CASE("a recommended scenario is the one that was recommended, however its file is written", "[sim]") {
  const TemporaryFolder folder;
  const fs::path home = folder.path() / "R&D <x>";
  fs::create_directories(home / "traces");
  const std::string traces = DIPACO_SOURCE_DIR "/scenarios/traces/";
  for (const std::string name : {"a100_4.csv", "aws-g4dn_24.csv"}) fs::copy_file(traces + name, home / "traces" / name);
  fs::create_directories(home / "dallas-frankfurt.d");
  write_file(home / "dallas", std::string("a file that has a zone's name"));
  const std::string text = read_text(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml");
  const std::string root = "<zone id=\"wan\" routing=\"Full\">";
  const std::size_t at = text.find(root);
  const auto check = [&](const std::string& before, const std::string& behind) {
    std::string written = text;
    written.replace(at, root.size(), before + root + behind);
    write_file(home / "own.xml", written);
    const fs::path out = folder.path() / "o u't" / std::to_string(before.size() + behind.size());
    const Outcome found = run_built(
        "dipaco-sim",
        {"recommend", home / "own.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/wan_4dc.cfg", "--learn", "off",
         "--out", out, "--progress", "off", "--format", "json", "--objective", "-usd", "--over",
         "zone:dallas.workers=1,2", "--over", "zone:dallas.preemption=traces/a100_4.csv,traces/aws-g4dn_24.csv"});
    INFO(found.error);
    REQUIRE(found.status == 0);
    const auto best = nlohmann::json::parse(found.output)["best"][0];
    const Outcome again =
        run_built("dipaco-sim", {out / "best.xml", "--run", out / "best.cfg", "--learn", "off", "--out",
                                 folder.path() / "again", "--format", "json", "--progress", "off"});
    INFO(again.error);
    REQUIRE(again.status == 0);
    CHECK(nlohmann::json::parse(again.output)["usd"] == best["usd"]);
  };
  check("", "");
  check("<!-- as <zone id=\"old\"> was -->", "");
  check("", "<prop id='changes' value='zone:tokyo.workers=1;\n link:*.latency=9ms;'/>");
  check("", "<prop id=\"changes\" value=\"\"/>");
}

TEST_CASE("a recommendation asks for what is lacking", "[sim]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const Outcome outcome = ask("recommend", folder.path() / "out", more);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.error, Contains(why));
  };
  refused({"--objective", "usd"}, "nothing to choose from; add --over");
  refused({"--over", "charge.steps=100,150"}, "--objective: name a figure of summary.json");
  refused({"--over", "charge.steps=100,150", "--objective", "simulatd_s"}, "did you mean \"simulated_s\"?");
  refused({"--over", "charge.steps=100,150", "--objective", "usd_per_target"}, "nothing is learned there");
  refused({"--over", "charge.steps=100,150", "--objective", "usd", "--subject", "usd_per_target<3"},
          "--subject usd_per_target and --learn off: nothing is learned there");
  refused({"--over", "charge.steps=100,150", "--objective", "usd", "--subject", "usd=3"}, "is no condition");
  refused({"--over", "charge.steps=100,150", "--objective", "usd", "--runs", "2"}, "--runs");
  refused({"--over", "charge.steps=100,150", "--objective", "hours", "--subject", "hours<2"}, "simulated_s<2h");
  refused({"--over", "zone:dallas.workers=1,2", "--set", "zone:dallas.workers=3", "--objective", "usd"}, "is beside");
  refused({"--over", "zone:wan.changes=zone:dallas.workers=1", "--objective", "usd"}, "each of the changes by itself");
}

TEST_CASE("a recommendation of the least hours or dollars says which of the keys train for less", "[sim]") {
  const TemporaryFolder folder;
  const std::string why = "note: the choices of charge.steps train for different amounts of tokens";
  const auto said = [&](const std::string& out, const std::vector<std::string>& more) {
    return ask("recommend", folder.path() / out, more).error;
  };
  const auto with_steps = [&](const std::string& out, std::vector<std::string> words) {
    words.insert(words.end(), {"--over", "charge.steps=100,150", "--over", "zone:dallas.workers=1,2"});
    return said(out, words);
  };
  CHECK_THAT(with_steps("a", {"--objective", "hours"}), Contains(why) && Contains("'validation_perplexity<N'"));
  CHECK_THAT(with_steps("b", {"--objective", "usd", "--subject", "goodput>0"}), Contains(why));
  CHECK_THAT(with_steps("c", {"--objective", "-goodput", "--runs", "12"}), !Contains("note:"));
  CHECK_THAT(with_steps("d", {"--objective", "usd", "--subject", "validation_perplexity<60"}), !Contains("note:"));
  CHECK_THAT(said("e", {"--objective", "usd", "--over", "zone:dallas.workers=1,2"}), !Contains("note:"));
}

TEST_CASE("a sensitivity changes each key alone, and has what moves the figure most first", "[sim][long]") {
  const TemporaryFolder folder;
  const Outcome told = ask("sensitivity", folder.path() / "out",
                           {"--of", "simulated_s", "--over", "outer.outer_gradient_format=int8", "--over",
                            "charge.steps=100,150,200", "--over", "link:dallas-*.bandwidth=1Gbps"});
  INFO(told.error);
  REQUIRE(told.status == 0);
  const auto rows = nlohmann::json::parse(told.output);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["key"] == "charge.steps");
  CHECK(rows[0]["least_at"] == "100");
  CHECK(rows[0]["greatest_at"] == "200");
  for (std::size_t k = 1; k < 3; ++k) {
    CHECK(rows[k]["swing"] <= rows[k - 1]["swing"]);
    CHECK((rows[k]["least_at"] == "as it is" || rows[k]["greatest_at"] == "as it is"));
  }
  for (const auto& row : rows) CHECK(row["swing_low"] <= row["swing_high"]);
  CHECK(rows[0]["swing_low"] > 0);  // twice the inner steps take longer with each seed
  const Outcome ends = ask("sensitivity", folder.path() / "ends",
                           {"--of", "hours", "--over", "charge.steps=150,200", "--over", "liveness.deadline=11s"});
  const auto deadly = nlohmann::json::parse(ends.output);
  REQUIRE(deadly.size() == 2);
  CHECK(deadly[0]["key"] == "liveness.deadline");
  CHECK(deadly[0]["did_not_end_at"] == "11s");
  const Outcome unknown = ask("sensitivity", folder.path() / "out", {"--of", "usdd", "--over", "charge.steps=100"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.error, Contains("--of usdd: no run has this figure") && Contains("did you mean \"usd\"?"));
}

TEST_CASE("a scenario's own changes count before those of the command line, and a wrong one names its line", "[sim]") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "changed.xml";
  const auto simulate = [&](const std::string& changes, const std::vector<std::string>& more) {
    std::string text = read_text(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml");
    const std::string run = "value=\"runs/wan_4dc.cfg\"/>";
    const std::size_t at = text.find(run);
    text.replace(
        at, run.size(),
        "value=\"" DIPACO_SOURCE_DIR "/scenarios/runs/wan_4dc.cfg\"/><prop id=\"changes\" value=\"" + changes + "\"/>");
    for (std::size_t trace = text.find("\"traces/"); trace != std::string::npos; trace = text.find("\"traces/")) {
      text.replace(trace, 1, "\"" DIPACO_SOURCE_DIR "/scenarios/");
    }
    write_file(file, text);
    std::vector<std::string> words{file, "--learn", "off", "--out", folder.path() / "out", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_built("dipaco-sim", words);
  };
  const auto workers = [](const Outcome& outcome) {
    INFO(outcome.error);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.output)["workers"].get<int>();
  };
  CHECK(workers(simulate("zone:dallas.workers=2; link:*.latency=9ms", {})) == 8);
  CHECK(workers(simulate("zone:dallas.workers=2", {"--set", "zone:dallas.workers=3"})) == 9);
  const Outcome wrong = simulate("zone:dalas.workers=2", {});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.error, Contains("did you mean \"dallas\"?"));
  CHECK_THAT(simulate("dallas", {}).error, Contains("changed.xml:43: changes: dallas: write link:"));
}

}  // namespace dipaco::testing
