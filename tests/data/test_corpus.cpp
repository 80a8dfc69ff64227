#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/data/corpus.hpp"
#include "core/data/line_reader.hpp"
#include "core/data/utf8.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using Catch::Contains;

std::vector<MadeUpDocument> read(const std::vector<std::filesystem::path>& files) {
  std::vector<MadeUpDocument> documents;
  for_each_document(files, [&](const Document& document) {
    documents.push_back({std::string(document.text), std::string(document.domain)});
  });
  return documents;
}

/// The message with which reading `content` as `name` ends.
std::string error_of(const std::string& name, const std::string& content) {
  const TemporaryFolder folder;
  write_file(folder.path() / name, content);
  try {
    read({folder.path() / name});
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a corpus is read the same from .jsonl and from .jsonl.gz", "[data]") {
  const TemporaryFolder folder;
  const auto made = made_up_text({.documents = 500, .words = 300});  // 1 MB: several buffers
  write_file(folder.path() / "a.jsonl", to_jsonl(made));
  write_gzip(folder.path() / "a.jsonl.gz", to_jsonl(made));
  for (const char* name : {"a.jsonl", "a.jsonl.gz"}) {
    const auto got = read({folder.path() / name});
    REQUIRE(got.size() == made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      CHECK(got[i].text == made[i].text);
      CHECK(got[i].domain == made[i].domain);
    }
  }
}

TEST_CASE("a line without a domain has the empty one, and blank lines and empty texts are no documents", "[data]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.jsonl",
             "\xEF\xBB\xBF{\"text\":\"Gr\\u00fc\xC3\x9F "
             "e\",\"url\":3}\r\n\n{\"text\":\"\"}\n{\"text\":\"b\",\"domain\":\"x\"}");
  const auto got = read({folder.path() / "a.jsonl"});
  REQUIRE(got.size() == 2);
  CHECK(got[0].text == "Gr\xC3\xBC\xC3\x9F e");
  CHECK(got[0].domain.empty());
  CHECK(got[1].domain == "x");
}

TEST_CASE("a text file is cut at the first blank line after 2,000 characters, not bytes", "[data]") {
  const TemporaryFolder folder;
  const auto repeat = [](int times) {
    std::string line;
    for (int i = 0; i < times; ++i) line += "\xC3\xA4";  // one character, two bytes
    return line;
  };
  write_file(folder.path() / "a.txt",
             std::string("\n") + repeat(1200) + "\n\n" + repeat(900) + "\n" + repeat(10) + "\n\n\nend\n");
  const auto got = read({folder.path() / "a.txt"});
  REQUIRE(got.size() == 2);
  CHECK(got[0].text == repeat(1200) + "\n\n" + repeat(900) + "\n" + repeat(10));
  CHECK(got[1].text == "end");
}

TEST_CASE("an unreadable document is an error that names file and line", "[data]") {
  CHECK_THAT(error_of("a.jsonl", "{\"text\":\"a\"}\n{\"text\":\"b\xFF\"}\n"),
             Contains("a.jsonl:2: not UTF-8 at byte 10"));
  CHECK_THAT(error_of("a.txt", "one\ntwo\nthr\xC3"), Contains("a.txt:3: not UTF-8 at byte 3"));
  CHECK_THAT(error_of("a.jsonl", "{\"text\":\"a\"}\n\n{\"txet\":\"b\"}\n"), Contains("a.jsonl:3: no field \"text\""));
  CHECK_THAT(error_of("a.jsonl", "{\"text\":7}\n"), Contains("a.jsonl:1: the field \"text\" is not a string"));
  CHECK_THAT(error_of("a.jsonl", "{\"text\":\"a\",\"domain\":[]}\n"), Contains("a.jsonl:1: the field \"domain\""));
  CHECK_THAT(error_of("a.jsonl", "{\"text\":\"a\"}\n{\"text\":\n"), Contains("a.jsonl:2: broken JSON at byte"));
  CHECK_THAT(error_of("a.jsonl", "{\"text\":\"\\ud800\"}\n"), Contains("a.jsonl:1: broken JSON"));
  CHECK_THAT(error_of("a.jsonl", "[\"text\"]\n"), Contains("a.jsonl:1: not a JSON object"));
}

TEST_CASE("a file that is no corpus is an error that names it", "[data]") {
  CHECK_THAT(error_of("a.jsonl", ""), Contains("a.jsonl: no document with text"));
  CHECK_THAT(error_of("a.txt", "\n \n"), Contains("a.txt: no document with text"));
  CHECK_THAT(error_of("a.csv", "text\n"), Contains("a.csv: unknown ending; a corpus is .jsonl, .jsonl.gz or .txt"));
  CHECK_THAT(error_of("a.jsonl.gz", "{\"text\":\"a\"}\n"), Contains("a.jsonl.gz: not gzip"));
  CHECK_THROWS_AS(read({}), DataError);
  CHECK_THROWS_WITH(read({"nowhere.jsonl"}), Contains("nowhere.jsonl: cannot open"));
}

TEST_CASE("gzip that is cut short or damaged is an error, wherever it happens", "[data]") {
  const TemporaryFolder folder;
  const auto whole = folder.path() / "whole.jsonl.gz";
  write_gzip(whole, to_jsonl(made_up_text({.documents = 40})));
  const std::string bytes = read_text(whole);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{5}, std::size_t{12}, bytes.size() / 2, bytes.size() - 9, bytes.size() - 1}) {
    INFO(size << " of " << bytes.size() << " bytes");
    CHECK(error_of("a.jsonl.gz", bytes.substr(0, size)) != "no error");
  }
  for (const std::size_t at :
       {bytes.size() / 3, bytes.size() - 6, bytes.size() - 2}) {  // the text, its checksum, its size
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    INFO("byte " << at << " of " << bytes.size());
    CHECK(error_of("a.jsonl.gz", damaged) != "no error");
  }
  CHECK_THAT(error_of("a.jsonl.gz", bytes.substr(0, bytes.size() - 9)), Contains("broken gzip"));
  CHECK_THAT(error_of("a.jsonl", bytes), Contains("a.jsonl: this is gzip; unpack it, or add .gz to its name"));
  write_file(whole, bytes);
  CHECK_THROWS_WITH(LineReader(whole, LineReader::Packing::plain), Catch::EndsWith("this is gzip; unpack it"));
}

TEST_CASE("patterns name files sorted by name, each once", "[data]") {
  const TemporaryFolder folder;
  for (const char* name : {"b.jsonl", "a.jsonl", "x/c.jsonl", "x/.d.jsonl", "y/c.jsonl", "note.md"}) {
    write_file(folder.path() / name, std::string_view("x"));
  }
  const auto find = [&](const std::string& patterns) {
    std::vector<std::string> names;
    for (const auto& file : find_files(patterns, folder.path())) {
      names.push_back(std::filesystem::relative(file, folder.path()).string());
    }
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(find("*.jsonl") == Names{"a.jsonl", "b.jsonl"});
  CHECK(find("b.jsonl, *.jsonl") == Names{"b.jsonl", "a.jsonl"});
  CHECK(find("?/c*.js?nl") == Names{"x/c.jsonl", "y/c.jsonl"});
  CHECK(find("x/*") == Names{"x/c.jsonl"});
  CHECK(find((folder.path() / "*.md").string()) == Names{"note.md"});
  CHECK(find("x/../a.jsonl,a.jsonl,*.jsonl," + (folder.path() / "a.jsonl").string()) == Names{"a.jsonl", "b.jsonl"});
  std::filesystem::create_symlink("x", folder.path() / "linked");
  std::filesystem::create_symlink("../a.jsonl", folder.path() / "x" / "a-link.jsonl");
  CHECK(find("x/c.jsonl,linked/c.jsonl,a.jsonl,x/*.jsonl") == Names{"x/c.jsonl", "a.jsonl"});
  std::filesystem::remove(folder.path() / "x" / "a-link.jsonl");
  CHECK_THROWS_WITH(find("a.jsonl,*.gz"), Contains("\"*.gz\" names no file in " + folder.path().string()));
  CHECK_THROWS_WITH(find("/nowhere/a.txt"), "\"/nowhere/a.txt\" names no file; check the name, or quote the pattern");
  CHECK_THROWS_WITH(find_files("a.nothing", ""), Contains("\"a.nothing\" names no file in /"));  // of a bare file name
  CHECK_THROWS_AS(find("x"), DataError);
  CHECK_THROWS_AS(find(""), DataError);
}

TEST_CASE("UTF-8 is what RFC 3629 says", "[data]") {
  CHECK_FALSE(first_invalid_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF").has_value());
  for (const char* bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xC3(", "\xE2\x82("}) {
    INFO(bad);
    CHECK(first_invalid_utf8(std::string("ok") + bad) == 2U);
  }
  CHECK(count_characters("a\xC3\xA4\xE2\x82\xAC") == 3);
}

}  // namespace dipaco
