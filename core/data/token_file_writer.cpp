#include <algorithm>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/token_file.hpp"
#include "core/data/token_format.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kFlushBytes = 16U << 20U;
constexpr std::size_t kMostDomains = 65536;

}  // namespace

struct TokenFileWriter::Implementation {
  std::filesystem::path file;
  std::filesystem::path aside;  ///< what is written so far, until finish()
  std::uint64_t vocabulary = 0;
  std::uint64_t prefix = 0;
  ByteWriter pending;
  TokenFileFoot foot{};
  std::vector<DocumentRecord> records;
  std::vector<std::string> domains;
  std::map<std::string, std::uint16_t, std::less<>> places;  ///< of the domains

  void flush() {
    append_file(aside, pending.bytes());
    pending = {};
  }

  std::uint16_t place_of(std::string_view domain) {
    const auto found = places.find(domain);
    if (found != places.end()) return found->second;
    if (domains.size() == kMostDomains) {
      throw DataError("domain \"" + std::string(domain) +
                      "\": more than 65,536 domains; name fewer, or leave the field out");
    }
    domains.emplace_back(domain);
    return places.emplace(domain, static_cast<std::uint16_t>(domains.size() - 1)).first->second;
  }

  void put_tokens(std::span<const std::int32_t> tokens) {
    const bool two_bytes = bytes_of_a_token(vocabulary) == 2;
    for (const std::int32_t token : tokens) {
      check(token >= 0 && static_cast<std::uint64_t>(token) < vocabulary, "a token is one of the vocabulary");
      if (two_bytes) {
        pending.value(static_cast<std::uint16_t>(token));
      } else {
        pending.value(token);
      }
    }
    foot.tokens += tokens.size();
  }

  /// Puts its tokens behind those that are there, with the record as it is but for where they lie.
  void put(DocumentRecord record, std::span<const std::int32_t> tokens) {
    check(records.size() < kMostDocuments, "a token file holds fewer than 2^32 documents");
    record.first_token = foot.tokens;
    put_tokens(tokens);
    records.push_back(record);
    if (pending.size() >= kFlushBytes) flush();
  }

  void put_tables() {
    const std::uint64_t token_bytes = foot.tokens * bytes_of_a_token(vocabulary);
    for (std::uint64_t i = 0; i < padding_behind(token_bytes); ++i) pending.value(std::uint8_t{0});
    pending.raw(std::as_bytes(std::span(records)));
    ByteWriter names;
    names.value(static_cast<std::uint32_t>(domains.size()));
    for (const std::string& name : domains) names.text(name);
    pending.raw(names.bytes());
    foot.documents = records.size();
    foot.domain_bytes = names.size();
    pending.value(foot.tokens);
    pending.value(foot.documents);
    pending.value(foot.domain_bytes);
  }
};

TokenFileWriter::TokenFileWriter(std::filesystem::path file, std::int64_t vocabulary, std::int64_t prefix)
    : implementation_(std::make_unique<Implementation>()) {
  check(vocabulary > 0 && static_cast<std::uint64_t>(vocabulary) <= kLargestVocabulary, "a vocabulary fits 31 bits");
  check(prefix >= 0 && prefix <= 0x7FFFFFFF, "a prefix fits 31 bits");
  Implementation& to = *implementation_;
  to.file = std::move(file);
  to.aside = to.file.string() + ".part";
  to.vocabulary = static_cast<std::uint64_t>(vocabulary);
  to.prefix = static_cast<std::uint64_t>(prefix);
  std::error_code none;
  std::filesystem::remove(to.aside, none);  // of a writer that was stopped
  to.pending.raw(std::as_bytes(std::span(kTokenFileMagic)));
  to.pending.value(kTokenFileVersion);
  to.pending.value(bytes_of_a_token(to.vocabulary));
  to.pending.value(to.vocabulary);
  to.pending.value(to.prefix);
}

TokenFileWriter::~TokenFileWriter() {
  std::error_code none;
  std::filesystem::remove(implementation_->aside, none);  // not there after finish()
}

void TokenFileWriter::add(std::span<const std::int32_t> tokens, std::span<const std::uint32_t> ends, std::uint64_t hash,
                          std::uint32_t bytes, std::string_view domain, bool validation) {
  check(!tokens.empty() && tokens.size() == ends.size(), "each token of a document has its end");
  check(std::is_sorted(ends.begin(), ends.end()) && ends.back() <= bytes, "ends ascend within the text");
  Implementation& to = *implementation_;
  DocumentRecord record;
  record.hash = hash;
  record.tokens = static_cast<std::uint32_t>(tokens.size());
  record.bytes = bytes;
  record.prefix_bytes = to.prefix == 0 ? 0 : to.prefix <= tokens.size() ? ends[to.prefix - 1] : bytes;
  record.domain = to.place_of(domain);
  record.validation = validation ? 1 : 0;
  to.put(record, tokens);
}

void TokenFileWriter::append(const TokenFile& other, bool validation) {
  Implementation& to = *implementation_;
  check(static_cast<std::uint64_t>(other.vocabulary()) == to.vocabulary &&
            static_cast<std::uint64_t>(other.prefix()) == to.prefix,
        "token files that become one have one vocabulary and prefix");
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < other.documents().size(); ++i) {
    DocumentRecord record = other.documents()[i];
    tokens.resize(record.tokens);
    other.copy_tokens(DocumentId{static_cast<std::uint32_t>(i)}, 0, tokens);
    record.domain = to.place_of(other.domains()[record.domain]);
    record.validation = validation ? 1 : 0;
    to.put(record, tokens);
  }
}

void TokenFileWriter::finish() {
  Implementation& to = *implementation_;
  to.put_tables();
  to.flush();
  to.pending.value(checksum(MappedFile(to.aside).bytes()));
  to.flush();
  move_into_place(to.aside, to.file);
}

}  // namespace dipaco
