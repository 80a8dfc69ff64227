#include "core/transport/messages.hpp"

#include <utility>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {
namespace {

template <std::size_t... I>
Body empty_body(std::size_t kind, std::index_sequence<I...> /*kinds*/) {
  Body body;
  ((kind == I ? static_cast<void>(body.emplace<I>()) : static_cast<void>(0)), ...);
  return body;
}

std::vector<std::byte> encode(const Message& message, std::vector<LongArray>* apart) {
  ByteWriter out;
  out.value(message.kind());
  Body body = message.body;  // `fields` serves reading and writing; copying shares the values
  Encoder encoder(out, apart);
  std::visit([&](auto& fields) { fields.fields(encoder); }, body);
  return out.take();
}

Message decode(std::span<const std::byte> bytes, std::span<const ReceivedArray>* apart, const std::string& source) {
  ByteReader in(bytes, source);
  const auto kind = in.value<std::uint8_t>();
  if (kind >= kMessageKinds) in.fail("unknown kind of message " + std::to_string(kind));
  Body body = empty_body(kind, std::make_index_sequence<kMessageKinds>());
  Decoder decoder(in, apart);
  std::visit([&](auto& fields) { fields.fields(decoder); }, body);
  if (in.remaining() != 0) in.fail(std::to_string(in.remaining()) + " bytes too many");
  return make_message(std::move(body));
}

}  // namespace

Message make_message(Body body) {
  Sizer sizer;
  std::visit([&](auto& fields) { fields.fields(sizer); }, body);
  return {std::move(body), Bytes{sizer.size}};
}

std::vector<std::byte> encode(const Message& message) { return encode(message, nullptr); }

std::vector<std::byte> encode_apart(const Message& message, std::vector<LongArray>& apart) {
  return encode(message, &apart);
}

Message decode_message(std::span<const std::byte> bytes, const std::string& source) {
  return decode(bytes, nullptr, source);
}

Message decode_apart(std::span<const std::byte> bytes, std::span<const ReceivedArray> apart,
                     const std::string& source) {
  Message message = decode(bytes, &apart, source);
  if (!apart.empty()) throw DataError(source + ": " + std::to_string(apart.size()) + " long arrays too many");
  return message;
}

}  // namespace dipaco
