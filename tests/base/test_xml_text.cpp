#include <catch2/catch.hpp>

#include "core/base/xml_text.hpp"

namespace dipaco {

TEST_CASE("an attribute's value has entities for all that would end it or begin a tag", "[base]") {
  CHECK(xml_escaped(R"(a<b>&"c"'d')") == "a&lt;b&gt;&amp;&quot;c&quot;&apos;d&apos;");
  CHECK(xml_escaped("&amp;") == "&amp;amp;");
  CHECK(xml_escaped("") == "");
}

TEST_CASE("a comment has no two dashes in a row and ends with none", "[base]") {
  CHECK(xml_commented("a-b--c---d") == "a-b-_c-_-d");
  CHECK(xml_commented("a-") == "a_");
  CHECK(xml_commented("--") == "-_");
}

}  // namespace dipaco
