#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;

/// A folder with a text, and `dipaco init` for it.
struct MadeUpInit {
  explicit MadeUpInit(const MadeUpTextOptions& options) { write_file(text, to_jsonl(made_up_text(options))); }

  Outcome init(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"init", text.string(), "--out", run_file.string(), "--progress=off"};
    all.insert(all.end(), more.begin(), more.end());
    return run_built("dipaco", all);
  }

  TemporaryFolder folder;
  std::filesystem::path text = folder.path() / "text" / "corpus.jsonl";
  std::filesystem::path run_file = folder.path() / "my.cfg";
};

}  // namespace

TEST_CASE("the run file of dipaco init is prepared and trained as it stands", "[programs]") {
  const MadeUpInit made({.documents = 130, .domains = 5});
  const Outcome written = made.init({"--threads=1"});
  INFO(written.error);
  REQUIRE(written.status == 0);
  CHECK_THAT(written.output, Contains("2x4 paths of ") && Contains("dipaco-run --backend loopback --run "));
  const std::string file = read_text(made.run_file);
  CHECK_THAT(file, Contains("130 documents") && Contains("5 domains (d0, d1, d2, d3, d4)"));
  CHECK_THAT(file, Contains("\nlevels=2x4\n") && Contains("\nmicro_batches=1\n") && Contains("\nprefix="));

  const std::filesystem::path out = made.folder.path() / "out";
  const Outcome trained =
      run_built("dipaco-run", {"--backend=loopback", "--run", made.run_file.string(), "--out", out.string()});
  INFO(trained.error);
  REQUIRE(trained.status == 0);
  const auto summary = nlohmann::json::parse(read_text(out / "summary.json"));
  CHECK(summary["paths"] == 8);
  CHECK(summary["validation_documents"].get<int>() >= 5);
  CHECK(summary["validation_perplexity"] < 100.0);  // of 512 tokens, all equally likely before
}

TEST_CASE("dipaco init takes fewer steps where it has less time", "[programs]") {
  const MadeUpInit made({.documents = 400, .domains = 4, .words = 2000});
  REQUIRE(made.init({"--minutes=1", "--threads=1"}).status == 0);
  const std::string quick = read_text(made.run_file);
  std::filesystem::remove(made.run_file);
  REQUIRE(made.init({"--minutes=100000", "--threads=1"}).status == 0);
  const std::string thorough = read_text(made.run_file);
  CHECK_THAT(thorough, Contains("reads the whole text 1.0 times"));
  CHECK_THAT(quick, Contains("reads the whole text 0."));
  CHECK_THAT(quick, Contains("\nlevels=2x2\n"));
}

TEST_CASE("dipaco init counts a text once that has several names, and takes names that begin with -", "[programs]") {
  const MadeUpInit made({.documents = 100});
  const auto folder = made.folder.path() / "text";
  std::filesystem::create_symlink(made.text, folder / "another.jsonl");
  std::filesystem::create_directory_symlink(folder, made.folder.path() / "linked");
  const Outcome written = made.init({(folder / ".." / "text" / "corpus.jsonl").string(), (folder / "*.jsonl").string(),
                                     (made.folder.path() / "linked" / "corpus.jsonl").string(), "--threads=1"});
  INFO(written.error);
  REQUIRE(written.status == 0);
  CHECK_THAT(read_text(made.run_file), Contains("for this text: 100 documents"));
  CHECK_THAT(written.output, Contains("by steps that were measured just now"));
  std::filesystem::remove(made.run_file);

  const Outcome dash = made.init({"--", "-none.txt"});
  CHECK(dash.status == 3);
  CHECK_THAT(dash.error, Contains("-none.txt\" names no file"));
}

TEST_CASE("dipaco init writes over nothing", "[programs]") {
  const MadeUpInit made({.documents = 100});
  write_file(made.run_file, "mine\n");
  const Outcome refused = made.init();
  CHECK(refused.status == 2);
  CHECK_THAT(refused.error, Contains("is there already, and is not written over"));
  CHECK(read_text(made.run_file) == "mine\n");
}

TEST_CASE("dipaco init says what is wrong with a text that it refuses", "[programs]") {
  const MadeUpInit few({.documents = 63});
  const Outcome too_few = few.init();
  CHECK(too_few.status == 3);
  CHECK_THAT(too_few.error, Contains("the text has 63 documents, and four paths share at least 64; name more text"));
  CHECK_FALSE(std::filesystem::exists(few.run_file));

  const auto refused = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{"init", "--progress=off", "--out", few.run_file.string()};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_built("dipaco", all);
    CHECK(outcome.output.empty());
    CHECK_FALSE(std::filesystem::exists(few.run_file));
    return std::to_string(outcome.status) + " " + outcome.error;
  };
  CHECK_THAT(refused({}), Catch::StartsWith("2 dipaco init: no text; name .jsonl, .jsonl.gz or .txt files"));
  CHECK_THAT(refused({"a,b.txt"}), Catch::StartsWith("2 ") && Contains("a comma, # or line break; rename it"));
  CHECK_THAT(refused({(few.folder.path() / "none.txt").string()}),
             Catch::StartsWith("3 ") && Contains("names no file"));
  const Outcome nowhere =
      run_built("dipaco", {"init", few.text.string(), "--out", (few.folder.path() / "none" / "my.cfg").string()});
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.error, Contains("there is no folder ") && Contains("none; make it, or name another file"));
  CHECK_THAT(refused({few.text.string(), "--minutes=0"}), Catch::StartsWith("2 ") && Contains("--minutes"));
  std::string same;
  for (int i = 0; i < 100; ++i) same += "{\"text\": \"aa aa aa aa\"}\n";
  write_file(few.text, same);
  CHECK_THAT(refused({few.text.string()}), Contains("3 dipaco init: this text is too uniform to learn from"));
}

}  // namespace dipaco::testing
