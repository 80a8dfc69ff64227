#include <catch2/catch.hpp>

#include "core/base/text.hpp"

namespace dipaco {

TEST_CASE("quantities read with their unit and not without", "[base]") {
  CHECK(parse_seconds("50ms") == Seconds(0.05));
  CHECK(parse_seconds("1.5 h") == Seconds(5400));
  CHECK_FALSE(parse_seconds("50"));
  CHECK_FALSE(parse_seconds("50 parsecs"));
  CHECK(parse_bytes("2GiB") == Bytes{2ULL << 30U});
  CHECK_FALSE(parse_bytes("-1B"));
  CHECK_FALSE(parse_bytes("2"));
}

TEST_CASE("a number is the whole text, and finite", "[base]") {
  CHECK(parse_integer("-12") == -12);
  CHECK_FALSE(parse_integer("12x"));
  CHECK_FALSE(parse_integer(""));
  CHECK_FALSE(parse_integer("99999999999999999999"));
  CHECK(parse_number("4e-4") == 4e-4);
  CHECK_FALSE(parse_number("inf"));
  CHECK_FALSE(parse_number("nan"));
}

TEST_CASE("numbers are written in the shortest form that reads back", "[base]") {
  CHECK(format_number(0.1) == "0.1");
  CHECK(parse_number(format_number(1.0 / 3)) == 1.0 / 3);
  CHECK(format_fixed(2.0 / 3, 2) == "0.67");
}

TEST_CASE("text for one line has no control characters, and keeps every other byte", "[base]") {
  CHECK(on_one_line("a\nb\t\x1B[31m\x7F\xC3\xA4") == "a b  [31m \xC3\xA4");
}

TEST_CASE("the nearest name is found where one is near", "[base]") {
  const std::vector<std::string> known{"learning_rate", "momentum", "steps"};
  CHECK(nearest_name("learnin_rate", known) == "learning_rate");
  CHECK(nearest_name("zzzzzzzzzz", known).empty());
  CHECK(did_you_mean("step", known) == "; did you mean \"steps\"?");
}

TEST_CASE("splitting trims the parts and gives none of an empty text", "[base]") {
  CHECK(split("a, b,c", ',') == std::vector<std::string>{"a", "b", "c"});
  CHECK(split("  ", ',').empty());
  CHECK(split("a,", ',') == std::vector<std::string>{"a", ""});
}

}  // namespace dipaco
