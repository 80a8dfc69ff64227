#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

namespace dipaco {

// A message's long arrays, apart from the rest of its encoding: a transport sends them from where they lie, and
// receives them to where they stay.

/// Arrays of so many bytes are long.
inline constexpr std::size_t kLongArray = 64 * 1024;

/// What the items of a long array are. The order is part of the wire format.
enum class ItemKind : std::uint8_t { bytes, floats };

/// One that is sent.
struct LongArray {
  ItemKind kind{};
  std::span<const std::byte> bytes;  ///< of the message, which has to outlive this
};

/// Memory of received arrays that nobody reads any more, for the next of the same size: modules come again and again
/// in the same sizes, and fresh memory costs more time than a fast network. From any thread.
class SpareArrays : public std::enable_shared_from_this<SpareArrays> {
 public:
  /// @param most  bytes that are kept, but one array is kept whatever its size
  explicit SpareArrays(std::uint64_t most) : most_(most) {}
  /// With room for so many items, and with whatever items were there; it comes back here after its last use.
  template <class T>
  std::shared_ptr<std::vector<T>> take(std::size_t items);

 private:
  template <class T>
  void give_back(std::vector<T> items);

  std::mutex mutex_;
  std::uint64_t most_;
  std::uint64_t kept_ = 0;                                                                ///< bytes
  std::tuple<std::deque<std::vector<float>>, std::deque<std::vector<std::byte>>> spare_;  ///< the oldest first
};

/// One that is received: room for all of it, which is filled from the beginning.
class ReceivedArray {
 public:
  /// @throws std::bad_alloc, std::length_error
  ReceivedArray(ItemKind kind, std::uint64_t bytes, SpareArrays& spare);
  /// The next bytes of it, whole items, to receive into. What was extended before stays where it lies.
  std::span<std::byte> extend(std::size_t bytes);
  /// @returns nullptr where its items are of another kind
  template <class T>
  std::shared_ptr<const std::vector<T>> items() const {
    const auto* const found = std::get_if<std::shared_ptr<std::vector<T>>>(&items_);
    return found == nullptr ? nullptr : *found;
  }

 private:
  std::variant<std::shared_ptr<std::vector<std::byte>>, std::shared_ptr<std::vector<float>>> items_;
  std::size_t filled_ = 0;  ///< items
};

}  // namespace dipaco
