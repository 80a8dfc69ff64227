#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"

namespace dipaco {

static_assert(std::endian::native == std::endian::little, "files and messages are little-endian, written as they lie");

/// Appends plain values to a byte vector, little-endian, one behind the other.
class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void value(T v) { raw(std::as_bytes(std::span(&v, 1))); }
  /// The length as 32 bits, then the characters. REQUIRES that `s` is shorter than 4 GiB.
  void text(std::string_view s) {
    value(static_cast<std::uint32_t>(s.size()));
    raw(std::as_bytes(std::span(s.data(), s.size())));
  }
  /// The count of the items as 64 bits, then the items as they lie in memory.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void array(std::span<const T> items) {
    value(static_cast<std::uint64_t>(items.size()));
    raw(std::as_bytes(items));
  }
  /// The bytes alone, without a length: the reader must know how many there are.
  void raw(std::span<const std::byte> bytes) {
    const std::size_t end = bytes_.size();
    constexpr std::size_t kFirst = 128;  // of most records and messages all: they need one allocation, not eight
    if (end + bytes.size() > bytes_.capacity()) bytes_.reserve(std::max(2 * bytes_.capacity() + bytes.size(), kFirst));
    bytes_.resize(end + bytes.size());  // not insert: g++ 12 warns of an overflow that is none
    if (!bytes.empty()) std::memcpy(bytes_.data() + end, bytes.data(), bytes.size());
  }
  std::size_t size() const { return bytes_.size(); }
  /// Makes room for so many more bytes, which spares copies; changes nothing that is written.
  void expect(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  /// All that was written; the writer is empty afterwards.
  std::vector<std::byte> take() { return std::move(bytes_); }
  /// The same without taking it: valid until the next write.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote, in the same order. Every read is bounds-checked. Borrows the bytes: they must outlive
/// the reader and what raw() gives.
/// @throws DataError naming `source` and the offset where the bytes end too early.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string source) : bytes_(bytes), source_(std::move(source)) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> T value() {
    T v;
    std::memcpy(&v, need(sizeof v).data(), sizeof v);
    return v;
  }
  std::string text() {
    const auto bytes = need(value<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> array() {
    const auto count = value<std::uint64_t>();
    if (count > remaining() / sizeof(T)) fail("an array of " + std::to_string(count) + " items does not fit");
    const auto bytes = need(count * sizeof(T));
    std::vector<T> items(count);
    if (count > 0) std::memcpy(items.data(), bytes.data(), bytes.size());
    return items;
  }
  /// The next `count` bytes, not copied.
  std::span<const std::byte> raw(std::size_t count) { return need(count); }
  /// Bytes read so far, and bytes not read yet.
  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }
  /// For a caller that finds a value wrong. @throws DataError "SOURCE: damaged at byte OFFSET: WHY", always
  [[noreturn]] void fail(const std::string& why) const {
    throw DataError(source_ + ": damaged at byte " + std::to_string(offset_) + ": " + why);
  }

 private:
  std::span<const std::byte> need(std::size_t count) {
    if (count > remaining()) fail("it ends early");
    const auto part = bytes_.subspan(offset_, count);
    offset_ += count;
    return part;
  }

  std::span<const std::byte> bytes_;
  std::string source_;
  std::size_t offset_ = 0;
};

}  // namespace dipaco
