#include "core/state/archive_records.hpp"

#include "core/base/bytes.hpp"
#include "core/checkpoint/journal.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {

ArchiveJournal open_archive_journal(Storage& storage, const std::string& key) {
  const auto bytes = storage.get(key);
  const Journal journal = bytes ? read_journal(*bytes, key) : Journal{};
  ArchiveJournal opened;
  for (const auto& record : journal.records) opened.records.push_back(decode_archive_record(record, key));
  const std::vector<std::byte> whole =
      journal.whole == 0 ? begin_journal()
                         : std::vector(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(journal.whole));
  if (!bytes || bytes->size() != whole.size()) storage.put(key, whole);
  opened.size = whole.size();
  return opened;
}

std::vector<std::byte> encode_archive_record(ArchiveRecord record) {
  ByteWriter out;
  out.value(static_cast<std::uint8_t>(record.index()));
  Encoder encoder(out);
  std::visit([&](auto& fields) { fields.fields(encoder); }, record);
  return out.take();
}

ArchiveRecord decode_archive_record(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader in(bytes, source);
  ArchiveRecord record;
  const auto kind = in.value<std::uint8_t>();
  if (kind == 1) record = NormRecord{};
  if (kind == 2) record = Evaluated{};
  if (kind == 3) record = RefusedAttemptRecord{};
  if (kind > 3) in.fail("unknown kind of record " + std::to_string(kind));
  Decoder decoder(in);
  std::visit([&](auto& fields) { fields.fields(decoder); }, record);
  if (in.remaining() != 0) in.fail(std::to_string(in.remaining()) + " bytes too many");
  return record;
}

}  // namespace dipaco
