#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/log/events.hpp"
#include "core/outer/gradient_format.hpp"
#include "core/transport/job_messages.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// What reads, writes and measures a struct by its `fields`: messages, and the records of the coordinator's journal.

/// How many bytes the fields take; values count as what they are charged for.
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
  template <class T>
  void one(std::vector<T>& items) {
    size += sizeof(std::uint32_t);
    for (T& item : items) one(item);
  }
};

class Encoder {
 public:
  explicit Encoder(ByteWriter& out) : out_(out) {}
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
  void one(Values& values) {
    const std::size_t size = values.data == nullptr ? 0 : values.data->size();
    check(size == values.charged, "only real values are encoded");
    out_.array(size == 0 ? std::span<const float>() : std::span<const float>(*values.data));
  }
  void one(GradientValues& gradient) {
    const std::size_t size = gradient.bytes == nullptr ? 0 : gradient.bytes->size();
    check(size == encoded_size(gradient.format, gradient.charged), "only real values are encoded");
    out_.value(gradient.format);
    out_.value(gradient.charged);
    if (size > 0) out_.raw(*gradient.bytes);
  }
  template <class T>
  void one(std::vector<T>& items) {
    out_.value(static_cast<std::uint32_t>(items.size()));
    for (T& item : items) one(item);
  }

  ByteWriter& out_;
};

/// @throws DataError naming the reader's source and the offset where the bytes are damaged.
class Decoder {
 public:
  explicit Decoder(ByteReader& in) : in_(in) {}
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
  void one(Purpose& purpose) {
    purpose = in_.value<Purpose>();
    if (purpose > Purpose::result) in_.fail("unknown purpose " + std::to_string(static_cast<int>(purpose)));
  }
  void one(ModuleId& module) { (*this)(module.level, module.expert); }
  void one(std::string& text) { text = in_.text(); }
  void one(Values& values) {
    auto floats = in_.array<float>();
    values.charged = floats.size();
    if (!floats.empty()) values.data = std::make_shared<const std::vector<float>>(std::move(floats));
  }
  void one(GradientValues& gradient) {
    gradient.format = in_.value<GradientFormat>();
    if (gradient.format > GradientFormat::int8) {
      in_.fail("unknown format " + std::to_string(static_cast<int>(gradient.format)) + " of an outer gradient");
    }
    gradient.charged = in_.value<std::uint64_t>();
    // A value takes a byte at least; the size of any more might not fit 64 bits.
    if (gradient.charged > in_.remaining()) {
      in_.fail("an outer gradient of " + std::to_string(gradient.charged) + " values does not fit");
    }
    const auto bytes = in_.raw(encoded_size(gradient.format, gradient.charged));
    if (!bytes.empty()) gradient.bytes = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  }
  template <class T>
  void one(std::vector<T>& items) {
    const auto count = in_.value<std::uint32_t>();
    if (count > in_.remaining()) in_.fail("a list of " + std::to_string(count) + " items does not fit");
    for (std::uint32_t k = 0; k < count; ++k) one(items.emplace_back());
  }

  ByteReader& in_;
};

}  // namespace dipaco
