#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/state/update_facts.hpp"

namespace dipaco {
namespace {

Update made_update() {
  return {.applied = {{PathId{3}, OuterStep{7}, Version{6}, 100, 1.0 / 3},
                      {PathId{12}, OuterStep{8}, Version{5}, 40, 1e-9}},
          .dropped = {{PathId{4}, OuterStep{2}, "late: its base is 3\nversions behind"}, {PathId{5}, OuterStep{3}, ""}},
          .scale = 0.1,
          .norm = 12.75};
}

const std::vector<SettledPath> kSettled{
    {PathId{3}, OuterStep{8}}, {PathId{4}, OuterStep{3}}, {PathId{12}, OuterStep{9}}};

Checkpoint made_facts() {
  Checkpoint checkpoint;
  add_update(checkpoint, made_update(), kSettled);
  return checkpoint;
}

}  // namespace

TEST_CASE("what made a version survives its facts, bit for bit", "[state]") {
  const Checkpoint checkpoint = made_facts();
  CHECK(read_update(checkpoint, "test") == made_update());
  CHECK(read_settled(checkpoint, "test") == kSettled);
}

TEST_CASE("a version that nothing went into has facts that say so", "[state]") {
  Checkpoint checkpoint;
  add_update(checkpoint, {}, {});
  CHECK(read_update(checkpoint, "test") == Update{});
  CHECK(read_settled(checkpoint, "test").empty());
}

TEST_CASE("facts that name no contribution are refused by their name and the file's", "[state]") {
  const auto [fact, text] = GENERATE(table<std::string, std::string>({{"applied.0", ""},
                                                                      {"applied.0", "3 7 6 100"},
                                                                      {"applied.1", "3 7 six 100 0.5"},
                                                                      {"dropped.0", "4"},
                                                                      {"dropped.1", "four 2 late"}}));
  Checkpoint checkpoint = made_facts();
  checkpoint.facts[fact] = text;
  CHECK_THROWS_AS(read_update(checkpoint, "file 1"), DataError);
  CHECK_THROWS_WITH(read_update(checkpoint, "file 1"), Catch::Contains("file 1") && Catch::Contains(fact));
}

TEST_CASE("an update without its scale or its norm, or with one that is no number, is refused", "[state]") {
  const std::string fact = GENERATE("scale", "norm");
  Checkpoint checkpoint = made_facts();
  checkpoint.facts[fact] = "much";
  CHECK_THROWS_AS(read_update(checkpoint, "file 1"), DataError);
  checkpoint.facts.erase(fact);
  CHECK_THROWS_WITH(read_update(checkpoint, "file 1"), Catch::Contains("file 1") && Catch::Contains(fact));
}

TEST_CASE("a file that does not say which contributions are in it is refused", "[state]") {
  Checkpoint checkpoint = made_facts();
  checkpoint.facts.erase("settled");
  CHECK_THROWS_AS(read_settled(checkpoint, "file 1"), DataError);
  CHECK_THROWS_WITH(read_settled(checkpoint, "file 1"), Catch::Contains("file 1: it does not say which contributions"));
}

TEST_CASE("a file that lists settled contributions badly is refused, not read up to there", "[state]") {
  const std::string text = GENERATE("3", "3 8 4", "3 8 4 x", "x", "3 8, 4 3", "3 8 4 99999999999");
  Checkpoint checkpoint = made_facts();
  checkpoint.facts["settled"] = text;
  CHECK_THROWS_AS(read_settled(checkpoint, "file 1"), DataError);
  CHECK_THROWS_WITH(read_settled(checkpoint, "file 1"), Catch::Contains("file 1: settled"));
}

}  // namespace dipaco
