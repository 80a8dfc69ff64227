#include <catch2/catch.hpp>

#include "core/base/wrap.hpp"

using namespace dipaco;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a text is parted at spaces, and a long word within itself", "[base]") {
  CHECK(wrapped("one two three", 8) == Lines{"one two", "three"});
  CHECK(wrapped("one two", 7) == Lines{"one two"});
  CHECK(wrapped("abcdefghij klm", 4) == Lines{"abcd", "efgh", "ij", "klm"});
  CHECK(wrapped("", 4) == Lines{""});
  CHECK(wrapped("a  b   c", 4) == Lines{"a  b", "c"});
}

TEST_CASE("no character of UTF-8 is parted", "[base]") {
  CHECK(wrapped("aaa\xC3\xA9z", 4) == Lines{"aaa", "\xC3\xA9z"});
  CHECK(wrapped("\xF0\x9F\x99\x82\xF0\x9F\x99\x82", 5) == Lines{"\xF0\x9F\x99\x82", "\xF0\x9F\x99\x82"});
}

TEST_CASE("the first parts of a list say how many more there are", "[base]") {
  CHECK(first_of_list("a, b, c", 3) == "a, b, c");
  CHECK(first_of_list("a, b, c", 2) == "a, b and 1 more");
  CHECK(first_of_list("", 2).empty());
}
