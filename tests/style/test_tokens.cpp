#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/style/tokens.hpp"

namespace dipaco::style {
namespace {

/// "int x ;"
std::string words_of(std::string_view source) {
  std::string text;
  for (const Token& token : tokens_of(source)) text += (text.empty() ? "" : " ") + token.text;
  return text;
}

}  // namespace

TEST_CASE("a source is words, numbers and signs of one character, but for four signs of two", "[style]") {
  CHECK(words_of("a_1->b::c(1'000'000, x2);") == "a_1 -> b :: c ( 1'000'000 , x2 ) ;");
  CHECK(words_of("std::vector<std::set<int>> x{};") == "std :: vector < std :: set < int > > x { } ;");
  CHECK(words_of("[[nodiscard]] int f();") == "[[ nodiscard ]] int f ( ) ;");
  CHECK(words_of("a[b[0]]") == "a [ b [ 0 ] ]");  // no attribute ends here
  CHECK(words_of("[[x]] a[b[0]]") == "[[ x ]] a [ b [ 0 ] ]");
}

TEST_CASE("comments and preprocessor lines are no tokens, whatever stands in them", "[style]") {
  CHECK(words_of("a // } \" '\nb /* { \n \" */ c") == "a b c");
  CHECK(words_of("#include \"x\"\n  #define X { \\\n  }\nint a; # no directive") == "int a ; # no directive");
  CHECK(words_of("#error don't\na") == "a");
  CHECK(words_of("a /* never ends").size() == 1);
}

TEST_CASE("a literal is one token, whatever brackets, quotes and slashes are in it", "[style]") {
  CHECK(words_of(R"x(f("{ // \" }", '"', '\'', '{'))x") == R"(f ( "" , "" , "" , "" ))");
  CHECK(words_of("a = R\"(\n{ \" )x\" // )\"; b") == "a = \"\" ; b");
  CHECK(words_of("a = R\"xml(\n{ )\" )xml\"; b") == "a = \"\" ; b");
  CHECK(words_of("u8R\"({)\" LR\"({)\"") == "\"\" \"\"");
  CHECK(words_of("R * \"{\"") == "R * \"\"");  // a variable of that name
}

TEST_CASE("a token has the line where it begins", "[style]") {
  const auto tokens = tokens_of("a\n\n/*\n*/ b R\"(\n\n)\" c\n#define X \\\n 1\nd \"\\\n\" e");
  const std::vector<int> lines{1, 4, 4, 6, 9, 9, 10};  // a b R"" c d "" e
  REQUIRE(tokens.size() == lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    INFO(tokens[k].text);
    CHECK(tokens[k].line == lines[k]);
  }
}

}  // namespace dipaco::style
