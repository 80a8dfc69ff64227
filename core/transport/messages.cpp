#include "core/transport/messages.hpp"

#include <type_traits>
#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kFloat = sizeof(float);  // outer_gradient_format=fp32

/// How many bytes the fields take; values count as what they are charged for.
class Sizer {
 public:
  template <class... T>
  void operator()(const T&... fields) {
    (one(fields), ...);
  }
  std::uint64_t size = 1;  // the kind

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void one(const T&) { size += sizeof(T); }
  void one(const ModuleId&) { size += 2 * sizeof(std::int32_t); }
  void one(const std::string& text) { size += sizeof(std::uint32_t) + text.size(); }
  void one(const Values& values) { size += sizeof(std::uint64_t) + values.charged * kFloat; }
  void one(const OwnedHash& owned) {
    one(owned.module);
    one(owned.hash);
  }
  template <class T>
  void one(const std::vector<T>& items) {
    size += sizeof(std::uint32_t);
    for (const T& item : items) one(item);
  }
};

class Encoder {
 public:
  explicit Encoder(ByteWriter& out) : out_(out) {}
  template <class... T>
  void operator()(const T&... fields) {
    (one(fields), ...);
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void one(const T& value) { out_.value(value); }
  void one(const ModuleId& module) { (*this)(module.level, module.expert); }
  void one(const std::string& text) { out_.text(text); }
  void one(const Values& values) {
    const std::size_t size = values.data == nullptr ? 0 : values.data->size();
    check(size == values.charged, "only real values are encoded");
    out_.array(size == 0 ? std::span<const float>() : std::span<const float>(*values.data));
  }
  void one(const OwnedHash& owned) { (*this)(owned.module, owned.hash); }
  template <class T>
  void one(const std::vector<T>& items) {
    out_.value(static_cast<std::uint32_t>(items.size()));
    for (const T& item : items) one(item);
  }

  ByteWriter& out_;
};

class Decoder {
 public:
  explicit Decoder(ByteReader& in) : in_(in) {}
  template <class... T>
  void operator()(T&... fields) {
    (one(fields), ...);
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void one(T& value) { value = in_.value<T>(); }
  void one(bool& value) {
    const auto byte = in_.value<std::uint8_t>();
    if (byte > 1) in_.fail("a yes or no is " + std::to_string(byte));
    value = byte == 1;
  }
  void one(Role& role) {
    role = in_.value<Role>();
    if (role > Role::evaluator) in_.fail("unknown role " + std::to_string(static_cast<int>(role)));
  }
  void one(ModuleId& module) { (*this)(module.level, module.expert); }
  void one(std::string& text) { text = in_.text(); }
  void one(Values& values) {
    auto floats = in_.array<float>();
    values.charged = floats.size();
    if (!floats.empty()) values.data = std::make_shared<const std::vector<float>>(std::move(floats));
  }
  void one(OwnedHash& owned) { (*this)(owned.module, owned.hash); }
  template <class T>
  void one(std::vector<T>& items) {
    const auto count = in_.value<std::uint32_t>();
    if (count > in_.remaining()) in_.fail("a list of " + std::to_string(count) + " items does not fit");
    items.resize(count);
    for (T& item : items) one(item);
  }

  ByteReader& in_;
};

template <std::size_t... I>
Body empty_body(std::size_t kind, std::index_sequence<I...> /*kinds*/) {
  Body body;
  ((kind == I ? static_cast<void>(body.emplace<I>()) : static_cast<void>(0)), ...);
  return body;
}

}  // namespace

Message make_message(Body body) {
  Sizer sizer;
  std::visit([&](auto& fields) { fields.fields(sizer); }, body);
  return {std::move(body), Bytes{sizer.size}};
}

std::vector<std::byte> encode(const Message& message) {
  ByteWriter out;
  out.value(message.kind());
  Body body = message.body;  // `fields` serves reading and writing; copying shares the values
  Encoder encoder(out);
  std::visit([&](auto& fields) { fields.fields(encoder); }, body);
  return out.take();
}

Message decode_message(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader in(bytes, source);
  const auto kind = in.value<std::uint8_t>();
  if (kind >= kMessageKinds) in.fail("unknown kind of message " + std::to_string(kind));
  Body body = empty_body(kind, std::make_index_sequence<kMessageKinds>());
  Decoder decoder(in);
  std::visit([&](auto& fields) { fields.fields(decoder); }, body);
  if (in.remaining() != 0) in.fail(std::to_string(in.remaining()) + " bytes too many");
  return make_message(std::move(body));
}

}  // namespace dipaco
