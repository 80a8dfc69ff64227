#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dipaco {

// An append-only log of records, each with checksums (docs/file-formats.md): bytes that Storage::append takes and
// Storage::get gives back. Who appends keeps the journal's size, and cuts a torn end off before it appends again.

/// What a journal holds.
struct Journal {
  std::vector<std::vector<std::byte>> records;  ///< in the order they were appended
  std::uint64_t whole = 0;  ///< bytes up to the end of the last whole record; 0 where not even the header is whole
  bool torn = false;        ///< behind `whole` lies (or should lie) what a write left that was stopped in its middle
};

/// The header: a journal without records.
std::vector<std::byte> begin_journal();

/// What to append so that `record` becomes the journal's next. REQUIRES record.size() < 2^32.
/// @param offset the journal's size before it: bound into the checksums, so that no record is read at another's place
std::vector<std::byte> frame_record(std::span<const std::byte> record, std::uint64_t offset);

/// Reads a journal. At its end, any prefix of a record is a write that was stopped: it was never acknowledged, and is
/// dropped and told by `torn`. So is a prefix with zeros behind it, which is what a file system leaves that lengthens
/// a file before it writes the bytes; and a prefix of the header, or nothing at all.
/// @throws DataError naming `source` and the byte: another format or version, or damage to what was once whole. Two
/// damages look like a torn end and pass for one: a journal cut short, and one whose end was overwritten by zeros.
/// Zeros that begin within a record's checksum pass for damage: a flipped bit could look the same.
Journal read_journal(std::span<const std::byte> bytes, const std::string& source);

}  // namespace dipaco
