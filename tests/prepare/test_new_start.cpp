#include <catch2/catch.hpp>

#include "core/prepare/new_start.hpp"
#include "tests/prepare/made_run.hpp"

namespace dipaco {
namespace {

using testing::MadeRun;

std::optional<std::string> why(const MadeRun& run) {
  return why_start_is_new(run.config, {.folder = run.folder.path(), .cache = run.folder.path() / "cache"});
}

}  // namespace

TEST_CASE("a changed key that makes the dense start again is named before it is made", "[prepare]") {
  MadeRun run;
  CHECK_FALSE(why(run));  // there is none of this text yet
  run.prepare();
  CHECK_FALSE(why(run));  // it is there
  run.config.outer.steps = 4;
  REQUIRE(why(run));
  CHECK(*why(run) ==
        "the dense start is trained again, 50 inner steps, as it depends on what has changed (end of the cosine "
        "(pretrain.steps + outer.steps x inner.steps): 71 then, 78 now)");
  CHECK(run.stages("start") == 1);  // asking makes nothing
  run.prepare();
  CHECK_FALSE(why(run));
}

TEST_CASE("of several starts, the one that differs in the fewest keys is compared", "[prepare]") {
  MadeRun run;
  run.prepare();
  run.config.run.seed = 7;
  run.config.inner.clip = 0.5;
  run.prepare();
  run.config.inner.clip = 0.25;
  REQUIRE(why(run));
  CHECK_THAT(*why(run), Catch::Contains("(inner.clip: 0.5 then, 0.25 now)"));
}

TEST_CASE("a key that changes no start, another text, and a given start ask for no word", "[prepare]") {
  MadeRun run;
  run.prepare();
  run.config.outer.learning_rate = 0.5;
  CHECK_FALSE(why(run));
  run.config.inner.clip = 0.5;
  CHECK(why(run));
  testing::write_corpus(run.folder.path() / "corpus.jsonl", 100, 5);
  CHECK_FALSE(why(run));
  run.config.pretrain.from = "somewhere";
  CHECK_FALSE(why(run));
}

}  // namespace dipaco
