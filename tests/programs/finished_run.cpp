#include "tests/programs/finished_run.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/support/made_up_text.hpp"

namespace dipaco::testing {

FinishedTestRun::FinishedTestRun(const std::vector<std::string>& set) {
  ::setenv("DIPACO_CACHE", file("cache").c_str(), 1);
  write_file(file("corpus.jsonl"), to_jsonl(made_up_text({})));
  write_file(file("a.cfg"),
             "[model]\nblocks=2\nhidden=16\nheads=2\nhead_size=8\nvocabulary=300\nsequence=48\n"
             "[topology]\nlevels=2x2\n[data]\ntrain=corpus.jsonl\nvalidation_fraction=0.2\nholdout_fraction=0.3\n"
             "[pretrain]\nsteps=4\n[routing]\nprefix=8\n[inner]\nsteps=3\nbatch=2\nwarmup=1\n[outer]\nsteps=4\n"
             "[evaluate]\ndense_equal_steps=off\n");
  std::vector<std::string> arguments{"--backend=loopback", "--run",       file("a.cfg").string(), "--out", folder(),
                                     "--workers=1",        "--threads=1", "--progress=off"};
  for (const std::string& one : set) arguments.push_back("--set=" + one);
  const Outcome outcome = run_built("dipaco-run", arguments);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
}

Outcome FinishedTestRun::dipaco(std::vector<std::string> command, const std::vector<std::string>& more) const {
  command.insert(command.end(), {folder(), "--threads=1"});
  command.insert(command.end(), more.begin(), more.end());
  return run_built("dipaco", command);
}

nlohmann::json evaluated(const FinishedTestRun& run, std::vector<std::string> more) {
  more.emplace_back("--format=json");
  const Outcome outcome = run.dipaco({"evaluate"}, more);
  INFO(outcome.error);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.output);
}

void check_evaluation_fails(const FinishedTestRun& run, int status, const std::string& why,
                            const std::vector<std::string>& more) {
  const Outcome outcome = run.dipaco({"evaluate"}, more);
  CHECK(outcome.status == status);
  CHECK_THAT(outcome.error, Catch::Contains(why));
  CHECK(outcome.output.empty());
}

}  // namespace dipaco::testing
