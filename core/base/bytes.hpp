#pragma once

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

/// Appends plain values to a byte vector, little-endian.
class ByteWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void value(T v) { raw(std::as_bytes(std::span(&v, 1))); }
  void text(std::string_view s) {
    value(static_cast<std::uint32_t>(s.size()));
    raw(std::as_bytes(std::span(s.data(), s.size())));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void array(std::span<const T> items) {
    value(static_cast<std::uint64_t>(items.size()));
    raw(std::as_bytes(items));
  }
  void raw(std::span<const std::byte> bytes) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + bytes.size());  // not insert: g++ 12 warns of an overflow that is none
    if (!bytes.empty()) std::memcpy(bytes_.data() + end, bytes.data(), bytes.size());
  }
  std::size_t size() const { return bytes_.size(); }
  /// So many bytes more will come: spares copies.
  void expect(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote. Every read is bounds-checked.
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
  std::span<const std::byte> raw(std::size_t count) { return need(count); }
  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }
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
