#include "core/checkpoint/journal.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/sealed.hpp"

namespace dipaco {
namespace {

constexpr Seal kJournalSeal{.magic = "DIPACOJL", .version = 4, .noun = "journal"};
constexpr std::size_t kHeadSize = 2 * sizeof(std::uint32_t);  ///< a record's length and the check of it
constexpr std::size_t kChecksumSize = sizeof(std::uint64_t);

std::uint64_t mixed(std::uint64_t number, std::uint64_t offset) {
  const std::array numbers{number, offset};
  return checksum(std::as_bytes(std::span(numbers)));
}

std::uint32_t length_check(std::uint32_t length, std::uint64_t offset) {
  return static_cast<std::uint32_t>(mixed(length, offset));
}

bool all_zeros(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

/// Whether `bytes` are a prefix of the header and perhaps zeros, but less than the header.
bool torn_header(std::span<const std::byte> bytes) {
  const std::vector<std::byte> header = begin_journal();
  const std::size_t most = std::min(bytes.size(), header.size());
  const auto same = std::mismatch(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(most), header.begin());
  const auto matched = static_cast<std::size_t>(same.second - header.begin());
  return matched < header.size() && all_zeros(bytes.subspan(matched));
}

[[noreturn]] void fail(const std::string& source, std::uint64_t offset, const std::string& why) {
  throw DataError(source + ": damaged at byte " + std::to_string(offset) + ": " + why +
                  "; restore the file from a copy, or begin anew without it and what it kept");
}

/// The record at `offset`, or false where a torn one lies there.
bool next_record(std::span<const std::byte> bytes, std::uint64_t offset, const std::string& source, Journal& journal) {
  const std::span<const std::byte> rest = bytes.subspan(offset);
  if (rest.size() < kHeadSize) return false;
  ByteReader reader(rest, source);
  const auto length = reader.value<std::uint32_t>();
  if (reader.value<std::uint32_t>() != length_check(length, offset)) {
    if (all_zeros(rest.subspan(kHeadSize))) return false;  // no record can lie here: its checksum would not be 0
    fail(source, offset, "a record's length does not have its check");
  }
  if (reader.remaining() < length + kChecksumSize) return false;
  const std::span<const std::byte> record = reader.raw(length);
  const auto sum = reader.value<std::uint64_t>();
  if (sum != mixed(checksum(record), offset)) {
    if (sum == 0 && all_zeros(rest.subspan(reader.offset()))) return false;  // its end was never written
    fail(source, offset, "the checksum of a record of " + std::to_string(length) + " bytes differs");
  }
  journal.records.emplace_back(record.begin(), record.end());
  journal.whole = offset + reader.offset();
  return true;
}

}  // namespace

std::vector<std::byte> begin_journal() { return begin_sealed(kJournalSeal).take(); }

std::vector<std::byte> frame_record(std::span<const std::byte> record, std::uint64_t offset) {
  check(record.size() <= std::numeric_limits<std::uint32_t>::max(), "a record's length has four bytes");
  const auto length = static_cast<std::uint32_t>(record.size());
  ByteWriter writer;
  writer.value(length);
  writer.value(length_check(length, offset));
  writer.raw(record);
  writer.value(mixed(checksum(record), offset));
  return writer.take();
}

Journal read_journal(std::span<const std::byte> bytes, const std::string& source) {
  Journal journal;
  journal.torn = torn_header(bytes);
  if (journal.torn) return journal;
  check_seal(bytes, kJournalSeal, source);
  journal.whole = kSealSize;
  while (journal.whole < bytes.size()) {
    journal.torn = !next_record(bytes, journal.whole, source, journal);
    if (journal.torn) break;
  }
  return journal;
}

}  // namespace dipaco
