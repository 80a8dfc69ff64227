#include "core/state/archive_records.hpp"

#include "core/base/bytes.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {

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
