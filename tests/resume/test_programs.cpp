// dipaco-run and dipaco-sim are killed, and go on by --resume.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

using Words = std::vector<std::string>;

constexpr const char* kRun = DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg";

[[maybe_unused]] constexpr const char* kCorpus = DIPACO_SOURCE_DIR "/scenarios/corpus/";

/// Two machines at two sites, of which one fails now and then.
constexpr const char* kScenario = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full"><prop id="workers" value="all"/>
<host id="a" speed="100Mf"/><host id="b" speed="100Mf"><prop id="mtbf" value="60s"/><prop id="mttr" value="20s"/></host>
<link id="l" bandwidth="1MBps" latency="1ms"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
)";

constexpr std::int64_t kStart = 300;  ///< milliseconds that a program takes before it computes

/// DIPACO_KILLS of the environment, for a longer run of these tests, or `usual`.
[[maybe_unused]] int kills_wanted(int usual) {
  const char* const text = std::getenv("DIPACO_KILLS");
  return text == nullptr ? usual : static_cast<int>(parse_integer(text).value_or(usual));
}

Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

nlohmann::json summary_of(const std::filesystem::path& folder) {
  return nlohmann::json::parse(read_text(folder / "summary.json"));
}

/// A program's run in a folder of its own, killed so many times at drawn moments, or until it ends.
class KilledRun {
 public:
  /// @param always  arguments of every process; `first`: of the one that begins the run
  KilledRun(std::string program, Words always, Words first)
      : program_(std::move(program)), always_(std::move(always)), first_(std::move(first)) {
    const auto cache = (cache_.path() / "cache").string();
    ::setenv("DIPACO_CACHE", cache.c_str(), 1);
  }

  nlohmann::json undisturbed() {
    const auto folder = cache_.path() / "undisturbed";
    for (int k = 0; k < 2; ++k) {  // the first one prepares
      const auto began = std::chrono::steady_clock::now();
      const Outcome outcome = run_built(program_, joined(joined(always_, first_), {"--out", folder}));
      CAPTURE(outcome.error);
      REQUIRE(outcome.status == 0);
      took_ = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    }
    return summary_of(folder);
  }

  nlohmann::json killed(int kills) {
    const auto folder = cache_.path() / "killed";
    // Long enough that most processes get somewhere, short enough that the run does not end before the last kill.
    const auto longest =
        static_cast<std::uint64_t>(kStart + 2 * std::max<std::int64_t>(took_.count() - kStart, 0) / (kills + 1));
    int done = 0;
    for (int process = 0;; ++process) {
      const bool begun = std::filesystem::exists(folder / "state" / "run");
      const Words words = joined(always_, begun ? Words{"--resume", folder} : joined(first_, {"--out", folder}));
      const auto time = std::chrono::milliseconds(
          done < kills ? draw_below(longest, 5, Draw::jitter, static_cast<std::uint64_t>(process)) : 1'000'000);
      const Outcome outcome = run_for(time, program_, words);
      CAPTURE(outcome.error, process, time.count());
      if (outcome.status == 0) break;
      REQUIRE(outcome.status == 128 + SIGKILL);
      ++done;
    }
    std::cout << program_ << ": " << done << " kills" << std::endl;
    CHECK_FALSE(std::filesystem::exists(folder / "state"));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      CHECK(entry.path().extension() != ".part");
    }
    return summary_of(folder);
  }

 private:
  std::string program_;
  Words always_;
  Words first_;
  TemporaryFolder cache_;
  std::chrono::milliseconds took_{};
};

[[maybe_unused]] std::string outer_steps(int kills) { return "outer.steps=" + std::to_string(6 * kills + 12); }

}  // namespace

#ifndef DIPACO_NO_NN  // without the trainer nothing is learned
TEST_CASE("dipaco-run killed at random moments ends with the parameters of an undisturbed run", "[resume][learn]") {
  const int kills = kills_wanted(5);
  KilledRun run("dipaco-run", {"--backend", "loopback", "--workers", "2", "--progress", "off"},
                {"--run", kRun, "--set", outer_steps(kills), "--set", "evaluate.dense_equal_steps=off"});
  const auto undisturbed = run.undisturbed();
  const auto killed = run.killed(kills);
  CHECK(killed["parameters_hash"] == undisturbed["parameters_hash"]);
  CHECK(killed["validation_perplexity"] == undisturbed["validation_perplexity"]);
}

TEST_CASE("dipaco-sim killed at random moments leaves the summary of an undisturbed run", "[resume][learn]") {
  const int kills = kills_wanted(4);
  const TemporaryFolder folder;
  write_file(folder.path() / "two.xml", kScenario);
  KilledRun run("dipaco-sim", {folder.path() / "two.xml", "--progress", "off"},
                {"--run", kRun, "--set", outer_steps(kills), "--set", "evaluate.dense_equal_steps=off", "--set",
                 "evaluate.every=5"});
  auto undisturbed = run.undisturbed();
  auto killed = run.killed(kills);
  CHECK(undisturbed["tasks_requeued"] >= 1);
  for (const char* own : {"wall_s", "peak_rss_bytes"}) {
    undisturbed.erase(own);
    killed.erase(own);
  }
  CHECK(killed.dump(1) == undisturbed.dump(1));
}

TEST_CASE("a stopped simulation goes on with the same scenario and run file only", "[resume][learn]") {
  const TemporaryFolder folder;
  ::setenv("DIPACO_CACHE", (folder.path() / "cache").c_str(), 1);
  const std::string scenario = folder.path() / "two.xml";
  const std::string out = folder.path() / "out";
  write_file(scenario, kScenario);
  const Words begin{scenario, "--run", kRun, "--set", "outer.steps=12", "--set", "evaluate.dense_equal_steps=off",
                    "--out",  out};
  const Outcome stopped = run_until("tasks ", SIGINT, "dipaco-sim", begin);
  CHECK(stopped.status == 130);
  CHECK_THAT(stopped.error, Contains("go on with dipaco-sim " + scenario + " --resume " + out));
  const auto refused = [](const Words& words, const std::string& why) {
    const Outcome outcome = run_built("dipaco-sim", words);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.error, Contains(why));
  };
  refused(begin, "holds a run that has not finished; go on with --resume " + out);
  refused({scenario, "--resume", out, "--set", "evaluate.every=2"}, "another configuration (evaluate.every)");
  refused({scenario, "--resume", out, "--seed", "5"}, "(run.seed: 1 then, 5 now)");
  refused({scenario, "--resume", out, "--cfg=network/model:LV08"}, "was begun with another --cfg or --without");
  write_file(scenario, kScenario + std::string("\n"));
  refused({scenario, "--resume", out}, "was begun with another scenario");
  write_file(scenario, kScenario);
  CHECK(run_built("dipaco-sim", {scenario, "--resume", out}).status == 0);
  CHECK(summary_of(out)["tasks_completed"] == 48);
  CHECK(run_built("dipaco-sim", begin).status == 0);  // over a run that has finished
}

TEST_CASE("a stopped simulation goes on with the same files only, and names the one that has changed",
          "[resume][learn]") {
  const TemporaryFolder folder;
  ::setenv("DIPACO_CACHE", (folder.path() / "cache").c_str(), 1);
  std::string text = kScenario;
  const std::string link = "latency=\"1ms\"/>";
  text.replace(text.find(link), link.size(),
               "latency=\"1ms\"><prop id=\"bandwidth_over_time\" value=\"line.csv\"/></link>");
  const std::string scenario = folder.path() / "two.xml";
  const auto line = folder.path() / "line.csv";
  const auto corpus = folder.path() / "own.jsonl.gz";
  write_file(scenario, text);
  write_file(line, std::string("time_s,bandwidth\n0,8Mbps\n"));
  std::filesystem::copy_file(kCorpus + std::string("web-c4.jsonl.gz"), corpus);
  const std::string out = folder.path() / "out";
  const std::string pattern = folder.path() / "own*.jsonl.gz";
  const std::string train = "data.train=" + pattern + "," + kCorpus + "fiction-de.jsonl.gz";
  const Outcome stopped = run_until("tasks ", SIGINT, "dipaco-sim",
                                    {scenario, "--run", kRun, "--set", "outer.steps=12", "--set", train, "--set",
                                     "evaluate.dense_equal_steps=off", "--out", out});
  CAPTURE(stopped.error);
  REQUIRE(stopped.status == 130);
  for (const auto& file : {line, corpus}) {
    const std::string before = read_text(file);
    write_file(file, before + "\n");
    const Outcome refused = run_built("dipaco-sim", {scenario, "--resume", out});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.error, Contains(file.filename().string() + " has changed since " + out + " was begun"));
    write_file(file, before);
  }
  const auto more = folder.path() / "own-too.jsonl.gz";
  std::filesystem::copy_file(corpus, more);
  const Outcome refused = run_built("dipaco-sim", {scenario, "--resume", out});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.error, Contains("the list of files that " + pattern + " names has changed since " + out));
  std::filesystem::remove(more);
  CHECK(run_built("dipaco-sim", {scenario, "--resume", out}).status == 0);
}
#endif

TEST_CASE("a stopped run says how to resume it, and refuses what would lose or change it", "[resume]") {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out";
  const Words common{"--backend", "loopback", "--learn", "off", "--workers", "2"};
  const auto run = [&](const Words& more) { return run_built("dipaco-run", joined(common, more)); };
  const auto refused = [](const Outcome& outcome, const std::string& why) {
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.error, Contains(why));
  };
  refused(run({"--resume", out}), "out: there is no such folder; --resume takes the --out folder of an earlier run");
  const Words begin{"--run", kRun, "--set", "outer.steps=200", "--out", out};
  const Outcome stopped = run_until("outer step 1", SIGTERM, "dipaco-run", joined(common, begin));
  CHECK(stopped.status == 143);
  CHECK_THAT(stopped.error, Contains("go on with dipaco-run --backend loopback --resume " + out));
  refused(run(begin), "holds a run that has not finished; go on with --resume " + out);
  refused(run({"--resume", out, "--set", "inner.batch=8"}), "(inner.batch: 4 then, 8 now)");
  refused(run({"--resume", out, "--run", kRun}), "(outer.steps: 200 then, 3 now)");
  refused(run({"--resume", out, "--out", out}), "leave out --out");
  write_file(folder.path() / "two.xml", kScenario);
  refused(run_built("dipaco-sim", {folder.path() / "two.xml", "--resume", out}), "resume it with dipaco-run");
  const int other = ::open((out + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(other, LOCK_EX) == 0);
  refused(run({"--resume", out}), "is in use by another process");
  ::close(other);
  const Outcome resumed = run_built(
      "dipaco-run", {"--backend", "loopback", "--resume", out, "--set", "liveness.limit=20s", "--workers", "3"});
  CAPTURE(resumed.error);
  CHECK(resumed.status == 0);
  const auto summary = summary_of(out);
  CHECK(summary["run"] == "tiny");
  CHECK(summary["resumed_from_outer_step"] > 0);
  CHECK(summary["tasks_completed"] < 800);
  const Outcome again = run({"--resume", out, "--format", "json"});
  CHECK(again.status == 0);
  CHECK_THAT(again.error, Contains("has finished: nothing is left to do"));
  CHECK(nlohmann::json::parse(again.output) == summary);
  std::filesystem::remove(out + "/summary.json");
  refused(run({"--resume", out}), "has nothing to go on from");
  std::filesystem::remove(out + "/run.cfg");
  refused(run({"--resume", out}), "run.cfg is missing");
}

}  // namespace dipaco::testing
