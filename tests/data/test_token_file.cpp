#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/token_file.hpp"
#include "core/data/token_format.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
using FileBytes = std::vector<std::byte>;

const std::vector<std::int32_t> kFirst{5, 6, 7, 8, 1};
const std::vector<std::int32_t> kSecond{9, 1};

/// Two documents, 7 tokens: 32 head | 14 tokens | 2 padding | 64 records | domains | 32 foot.
constexpr std::size_t kTokensAt = 32;
constexpr std::size_t kPaddingAt = 46;
constexpr std::size_t kRecordsAt = 48;
constexpr std::size_t kDomainsAt = 112;

FileBytes two_documents(const std::filesystem::path& file) {
  TokenFileWriter writer(file, 10, 3);
  writer.add(kFirst, std::vector<std::uint32_t>{2, 4, 4, 9, 9}, 111, 9, "news", false);
  writer.add(kSecond, std::vector<std::uint32_t>{4, 4}, 222, 4, "code", true);
  writer.finish();
  return read_file(file);
}

std::string error_of(const std::filesystem::path& file, const FileBytes& bytes) {
  write_file(file, bytes);
  try {
    TokenFile::open(file);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

/// `bytes` with `value` at `at`, and a checksum that fits.
template <class T>
FileBytes forged(FileBytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  const std::size_t end = bytes.size() - 8;
  const std::uint64_t sum = checksum(std::span(bytes).first(end));
  std::memcpy(bytes.data() + end, &sum, sizeof sum);
  return bytes;
}

}  // namespace

TEST_CASE("a token file gives back what was written", "[data]") {
  const TemporaryFolder folder;
  two_documents(folder.path() / "t");
  TokenFile opened = TokenFile::open(folder.path() / "t");
  const TokenFile file = std::move(opened);
  CHECK(file.vocabulary() == 10);
  CHECK(file.prefix() == 3);
  CHECK(file.domains() == std::vector<std::string>{"news", "code"});
  REQUIRE(file.documents().size() == 2);
  const DocumentRecord& first = file.document(DocumentId{0});
  CHECK(first.hash == 111);
  CHECK(first.tokens == 5);
  CHECK(first.bytes == 9);
  CHECK(first.prefix_bytes == 4);  // the end of token 2, the prefix's last
  CHECK(first.domain == 0);
  CHECK(first.validation == 0);
  const DocumentRecord& second = file.document(DocumentId{1});
  CHECK(second.first_token == 5);
  CHECK(second.prefix_bytes == 4);  // shorter than the prefix: all of it
  CHECK(second.domain == 1);
  CHECK(second.validation == 1);
  std::vector<std::int32_t> tokens(5);
  file.copy_tokens(DocumentId{0}, 0, tokens);
  CHECK(tokens == kFirst);
  tokens.resize(2);
  file.copy_tokens(DocumentId{0}, 3, tokens);
  CHECK(tokens == std::vector<std::int32_t>{8, 1});
  CHECK_THROWS_AS(file.copy_tokens(DocumentId{1}, 1, tokens), std::logic_error);
  CHECK_THROWS_AS(file.copy_tokens(DocumentId{2}, 0, {}), std::logic_error);
}

TEST_CASE("tokens take two bytes up to a vocabulary of 65,536 and four beyond", "[data]") {
  const TemporaryFolder folder;
  for (const std::int64_t vocabulary : {65536, 65537}) {
    std::vector<std::int32_t> tokens(1001);
    std::iota(tokens.begin(), tokens.end(), static_cast<std::int32_t>(vocabulary) - 1001);
    const auto file = made_up_tokens(folder.path() / "t", {tokens}, vocabulary, 32);
    std::vector<std::int32_t> got(tokens.size());
    file->copy_tokens(DocumentId{0}, 0, got);
    CHECK(got == tokens);
    const std::uint64_t width = vocabulary == 65536 ? 2 : 4;
    CHECK(std::filesystem::file_size(folder.path() / "t") == 32 + (1001 * width + 7) / 8 * 8 + 32 + 4 + 4 + 32);
  }
}

TEST_CASE("a token file cut short at any byte is an error that names an offset", "[data]") {
  const TemporaryFolder folder;
  const FileBytes whole = two_documents(folder.path() / "whole");
  REQUIRE(whole.size() == kDomainsAt + 4 + 8 + 8 + 32);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string error =
        error_of(folder.path() / "t", FileBytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    INFO(size << ": " << error);
    CHECK_THAT(error, Contains("t: at byte ") && Contains("truncated"));
  }
}

TEST_CASE("a token file with any one byte flipped, or one added, is an error", "[data]") {
  const TemporaryFolder folder;
  const FileBytes whole = two_documents(folder.path() / "whole");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    FileBytes damaged = whole;
    damaged[at] ^= std::byte{0x40};
    INFO(at);
    CHECK_THAT(error_of(folder.path() / "t", damaged), Contains("t: at byte "));
  }
  FileBytes longer = whole;
  longer.push_back(std::byte{0});
  CHECK_THAT(error_of(folder.path() / "t", longer), Contains("truncated or damaged"));
  CHECK(error_of(folder.path() / "t", whole) == "no error");
}

TEST_CASE("damage is found where the checksum fits it, too", "[data]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "t";
  const FileBytes whole = two_documents(file);
  const std::size_t foot = whole.size() - 32;
  const auto error = [&](std::size_t at, auto value) { return error_of(file, forged(whole, at, value)); };
  CHECK_THAT(error(0, 'X'), Contains("at byte 0: not a token file"));
  CHECK_THAT(error(8, std::uint32_t{9}), Contains("at byte 8: version 9"));
  CHECK_THAT(error(12, std::uint32_t{4}), Contains("at byte 12: damaged: 4 bytes a token"));
  CHECK_THAT(error(12, std::uint32_t{0}), Contains("at byte 12"));
  CHECK_THAT(error(16, std::uint64_t{0}), Contains("at byte 16: damaged: a vocabulary of 0"));
  CHECK_THAT(error(16, ~std::uint64_t{0}), Contains("at byte 16"));
  CHECK_THAT(error(16, std::uint64_t{9}), Contains("at byte 42: damaged: token 9 is outside the vocabulary of 9"));
  CHECK_THAT(error(24, ~std::uint64_t{0}), Contains("at byte 24: damaged: a prefix"));
  CHECK_THAT(error(kTokensAt + 2, std::uint16_t{10}), Contains("at byte 34: damaged: token 10"));
  CHECK_THAT(error(kPaddingAt + 1, '\1'), Contains("at byte 47: damaged: padding"));
  const std::size_t second = kRecordsAt + 32;
  CHECK_THAT(error(second + 8, std::uint64_t{4}), Contains("at byte 80: damaged: the record of document 1"));
  CHECK_THAT(error(second + 16, std::uint32_t{0}), Contains("the record of document 1"));
  CHECK_THAT(error(second + 16, std::uint32_t{3}), Contains("at byte 48: damaged: the documents' tokens"));
  CHECK_THAT(error(second + 16, ~std::uint32_t{0}), Contains("at byte 48"));
  CHECK_THAT(error(second + 24, std::uint32_t{5}), Contains("the record of document 1"));  // prefix_bytes > bytes
  CHECK_THAT(error(second + 28, std::uint16_t{2}), Contains("the record of document 1"));  // domain
  CHECK_THAT(error(second + 30, std::uint16_t{2}), Contains("the record of document 1"));  // validation
  CHECK_THAT(error(kDomainsAt, std::uint32_t{1}), Contains("more bytes than domains"));
  CHECK_THAT(error(kDomainsAt, ~std::uint32_t{0}), Contains("damaged at byte 132: it ends early"));
  CHECK_THAT(error(kDomainsAt + 4, ~std::uint32_t{0}), Contains("damaged at byte 120"));
  CHECK_THAT(error(kDomainsAt + 8, '\xFF'), Contains("a domain's name is not UTF-8"));
  for (const std::uint64_t size :
       {~std::uint64_t{0}, std::uint64_t{1} << 63U, std::uint64_t{1} << 59U, std::uint64_t{11}}) {
    for (const std::size_t at : {foot, foot + 8, foot + 16})
      CHECK_THAT(error(at, size), Contains("the sizes written at its end"));
  }
}

TEST_CASE("a writer that is not finished leaves nothing behind and keeps what was there", "[data]") {
  const TemporaryFolder folder;
  const FileBytes before = two_documents(folder.path() / "t");
  {
    TokenFileWriter writer(folder.path() / "t", 40000, 32);
    const std::vector<std::int32_t> tokens(9 << 20U, 1);  // over the flush size
    writer.add(tokens, std::vector<std::uint32_t>(tokens.size(), 1), 1, 1, "", false);
  }
  CHECK(read_file(folder.path() / "t") == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("token files one behind the other are one of all their documents", "[data]") {
  const TemporaryFolder folder;
  const auto put = [](TokenFileWriter& writer, const std::string& domain, std::uint64_t hash, bool validation) {
    writer.add(kFirst, std::vector<std::uint32_t>{2, 4, 4, 9, 9}, hash, 9, domain, validation);
    writer.add(kSecond, std::vector<std::uint32_t>{4, 4}, hash + 1, 4, "code", validation);
  };
  TokenFileWriter at_once(folder.path() / "at_once", 10, 3);
  put(at_once, "news", 111, false);
  put(at_once, "web", 222, true);
  at_once.finish();
  TokenFileWriter joined(folder.path() / "joined", 10, 3);
  for (const std::string domain : {"news", "web"}) {
    TokenFileWriter one(folder.path() / domain, 10, 3);
    put(one, domain, domain == "news" ? 111 : 222, false);
    one.finish();
    joined.append(TokenFile::open(folder.path() / domain), domain == "web");
  }
  joined.finish();
  CHECK(read_file(folder.path() / "joined") == read_file(folder.path() / "at_once"));
}

TEST_CASE("a token file takes only what has its vocabulary and prefix", "[data]") {
  const TemporaryFolder folder;
  two_documents(folder.path() / "t");
  const TokenFile other = TokenFile::open(folder.path() / "t");
  TokenFileWriter vocabulary(folder.path() / "a", 11, 3);
  CHECK_THROWS_AS(vocabulary.append(other, false), std::logic_error);
  TokenFileWriter prefix(folder.path() / "b", 10, 4);
  CHECK_THROWS_AS(prefix.append(other, false), std::logic_error);
}

TEST_CASE("a token file of many flushes is whole, and what was left of an earlier writer is not in it", "[data]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "t.part", std::string_view("left behind"));
  const std::vector<std::int32_t> tokens(3 << 20U, 7);
  const auto file = made_up_tokens(folder.path() / "t", {tokens, tokens, tokens, tokens, tokens, tokens}, 100, 32);
  CHECK(file->documents().size() == 6);
  CHECK(file->document(DocumentId{5}).first_token == std::uint64_t{15} << 20U);
}

}  // namespace dipaco
