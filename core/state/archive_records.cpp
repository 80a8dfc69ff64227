#include "core/state/archive_records.hpp"

#include "core/state/records.hpp"

namespace dipaco {

ArchiveJournal open_archive_journal(Storage& storage, const std::string& key) {
  const auto [records, size] = open_journal(storage, key);
  ArchiveJournal opened{.records = {}, .size = size};
  for (const auto& record : records) opened.records.push_back(decode_record<ArchiveRecord>(record, key));
  return opened;
}

std::vector<std::byte> encode_archive_record(ArchiveRecord record) { return encode_record(std::move(record)); }

}  // namespace dipaco
