// What `dipaco evaluate` reads, and what it says of files that are not the run's.

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/config/named_parts.hpp"
#include "core/config/run_file.hpp"
#include "core/routing/random_router.hpp"
#include "tests/programs/finished_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;
using nlohmann::json;

/// Changes a file of the model for as long as it lives.
class Changed {
 public:
  explicit Changed(std::filesystem::path file) : file_(std::move(file)), bytes_(read_file(file_)) {}
  ~Changed() { write_file(file_, bytes_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::filesystem::path file_;
  std::vector<std::byte> bytes_;
};

void change_fact(const std::filesystem::path& file, const std::string& fact, const std::string& value) {
  Checkpoint checkpoint = decode_checkpoint(read_file(file), file.string());
  checkpoint.facts[fact] = value;
  write_file(file, encode(checkpoint));
}

/// Makes of it what a program leaves that brought a policy without rounds and an optimizer.
void make_without_rounds(const FinishedTestRun& run) {
  const std::filesystem::path file = std::filesystem::path(run.folder()) / "run.cfg";
  std::string text = read_text(file);
  const auto write = [&text](const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  };
  write("policy=synchronous", "policy=half");
  write("optimizer=auto", "optimizer=lion");
  write_file(file, text);
  NamedParts parts;
  parts.policies.push_back({.name = "half", .make = parts.policies.front().make});
  parts.optimizers.push_back({.name = "lion"});
  const std::string hash = config_hash(read_run_file(file, {}, parts));
  const std::filesystem::path summary = std::filesystem::path(run.folder()) / "summary.json";
  json facts = json::parse(read_text(summary));
  facts["config_hash"] = hash;
  write_file(summary, facts.dump());
  for (const char* name : {"module-0.0", "module-0.1", "module-1.0", "module-1.1"}) {
    change_fact(run.model(name), "config", hash);
    change_fact(run.model(name), "version", "6");
    change_fact(run.model(name), "owner", "2");
  }
}

}  // namespace

TEST_CASE("early stopping leaves versions of paths that are not the last, and evaluate reads them", "[programs]") {
  const FinishedTestRun run({"evaluate.early_stopping=on", "inner.learning_rate=0.5"});
  // With such a rate the loss on the hold-outs rises from some outer step on.
  CHECK_THAT(read_text(run.model("paths")), !Contains("0 4\n1 4\n2 4\n3 4\n"));
  const double best = evaluated(run)["perplexity"];
  {
    const Changed paths(run.model("paths"));
    write_file(run.model("paths"), "0 4\n1 4\n2 4\n3 4\n");
    CHECK(evaluated(run)["perplexity"] != best);
    std::filesystem::remove(run.model("paths"));
    check_evaluation_fails(run, 3, "paths");
  }
  CHECK(evaluated(run)["perplexity"] == best);
}

TEST_CASE("dipaco evaluate refuses what is no finished run, and says why", "[programs]") {
  const FinishedTestRun run;
  const Outcome none = run_built("dipaco", {"evaluate"});
  CHECK(none.status == 2);
  CHECK_THAT(none.error, Contains("name the --out folder of a run"));
  const Outcome elsewhere = run_built("dipaco", {"evaluate", run.file("").string()});
  CHECK(elsewhere.status == 2);
  CHECK_THAT(elsewhere.error, Contains("run.cfg is missing"));
  const auto mark = run.file("run") / "state" / "run";
  write_file(mark, "");
  check_evaluation_fails(run, 2, "the run has not finished; go on with --resume");
  std::filesystem::remove(mark);
  std::filesystem::rename(run.model(""), run.file("model"));
  check_evaluation_fails(run, 2, "before there was anything to go on from; begin it anew");
  const std::string whole = read_text(run.file("run") / "summary.json");
  write_file(run.file("run") / "summary.json", R"({"learned": false, "finished": true})");
  check_evaluation_fails(run, 2, "the run learned nothing (--learn off), so it has no modules; begin one without");
  write_file(run.file("run") / "summary.json", R"({"learned": true, "finished": false})");
  check_evaluation_fails(run, 2, "the run ended for want of progress and left no model; its summary.json says why");
  write_file(run.file("run") / "summary.json", whole);
  std::filesystem::rename(run.file("model"), run.model(""));
  std::filesystem::rename(run.file("run") / "summary.json", run.file("kept"));
  check_evaluation_fails(run, 3, "summary.json is missing: the run left it there");
  write_file(run.file("run") / "summary.json", "{\"learned\": false}");
  check_evaluation_fails(run, 2, "learned nothing");
  json summary = json::parse(read_text(run.file("kept")));
  summary["tokens_hash"] = "0123";
  write_file(run.file("run") / "summary.json", summary.dump());
  check_evaluation_fails(run, 3, "learned from tokens 0123");
  write_file(run.file("run") / "summary.json", "{");
  check_evaluation_fails(run, 3, "summary.json");
}

TEST_CASE("without a folder for temporary files no other text is evaluated", "[programs]") {
  const FinishedTestRun run;
  ::setenv("TMPDIR", run.file("nowhere").c_str(), 1);
  check_evaluation_fails(run, 3, "name one that exists by TMPDIR", {"--data=" + run.file("corpus.jsonl").string()});
  ::unsetenv("TMPDIR");
  CHECK(run.dipaco({"evaluate"}, {"--data=" + run.file("corpus.jsonl").string()}).status == 0);
}

TEST_CASE("three programs that make a window's router at once all have it", "[programs]") {
  const FinishedTestRun run;
  std::vector<std::future<Outcome>> outcomes;
  for (int i = 0; i < 3; ++i) {
    outcomes.push_back(std::async(std::launch::async, [&] {
      return run.dipaco({"evaluate"}, {"--window=16", "--router-steps=30"});
    }));
  }
  for (auto& outcome : outcomes) CHECK(outcome.get().status == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run.model(""))) {
    files += entry.path().filename().string().starts_with("transformer_router-") ? 1 : 0;
  }
  CHECK(files == 1);
}

TEST_CASE("dipaco evaluate refuses a configuration or a table that is not the run's", "[programs]") {
  const TemporaryFolder folder;
  const auto table = folder.path() / "table.txt";
  write_file(table, "0 0\n0 1\n1 0\n1 1\n");
  const FinishedTestRun run({"topology.levels=" + table.string()});
  CHECK(run.dipaco({"evaluate"}).status == 0);
  write_file(table, "0 1\n0 0\n1 0\n1 1\n");  // as many paths and experts
  check_evaluation_fails(run, 3, "put back what the run had, also the table");
  write_file(table, "0 0\n0 1\n1 0\n1 1\n");
  const auto cfg = run.file("run") / "run.cfg";
  std::string text = read_text(cfg);
  text.replace(text.find("prefix=8"), 8, "prefix=9");
  write_file(cfg, text);
  check_evaluation_fails(run, 3, "put back what the run had");
}

TEST_CASE("files of a run that differs by its seed alone are refused", "[programs]") {
  const FinishedTestRun run;
  const FinishedTestRun other({"run.seed=2"});
  const auto refuses = [&](const char* file, const char* command, const std::string& why) {
    const Changed changed(run.model(file));
    write_file(run.model(file), read_file(other.model(file)));
    const Outcome outcome =
        command == std::string("evaluate") ? run.dipaco({command}) : run.dipaco({"inspect", command});
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.error, Contains(why) && Contains("put the run's own back"));
  };
  refuses("module-0.1", "modules", "module-0.1: its config is ");
  refuses("start", "evaluate", "start: not the start that this run had");
  refuses("start", "modules", "start: not the start that this run had");
  refuses("router", "evaluate", "router and shards beside it: not both those that this run ended with");
  refuses("shards", "shards", "router and shards beside it: not both those that this run ended with");
  CHECK(run.dipaco({"evaluate"}).status == 0);
}

TEST_CASE("dipaco evaluate refuses files that are not the run's, and says which", "[programs]") {
  const FinishedTestRun run;
  {
    const Changed router(run.model("router"));
    write_file(run.model("router"), RandomRouter(5, 1).encode());
    check_evaluation_fails(run, 3, "router: a router to 5 paths, and this topology has 4");
  }
  {
    // An expert of the last level that some document's path goes through: it is read. Path 2 a + b has experts a and b.
    const auto documents = evaluated(run)["path_documents"].get<std::vector<int>>();
    const bool even = documents[0] + documents[2] > 0;
    const std::string name = even ? "module-1.0" : "module-1.1";
    const Changed module(run.model(name));
    Checkpoint checkpoint = decode_checkpoint(module.bytes(), "module");
    checkpoint.arrays["parameters"][3] = std::numeric_limits<float>::quiet_NaN();
    write_file(run.model(name), encode(checkpoint));
    check_evaluation_fails(run, 3, name + ": a parameter is not finite");
    checkpoint.arrays["parameters"].resize(7);
    write_file(run.model(name), encode(checkpoint));
    check_evaluation_fails(run, 3, name + ": 7 parameters and this model's module has ");
    write_file(run.model(name), read_file(run.model(even ? "module-1.1" : "module-1.0")));
    check_evaluation_fails(run, 3, name + ": its expert is ");
    std::filesystem::remove(run.model(name));
    check_evaluation_fails(run, 3, name + " is missing");
  }
  {
    const Changed tokenizer(run.model("tokenizer.model"));
    write_file(run.model("tokenizer.model"), "another");
    check_evaluation_fails(run, 3, "model/start: its tokenizer is ");
    check_evaluation_fails(run, 3, "put the run's own start and tokenizer.model back");
  }
  for (const char* paths : {"0 4\n1 4\n", "0 4\n1 4\n2 5\n3 4\n", "0 4\n2 4\n1 4\n3 4\n", "0 4\n1\n"}) {
    const Changed file(run.model("paths"));
    write_file(run.model("paths"), paths);
    check_evaluation_fails(run, 3, "model/paths: ");
  }
  CHECK(run.dipaco({"evaluate"}).status == 0);
}

TEST_CASE("a run without rounds, of a policy and an optimizer that dipaco does not know, is evaluated and inspected",
          "[programs]") {
  const FinishedTestRun run;
  const double perplexity = evaluated(run)["perplexity"];
  make_without_rounds(run);
  CHECK(evaluated(run)["perplexity"] == perplexity);  // the same parameters
  CHECK_THAT(run.dipaco({"inspect", "modules"}).output, Contains("\nlevel 1, between experts: "));
  // Each module has two paths, and each of these four outer steps: eight contributions.
  change_fact(run.model("module-0.1"), "version", "8");
  CHECK(evaluated(run)["perplexity"] == perplexity);
  change_fact(run.model("module-0.1"), "version", "9");
  check_evaluation_fails(run, 3, "module-0.1: version 9 by the owner at epoch 2, and there are versions from 1 to 8");
  change_fact(run.model("module-0.1"), "version", "8");
  change_fact(run.model("module-0.1"), "owner", "0");
  check_evaluation_fails(run, 3, "by the owner at epoch 0");
}

}  // namespace dipaco::testing
