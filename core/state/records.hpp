#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {

// Records of a journal (docs/file-formats.md). `Record` is a std::variant of structs with `fields`; the order of its
// alternatives is part of the format.

/// One byte that says which alternative it is, and its fields.
template <class Record>
std::vector<std::byte> encode_record(Record record) {
  ByteWriter out;
  out.value(static_cast<std::uint8_t>(record.index()));
  Encoder encoder(out);
  std::visit([&](auto& fields) { fields.fields(encoder); }, record);
  return out.take();
}

/// @throws DataError naming `source`
template <class Record>
Record decode_record(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader in(bytes, source);
  const auto kind = in.value<std::uint8_t>();
  Record record;
  const auto make = [&]<std::size_t... I>(std::index_sequence<I...> /*kinds*/) {
    return ((kind == I ? (record.template emplace<I>(), true) : false) || ...);
  };
  if (!make(std::make_index_sequence<std::variant_size_v<Record>>())) {
    in.fail("unknown kind of record " + std::to_string(kind));
  }
  Decoder decoder(in);
  std::visit([&](auto& fields) { fields.fields(decoder); }, record);
  if (in.remaining() != 0) in.fail(std::to_string(in.remaining()) + " bytes too many");
  return record;
}

/// The records of the journal `key` in the order in which they were written, and its size in bytes: without a torn end,
/// of which nothing follows. That is cut off, and a journal that is not there is begun.
/// @throws DataError where it is damaged
std::pair<std::vector<std::vector<std::byte>>, std::uint64_t> open_journal(Storage& storage, const std::string& key);

}  // namespace dipaco
