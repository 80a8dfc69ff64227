#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/eval/labels.hpp"

namespace dipaco {
namespace {

TEST_CASE("the purity of shards is the share of documents with their shard's label, worked by hand", "[eval]") {
  const std::vector<std::string> lines{"b", "a", "b", "a", "a", "c"};
  const Labels labels = make_labels(lines);
  CHECK(labels.names == std::vector<std::string>{"b", "a", "c"});
  CHECK(labels.of == std::vector<std::uint32_t>{0, 1, 0, 1, 1, 2});
  // Two of three are b, one of two is a (as many as c, and named first), none is there; document 1 counts twice.
  const std::vector<std::vector<DocumentId>> shards{
      {DocumentId{0}, DocumentId{1}, DocumentId{2}}, {DocumentId{5}, DocumentId{1}}, {}};
  const Purity purity = purity_of(shards, labels);
  REQUIRE(purity.shards.size() == 3);
  CHECK(purity.shards[0].label == 0);
  CHECK(purity.shards[0].documents == 2);
  CHECK(purity.shards[1].label == 1);
  CHECK(purity.shards[1].documents == 1);
  CHECK(purity.shards[2].documents == 0);
  CHECK(purity.purity == 3.0 / 5);
  CHECK(purity_of({}, labels).purity == 0);
  const std::vector<std::vector<DocumentId>> unknown{{DocumentId{6}}};
  CHECK_THROWS_AS(purity_of(unknown, labels), std::logic_error);
}

}  // namespace
}  // namespace dipaco
