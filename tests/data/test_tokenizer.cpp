#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/data/tokenizer.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

std::vector<std::string> sample() {
  std::vector<std::string> texts;
  for (const auto& document : made_up_text({.documents = 30})) texts.push_back(document.text);
  return texts;
}

constexpr std::int64_t kVocabulary = 400;

Tokenizer trained(const TemporaryFolder& folder) {
  train_tokenizer(sample(), kVocabulary, folder.path() / "bpe.model");
  return Tokenizer(folder.path() / "bpe.model");
}

}  // namespace

TEST_CASE("what a trained tokenizer encodes, it decodes byte for byte", "[data]") {
  const TemporaryFolder folder;
  const Tokenizer tokenizer = trained(folder);
  CHECK(tokenizer.vocabulary() == kVocabulary);
  for (const std::string& text : {sample()[3], std::string("  two  spaces, \t a tab\n\n    and lines \n"),
                                  std::string("Gr\xC3\xBC\xC3\x9F"
                                              "e \xF0\x9F\x98\x80 \xEF\xAC\x81 1234"),
                                  std::string("a\0b", 3), std::string(" "), std::string("\n")}) {
    INFO(text);
    CHECK(tokenizer.decode(tokenizer.encode(text).tokens) == text);
  }
}

TEST_CASE("a token's end is the bytes of the text up to it, and the end-of-document token comes last", "[data]") {
  const TemporaryFolder folder;
  const Tokenizer tokenizer = trained(folder);
  const std::string text = sample()[5] + "\xF0\x9F\x98\x80 end";
  const Encoded encoded = tokenizer.encode(text);
  REQUIRE(encoded.tokens.size() == encoded.ends.size());
  CHECK(std::is_sorted(encoded.ends.begin(), encoded.ends.end()));
  CHECK(encoded.ends.back() == text.size());
  CHECK(encoded.ends[encoded.ends.size() - 2] == text.size());
  CHECK(encoded.tokens.back() == tokenizer.encode("").tokens.at(0));
  CHECK(std::count(encoded.tokens.begin(), encoded.tokens.end(), encoded.tokens.back()) == 1);
  CHECK(encoded.tokens.size() < text.size() / 2);  // it has learned more than bytes
  for (std::size_t count = 1; count < encoded.tokens.size(); ++count) {
    const std::vector<std::int32_t> first(encoded.tokens.begin(),
                                          encoded.tokens.begin() + static_cast<std::ptrdiff_t>(count));
    const bool inside_a_character =
        encoded.ends[count - 1] == encoded.ends[count] - 4 || encoded.ends[count - 1] == text.find('\xF0');
    if (!inside_a_character) CHECK(tokenizer.decode(first) == text.substr(0, encoded.ends[count - 1]));
  }
}

TEST_CASE("the same text trains the same tokenizer, to the byte", "[data]") {
  const TemporaryFolder folder;
  train_tokenizer(sample(), kVocabulary, folder.path() / "a.model");
  train_tokenizer(sample(), kVocabulary, folder.path() / "b.model");
  CHECK(read_text(folder.path() / "a.model") == read_text(folder.path() / "b.model"));
}

TEST_CASE("a document of one endless word trains a tokenizer", "[data]") {
  const TemporaryFolder folder;
  std::vector<std::string> texts = sample();
  std::string endless;
  while (endless.size() < 200000) endless += "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2";
  texts.push_back(endless);
  train_tokenizer(texts, kVocabulary, folder.path() / "bpe.model");
  const Tokenizer tokenizer(folder.path() / "bpe.model");
  CHECK(tokenizer.decode(tokenizer.encode(endless).tokens) == endless);
}

TEST_CASE("a vocabulary that does not fit the text is an error that says what would", "[data]") {
  const TemporaryFolder folder;
  const auto model = folder.path() / "bpe.model";
  CHECK_THROWS_WITH(train_tokenizer(sample(), 256, model),
                    Catch::Contains("model.vocabulary=256") && Catch::Contains("more than 258"));
  CHECK_THROWS_AS(train_tokenizer(sample(), 262, model), ConfigError);
  CHECK_THROWS_WITH(train_tokenizer({"hardly any text"}, 32000, model),
                    Catch::Contains("model.vocabulary=32000") && Catch::Contains("<= "));
  // In words of this project, not of the library.
  CHECK_THROWS_WITH(train_tokenizer({"hardly any text"}, 32000, model),
                    Catch::Contains("is too large for a tokenizer of this text; write a value <= 2") &&
                        !Catch::Contains("Internal") && !Catch::Contains(".cc"));
  CHECK_THROWS_WITH(train_tokenizer(sample(), 262, model),
                    Catch::Contains("is too small for the characters of this text; write a value >= 2") &&
                        !Catch::Contains("Internal") && !Catch::Contains(".cc"));
  CHECK_THROWS_AS(train_tokenizer({}, 400, model), ConfigError);
  CHECK_THROWS_AS(train_tokenizer({"", ""}, 400, model), ConfigError);
  CHECK_FALSE(std::filesystem::exists(model));
}

TEST_CASE("a file that is no tokenizer is an error that names it", "[data]") {
  const TemporaryFolder folder;
  const auto model = folder.path() / "bpe.model";
  CHECK_THROWS_WITH(Tokenizer(model), Catch::Contains("bpe.model") && Catch::Contains("cannot open"));
  for (const std::string& content : {std::string(), std::string("text\n"), std::string(1000, '\xFF')}) {
    write_file(model, content);
    CHECK_THROWS_WITH(Tokenizer(model), Catch::Contains("bpe.model: not a SentencePiece model"));
  }
}

}  // namespace dipaco
