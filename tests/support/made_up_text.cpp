#include "tests/support/made_up_text.hpp"

#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/random.hpp"

namespace dipaco {
namespace {

constexpr std::uint64_t kWordsOfADomain = 60;

/// Word `number` of a domain: two to four syllables, drawn once.
std::string made_up_word(std::uint64_t domain, std::uint64_t number) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz";
  constexpr std::string_view kVowels = "aeiou";
  std::string word;
  const std::uint64_t syllables = 2 + draw_below(3, domain, Draw::jitter, number);
  for (std::uint64_t i = 0; i < syllables; ++i) {
    word += kConsonants[draw_below(kConsonants.size(), domain, Draw::jitter, number, 2 * i + 1)];
    word += kVowels[draw_below(kVowels.size(), domain, Draw::jitter, number, 2 * i + 2)];
  }
  return word;
}

}  // namespace

std::vector<MadeUpDocument> made_up_text(const MadeUpTextOptions& options) {
  std::vector<MadeUpDocument> documents;
  for (std::int64_t i = 0; i < options.documents; ++i) {
    const auto domain = static_cast<std::uint64_t>(i % options.domains);
    MadeUpDocument document{"", std::string("d").append(std::to_string(domain))};
    for (std::int64_t w = 0; w < options.words; ++w) {
      // The product of two uniform draws: low numbers come often, high ones seldom.
      const double u =
          draw_uniform(options.seed, Draw::jitter, static_cast<std::uint64_t>(i), 2 * static_cast<std::uint64_t>(w));
      const double v = draw_uniform(options.seed, Draw::jitter, static_cast<std::uint64_t>(i),
                                    2 * static_cast<std::uint64_t>(w) + 1);
      const auto number = static_cast<std::uint64_t>(u * v * static_cast<double>(kWordsOfADomain));
      document.text += made_up_word(domain, number);
      document.text += w % 9 == 8 ? ".\n" : " ";
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

std::string to_jsonl(const std::vector<MadeUpDocument>& documents) {
  std::string lines;
  for (const MadeUpDocument& document : documents) {
    nlohmann::json line{{"text", document.text}};
    if (!document.domain.empty()) line["domain"] = document.domain;
    lines += line.dump() + "\n";
  }
  return lines;
}

void write_gzip(const std::filesystem::path& file, std::string_view text) {
  gzFile out = gzopen(file.c_str(), "wb");
  check(out != nullptr, "a gzip file can be made");
  const int written = gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  const int closed = gzclose(out);
  check(written == static_cast<int>(text.size()) && closed == Z_OK, "a gzip file can be written");
}

std::shared_ptr<const TokenFile> made_up_tokens(const std::filesystem::path& file,
                                                const std::vector<std::vector<std::int32_t>>& documents,
                                                std::int64_t vocabulary, std::int64_t prefix) {
  TokenFileWriter writer(file, vocabulary, prefix);
  for (const auto& tokens : documents) {
    std::vector<std::uint32_t> ends(tokens.size());
    std::iota(ends.begin(), ends.end(), 1U);
    writer.add(tokens, ends, checksum(std::as_bytes(std::span(tokens))), static_cast<std::uint32_t>(tokens.size()), "",
               false);
  }
  writer.finish();
  return std::make_shared<const TokenFile>(TokenFile::open(file));
}

}  // namespace dipaco
