#include "core/data/token_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/token_format.hpp"
#include "core/data/utf8.hpp"

namespace dipaco {

struct TokenFile::Implementation {
  explicit Implementation(const std::filesystem::path& file) : name(file.string()), mapped(file) {
    read_head();
    read_foot();
    read_tables();
    check_records();
    check_tokens();
  }

  [[noreturn]] void fail(std::uint64_t offset, const std::string& why) const {
    throw DataError(name + ": at byte " + std::to_string(offset) + ": " + why + "; delete the file, it is made again");
  }

  template <class T>
  T load(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, mapped.bytes().data() + offset, sizeof value);
    return value;
  }

  void read_head();
  void read_foot();
  void read_tables();
  void check_records() const;
  void check_tokens() const;
  template <class Token>
  void check_tokens_as() const;

  std::string name;
  MappedFile mapped;
  TokenFileHead head{};
  TokenFileFoot foot{};
  std::uint64_t records_at = 0;
  std::span<const DocumentRecord> records;
  std::vector<std::string> domains;
};

void TokenFile::Implementation::read_head() {
  const std::uint64_t size = mapped.bytes().size();
  if (size < sizeof head + sizeof foot) fail(size, "truncated: a token file has at least 64 bytes");
  head = load<TokenFileHead>(0);
  if (std::memcmp(head.magic, kTokenFileMagic, sizeof kTokenFileMagic) != 0) fail(0, "not a token file");
  if (head.version != kTokenFileVersion) {
    fail(offsetof(TokenFileHead, version), "version " + std::to_string(head.version) +
                                               ", and this program reads version " + std::to_string(kTokenFileVersion));
  }
  if (head.vocabulary == 0 || head.vocabulary > kLargestVocabulary) {
    fail(offsetof(TokenFileHead, vocabulary), "damaged: a vocabulary of " + std::to_string(head.vocabulary));
  }
  if (head.token_bytes != bytes_of_a_token(head.vocabulary)) {
    fail(offsetof(TokenFileHead, token_bytes), "damaged: " + std::to_string(head.token_bytes) + " bytes a token");
  }
  if (head.prefix > kLargestVocabulary)
    fail(offsetof(TokenFileHead, prefix), "damaged: a prefix of " + std::to_string(head.prefix));
}

void TokenFile::Implementation::read_foot() {
  const std::uint64_t size = mapped.bytes().size();
  const std::uint64_t foot_at = size - sizeof foot;
  foot = load<TokenFileFoot>(foot_at);
  // Each part is below the file's size, so that their sum does not overflow.
  const bool fits = foot.tokens <= size / head.token_bytes && foot.documents <= size / sizeof(DocumentRecord) &&
                    foot.documents <= kMostDocuments && foot.domain_bytes <= size;
  const std::uint64_t token_bytes = fits ? foot.tokens * head.token_bytes : 0;
  records_at = sizeof head + token_bytes + padding_behind(token_bytes);
  if (!fits || records_at + foot.documents * sizeof(DocumentRecord) + foot.domain_bytes != foot_at) {
    fail(foot_at, "truncated or damaged: the sizes written at its end are not those of a file of " +
                      std::to_string(size) + " bytes");
  }
  const std::uint64_t checksum_at = size - sizeof foot.checksum;
  if (checksum(mapped.bytes().first(checksum_at)) != foot.checksum) {
    fail(checksum_at, "damaged: the checksum is not that of the bytes before it");
  }
}

void TokenFile::Implementation::read_tables() {
  for (std::uint64_t at = sizeof head + foot.tokens * head.token_bytes; at < records_at; ++at) {
    if (mapped.bytes()[at] != std::byte{0}) fail(at, "damaged: padding is not zero");
  }
  // Records lie at a multiple of 8 in a mapping that starts at a page.
  records = {reinterpret_cast<const DocumentRecord*>(mapped.bytes().data() + records_at), foot.documents};
  ByteReader reader(mapped.bytes().first(mapped.bytes().size() - sizeof foot), name);
  reader.raw(records_at + foot.documents * sizeof(DocumentRecord));
  const auto count = reader.value<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    domains.push_back(reader.text());
    if (first_invalid_utf8(domains.back())) reader.fail("a domain's name is not UTF-8");
  }
  if (reader.remaining() != 0) reader.fail("more bytes than domains");
}

void TokenFile::Implementation::check_records() const {
  std::uint64_t next_token = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const DocumentRecord& record = records[i];
    const bool holds = record.first_token == next_token && record.tokens > 0 && record.prefix_bytes <= record.bytes &&
                       record.domain < domains.size() && record.validation <= 1;
    if (!holds) fail(records_at + i * sizeof record, "damaged: the record of document " + std::to_string(i));
    next_token += record.tokens;  // does not overflow: fewer than 2^32 records of less than 2^32 tokens
  }
  if (next_token != foot.tokens) fail(records_at, "damaged: the documents' tokens are not the file's");
}

void TokenFile::Implementation::check_tokens() const {
  if (head.token_bytes == 2) {
    check_tokens_as<std::uint16_t>();
  } else {
    check_tokens_as<std::uint32_t>();
  }
}

template <class Token>
void TokenFile::Implementation::check_tokens_as() const {
  const std::span tokens(reinterpret_cast<const Token*>(mapped.bytes().data() + sizeof head), foot.tokens);
  const auto outside =
      std::find_if(tokens.begin(), tokens.end(), [&](Token token) { return token >= head.vocabulary; });
  if (outside == tokens.end()) return;
  fail(sizeof head + static_cast<std::uint64_t>(outside - tokens.begin()) * sizeof(Token),
       "damaged: token " + std::to_string(*outside) + " is outside the vocabulary of " +
           std::to_string(head.vocabulary));
}

TokenFile::TokenFile(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
TokenFile::TokenFile(TokenFile&&) noexcept = default;
TokenFile& TokenFile::operator=(TokenFile&&) noexcept = default;
TokenFile::~TokenFile() = default;

TokenFile TokenFile::open(const std::filesystem::path& file) {
  return TokenFile(std::make_unique<Implementation>(file));
}

std::span<const DocumentRecord> TokenFile::documents() const { return implementation_->records; }

void TokenFile::copy_tokens(DocumentId id, std::uint32_t first, std::span<std::int32_t> out) const {
  const Implementation& from = *implementation_;
  check(index(id) < from.records.size(), "a document to copy from is the file's");
  const DocumentRecord& record = from.records[index(id)];
  check(first <= record.tokens && out.size() <= record.tokens - first, "tokens to copy are the document's");
  const std::byte* const start =
      from.mapped.bytes().data() + sizeof from.head + (record.first_token + first) * from.head.token_bytes;
  if (from.head.token_bytes == 2) {
    const std::span tokens(reinterpret_cast<const std::uint16_t*>(start), out.size());
    std::copy(tokens.begin(), tokens.end(), out.begin());
  } else {
    std::memcpy(out.data(), start, out.size_bytes());
  }
}

std::int64_t TokenFile::vocabulary() const { return static_cast<std::int64_t>(implementation_->head.vocabulary); }
std::int64_t TokenFile::prefix() const { return static_cast<std::int64_t>(implementation_->head.prefix); }
const std::vector<std::string>& TokenFile::domains() const { return implementation_->domains; }

}  // namespace dipaco
