#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "tests/prepare/made_run.hpp"

namespace dipaco {
namespace {

using testing::MadeRun;
using What = PartDone::What;

constexpr int kFiles = 5;

/// A run on four train files and one of validation, whose documents are routed 50 at a time.
struct ManyFiles : MadeRun {
  ManyFiles() : MadeRun(60) {
    for (int i = 1; i < kFiles; ++i) {
      testing::write_corpus(folder.path() / ("corpus" + std::to_string(i) + ".jsonl"), 60,
                            static_cast<std::uint64_t>(i) + 1);
    }
    config.data.train = "corpus.jsonl,corpus1.jsonl,corpus2.jsonl,corpus3.jsonl";
    config.data.validation = "corpus4.jsonl";
    documents_of_a_lot = 50;
  }

  /// Documents that are routed.
  static constexpr int kLots = 6;  // of up to 50 documents each: the 300 less what routers alone see

  int left_over() const {
    int count = 0;
    for (const char* stage : {"file_tokens", "tokenizer", "router", "routes", "making"}) count += stages(stage);
    return count;
  }
};

void check_done(const PartDone& done, What what, std::int64_t made, std::int64_t share) {
  CHECK(done.what == what);
  CHECK(done.made == made);
  CHECK(done.share == share);
}

TEST_CASE("parts and two joins end with what one process prepares, byte for byte", "[prepare][parts]") {
  ManyFiles alone;
  const Prepared expected = alone.prepare();
  CHECK(alone.left_over() == 0);
  ManyFiles run;
  run.progress = [](const PrepareProgress& now) {
    INFO(now.stage);
    CHECK((now.total == 0 || now.done <= now.total));
  };
  check_done(run.part(0, 2), What::files, 3, 3);
  check_done(run.part(1, 2), What::files, 2, 2);
  CHECK(run.trainer.steps_done == 0);
  CHECK_FALSE(run.join().has_value());
  CHECK(run.stages("tokens") == 1);
  CHECK(run.stages("start") == 1);
  CHECK(run.stages("file_tokens") == 0);
  CHECK(run.stages("shards") == 0);
  const PartDone first = run.part(0, 2);
  const PartDone second = run.part(1, 2);
  CHECK(first.what == What::lots);
  CHECK(first.all == ManyFiles::kLots);
  CHECK(first.made == first.share);
  CHECK(first.share + second.share == ManyFiles::kLots);
  const auto joined = run.join();
  REQUIRE(joined.has_value());
  CHECK(joined->hash == expected.hash);
  CHECK(run.left_over() == 0);
  CHECK(run.trainer.steps_done == alone.trainer.steps_done);
  CHECK(run.trainer.feature_calls == alone.trainer.feature_calls);
  check_done(run.part(0, 2), What::nothing, 0, 0);
}

TEST_CASE("a part does not do again what is there, whoever did it", "[prepare][parts]") {
  ManyFiles run;
  check_done(run.part(2, 3), What::files, 1, 1);
  check_done(run.part(2, 3), What::files, 0, 1);
  check_done(run.part(0, 1), What::files, kFiles - 1, kFiles);
  check_done(run.part(7, 8), What::files, 0, 0);  // more parts than files
  CHECK_FALSE(run.join().has_value());
  check_done(run.part(0, 1), What::lots, ManyFiles::kLots, ManyFiles::kLots);
  check_done(run.part(1, 2), What::lots, 0, ManyFiles::kLots / 2);
}

TEST_CASE("nothing is left to parts while the start is still to be trained", "[prepare][parts]") {
  ManyFiles run;
  run.part(0, 1);
  run.config.pretrain.steps = 51;
  run.progress = [](const PrepareProgress& now) {
    if (now.stage == "pretraining") throw std::runtime_error("killed");
  };
  CHECK_THROWS_WITH(run.join(), "killed");
  run.progress = {};
  check_done(run.part(0, 1), What::nothing, 0, 0);
  CHECK_FALSE(run.join().has_value());
}

TEST_CASE("a join says whose share is missing", "[prepare][parts]") {
  ManyFiles run;
  run.part(0, 2);
  CHECK_THROWS_WITH(run.join(), Catch::Contains("corpus1.jsonl and 1 more: not tokenized yet") &&
                                    Catch::Contains("dipaco prepare --part I/N"));
  run.part(1, 2);
  CHECK_FALSE(run.join().has_value());
  run.part(0, 2);
  CHECK_THROWS_WITH(run.join(), Catch::Contains("3 of 6 lots of documents are not routed yet"));
  CHECK(run.trainer.steps_done == 50);
}

TEST_CASE("a join that is done again before the parts have routed says again that they are next", "[prepare][parts]") {
  ManyFiles run;
  CHECK_THROWS_WITH(run.join(), Catch::Contains("corpus.jsonl and 3 more: not tokenized yet"));
  CHECK(run.stages("tokenizer") == 0);  // that is for parts, too
  run.part(0, 1);
  CHECK_FALSE(run.join().has_value());
  CHECK_FALSE(run.join().has_value());
  CHECK(run.trainer.steps_done == 50);
}

TEST_CASE("what a killed join has left of small stages goes with the next call", "[prepare][parts]") {
  ManyFiles run;
  run.part(0, 1);
  const auto file = run.folder.path() / "cache";
  std::vector<std::filesystem::path> small;
  for (const auto& entry : std::filesystem::directory_iterator(file)) small.push_back(entry.path().filename());
  std::filesystem::copy(file, run.folder.path() / "kept", std::filesystem::copy_options::recursive);
  const std::string hash = run.prepare().hash;
  for (const auto& name : small) {
    std::filesystem::copy(run.folder.path() / "kept" / name, file / name, std::filesystem::copy_options::recursive);
  }
  CHECK(run.left_over() == kFiles + 1);
  CHECK(run.prepare().hash == hash);
  CHECK(run.left_over() == 0);
}

TEST_CASE("one process goes on from what parts have done, and from where it was stopped", "[prepare][parts]") {
  ManyFiles alone;
  const std::string hash = alone.prepare().hash;
  ManyFiles run;
  run.part(1, 2);
  int tokenized = 0;
  int documents = 0;
  run.progress = [&](const PrepareProgress& now) {
    if (now.stage == "tokens" && ++tokenized == 3) throw std::runtime_error("killed");
    if (now.stage == "features") documents = static_cast<int>(now.done);
    if (now.stage == "features" && documents > 320) throw std::runtime_error("killed while it routes");
  };
  CHECK_THROWS_WITH(run.prepare(), "killed");
  CHECK(run.stages("file_tokens") == 3);  // two of the part's, and the first file; the third was being read
  CHECK_THROWS_WITH(run.prepare(), "killed while it routes");
  const int lots = run.stages("routes");
  CHECK(lots > 0);
  CHECK(run.stages("router") == 1);
  const auto features = run.trainer.feature_calls.load();
  run.progress = {};
  CHECK(run.prepare().hash == hash);
  CHECK(run.trainer.feature_calls < features + alone.trainer.feature_calls.load());
  CHECK(run.trainer.steps_done == alone.trainer.steps_done);
  CHECK(run.left_over() == 0);
}

TEST_CASE("parts that work at once, and joins too, give the same", "[prepare][parts]") {
  ManyFiles alone;
  const std::string hash = alone.prepare().hash;
  ManyFiles run;
  const auto at_once = [&](auto work) {
    std::vector<std::jthread> programs;
    for (std::int64_t i = 0; i < 3; ++i) programs.emplace_back([&, i] { work(i); });
  };
  at_once([&](std::int64_t i) { run.part(i, 3); });
  CHECK_FALSE(run.join().has_value());
  at_once([&](std::int64_t i) { run.part(i % 2, 2); });
  std::vector<std::string> hashes(3);
  at_once([&](std::int64_t i) { hashes[static_cast<std::size_t>(i)] = run.join()->hash; });
  CHECK(hashes == std::vector<std::string>(3, hash));
  CHECK(run.left_over() == 0);
}

TEST_CASE("with a router that looks at no features one join ends the preparation", "[prepare][parts]") {
  ManyFiles run;
  run.config.routing.method = "random";
  run.part(0, 1);
  const auto joined = run.join();
  REQUIRE(joined.has_value());
  CHECK(joined->hash == run.prepare().hash);
  CHECK(run.trainer.feature_calls == 0);
}

TEST_CASE("files without a document are no error beside one that has some", "[prepare][parts]") {
  ManyFiles run;
  testing::write_corpus(run.folder.path() / "corpus2.jsonl", 0);
  CHECK(run.prepare().tokens->documents().size() == 240);
  testing::write_corpus(run.folder.path() / "corpus4.jsonl", 0);
  CHECK_THROWS_WITH(run.prepare(), Catch::Contains("corpus4.jsonl: no document with text"));
}

}  // namespace
}  // namespace dipaco
