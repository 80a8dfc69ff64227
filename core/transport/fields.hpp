#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/events/events.hpp"
#include "core/outer/gradient_format.hpp"
#include "core/transport/job_messages.hpp"
#include "core/transport/parts.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// What reads, writes and measures a struct by its `fields`: messages, and the records of the coordinator's journal.

/// How many bytes the fields take, the kind's one byte among them; values count as what they are charged for.
class Sizer {
 public:
  template <class... T>
  void operator()(T&... fields) {
    (one(fields), ...);
  }
  std::uint64_t size = 1;  // the kind

 private:
  template <class T>
  void one(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      size += sizeof(T);
    } else {
      field.fields(*this);
    }
  }
  void one(ModuleId& /*module*/) { size += 2 * sizeof(std::int32_t); }
  void one(std::string& text) { size += sizeof(std::uint32_t) + text.size(); }
  void one(Values& values) { size += sizeof(std::uint64_t) + values.charged * sizeof(float); }
  void one(GradientValues& gradient) {
    size += sizeof(gradient.format) + sizeof(std::uint64_t) + encoded_size(gradient.format, gradient.charged);
  }
  void one(SumValues& sum) { size += sizeof(std::uint64_t) + kSumBytes * sum.charged; }
  template <class T>
  void one(std::vector<T>& items) {
    size += sizeof(std::uint32_t);
    for (T& item : items) one(item);
  }
};

// In the number of charged values: there are none, only what they are charged for; there is another number than that.
inline constexpr std::uint64_t kNothing = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kOther = std::uint64_t{1} << 62;
/// More than any message is charged for; their size in bytes is still a number.
inline constexpr std::uint64_t kMostCharged = std::uint64_t{1} << 48;

template <class T>
constexpr ItemKind item_kind() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, std::byte>);
  return std::is_same_v<T, float> ? ItemKind::floats : ItemKind::bytes;
}

/// Appends the fields to a ByteWriter, in the order of `fields`.
class Encoder {
 public:
  /// @param apart  gets the long arrays of values; null: they are written with the rest
  explicit Encoder(ByteWriter& out, std::vector<LongArray>* apart = nullptr) : out_(out), apart_(apart) {}
  template <class... T>
  void operator()(T&... fields) {
    (one(fields), ...);
  }

 private:
  template <class T>
  void one(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      out_.value(field);
    } else {
      field.fields(*this);
    }
  }
  void one(ModuleId& module) { (*this)(module.level, module.expert); }
  void one(std::string& text) { out_.text(text); }
  void one(Values& values) { some(values.data.get(), values.charged, values.charged); }
  void one(GradientValues& gradient) {
    out_.value(gradient.format);
    some(gradient.bytes.get(), gradient.charged, encoded_size(gradient.format, gradient.charged));
  }
  void one(SumValues& sum) { some(sum.bytes.get(), sum.charged, kSumBytes * sum.charged); }
  /// @param usual  size of `items` where they are what is charged for
  template <class T>
  void some(const std::vector<T>* items, std::uint64_t charged, std::uint64_t usual) {
    if (items == nullptr) return out_.value(charged | kNothing);
    if (items->size() == usual) {
      out_.value(charged);
    } else {
      out_.value(charged | kOther);
      out_.value(static_cast<std::uint64_t>(items->size()));
    }
    const auto bytes = std::as_bytes(std::span(*items));
    if (apart_ == nullptr || bytes.size() < kLongArray) return out_.raw(bytes);
    apart_->push_back({item_kind<T>(), bytes});
  }
  template <class T>
  void one(std::vector<T>& items) {
    out_.value(static_cast<std::uint32_t>(items.size()));
    for (T& item : items) one(item);
  }

  ByteWriter& out_;
  std::vector<LongArray>* apart_;
};

/// Fills the fields with what an Encoder wrote.
/// @throws DataError naming the reader's source and the offset where the bytes are damaged.
class Decoder {
 public:
  /// @param apart  the long arrays that were left out; null: none were
  explicit Decoder(ByteReader& in, std::span<const ReceivedArray>* apart = nullptr) : in_(in), apart_(apart) {}
  template <class... T>
  void operator()(T&... fields) {
    (one(fields), ...);
  }

 private:
  template <class T>
  void one(T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      field = in_.value<T>();
    } else {
      field.fields(*this);
    }
  }
  void one(bool& value) {
    const auto byte = in_.value<std::uint8_t>();
    if (byte > 1) in_.fail("a yes or no is " + std::to_string(byte));
    value = byte == 1;
  }
  void one(Role& role) {
    role = in_.value<Role>();
    if (role > Role::evaluator) in_.fail("unknown role " + std::to_string(static_cast<int>(role)));
  }
  void one(Awaits& awaits) {
    awaits = in_.value<Awaits>();
    if (awaits > Awaits::no_version) in_.fail("a sender awaits " + std::to_string(static_cast<int>(awaits)));
  }
  void one(Purpose& purpose) {
    purpose = in_.value<Purpose>();
    if (purpose > Purpose::result) in_.fail("unknown purpose " + std::to_string(static_cast<int>(purpose)));
  }
  void one(ModuleId& module) { (*this)(module.level, module.expert); }
  void one(std::string& text) { text = in_.text(); }
  void one(Values& values) {
    values.data = some<float>(values.charged, [](std::uint64_t charged) { return charged; });
  }
  void one(GradientValues& gradient) {
    gradient.format = in_.value<GradientFormat>();
    if (static_cast<std::size_t>(gradient.format) >= kGradientFormatTable.size()) {
      in_.fail("unknown format " + std::to_string(static_cast<int>(gradient.format)) + " of an outer gradient");
    }
    const auto size = [&](std::uint64_t charged) { return encoded_size(gradient.format, charged); };
    gradient.bytes = some<std::byte>(gradient.charged, size);
  }
  void one(SumValues& sum) {
    sum.bytes = some<std::byte>(sum.charged, [](std::uint64_t charged) { return kSumBytes * charged; });
  }
  /// @param usual  how many items there are for what is charged
  template <class T, class Size>
  std::shared_ptr<const std::vector<T>> some(std::uint64_t& charged, Size usual) {
    const auto head = in_.value<std::uint64_t>();
    charged = head & ~(kNothing | kOther);
    if (charged > kMostCharged) in_.fail(std::to_string(charged) + " values");
    if ((head & kNothing) != 0) return nullptr;
    const std::uint64_t count = (head & kOther) != 0 ? in_.value<std::uint64_t>() : usual(charged);
    if (apart_ != nullptr && count >= kLongArray / sizeof(T)) return next_apart<T>(count);
    if (count > in_.remaining() / sizeof(T)) in_.fail(std::to_string(count) + " values do not fit");
    const auto bytes = in_.raw(count * sizeof(T));
    std::vector<T> items(count);
    if (count > 0) std::memcpy(items.data(), bytes.data(), bytes.size());
    return std::make_shared<const std::vector<T>>(std::move(items));
  }
  template <class T>
  void one(std::vector<T>& items) {
    const auto count = in_.value<std::uint32_t>();
    if (count > in_.remaining()) in_.fail("a list of " + std::to_string(count) + " items does not fit");
    for (std::uint32_t k = 0; k < count; ++k) one(items.emplace_back());
  }

  template <class T>
  std::shared_ptr<const std::vector<T>> next_apart(std::uint64_t count) {
    const auto items = apart_->empty() ? nullptr : apart_->front().items<T>();
    if (items == nullptr || items->size() != count) in_.fail("its long arrays are others than it says");
    *apart_ = apart_->subspan(1);
    return items;
  }

  ByteReader& in_;
  std::span<const ReceivedArray>* apart_;
};

}  // namespace dipaco
