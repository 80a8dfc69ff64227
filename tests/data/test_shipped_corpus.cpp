#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/data/corpus.hpp"
#include "core/data/utf8.hpp"

namespace dipaco {
namespace {

const std::filesystem::path kCorpus = std::filesystem::path(DIPACO_SOURCE_DIR) / "scenarios" / "corpus";

/// The cells of the row of the README's table that starts with `name`.
std::vector<std::string> row_of(const std::string& readme, const std::string& name) {
  const std::size_t start = readme.find("\n| `" + name + "` |");
  if (start == std::string::npos) return {};
  return split(std::string_view(readme).substr(start + 1, readme.find('\n', start + 1) - start - 1), '|');
}

}  // namespace

TEST_CASE("the shipped corpus reads, and each file is described in its README as it is", "[data]") {
  const std::string readme = read_text(kCorpus / "README.md");
  const std::map<std::string, std::string> licences{
      {"code-cpp.jsonl.gz", "Apache-2.0"},      {"fiction-de.jsonl.gz", "public domain"},
      {"fiction-en.jsonl.gz", "public domain"}, {"office-help-fr.jsonl.gz", "MPL-2.0"},
      {"python-docs.jsonl.gz", "PSF-2.0"},      {"web-c4.jsonl.gz", "ODC-BY-1.0"},
      {"wikipedia-en.jsonl.gz", "CC-BY-SA-3.0"}};
  std::uintmax_t packed = 0;
  const auto files = find_files("*.jsonl.gz", kCorpus);
  REQUIRE(files.size() == licences.size());
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    INFO(name);
    std::size_t documents = 0, bytes = 0;
    for_each_document({file}, [&](const Document& document) {
      ++documents;
      bytes += document.text.size();
      CHECK(std::string(document.domain) + ".jsonl.gz" == name);
      CHECK(count_characters(document.text) >= 400);
    });
    const auto cells = row_of(readme, name);  // "", name, source, licence, documents, bytes of text, ""
    REQUIRE(cells.size() >= 6);
    CHECK(cells[3] == licences.at(name));
    CHECK(cells[4] == std::to_string(documents));
    CHECK(cells[5] == std::to_string(bytes));
    packed += std::filesystem::file_size(file);
  }
  CHECK(packed < 8'000'000);
}

}  // namespace dipaco
