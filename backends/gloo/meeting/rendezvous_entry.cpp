#include "backends/gloo/meeting/rendezvous_entry.hpp"

#include <sodium.h>

#include "backends/gloo/links/sealing/raw_bytes.hpp"
#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kNonce = crypto_secretbox_NONCEBYTES;
constexpr std::size_t kOverhead = kNonce + crypto_secretbox_MACBYTES;
static_assert(std::tuple_size_v<Key> == crypto_secretbox_KEYBYTES);

struct Entry {
  std::string name;  ///< the entry's: one that somebody copied from another run does not pass
  Endpoint endpoint;
  template <class A>
  void fields(A& a) {
    a(name, endpoint.host, endpoint.port);
  }
};

std::vector<std::byte> to_bytes(Entry entry) {
  ByteWriter writer = begin_sealed(kEntrySeal);
  Encoder encoder(writer);
  entry.fields(encoder);
  return finish_sealed(std::move(writer));
}

std::optional<Entry> from_bytes(std::span<const std::byte> bytes) {
  try {
    ByteReader reader = open_sealed(bytes, kEntrySeal, "entry");
    Decoder decoder(reader);
    Entry entry;
    entry.fields(decoder);
    if (reader.remaining() != 0) return std::nullopt;
    return entry;
  } catch (const DataError&) {
    return std::nullopt;
  }
}

bool is_place(const Endpoint& endpoint) {
  return !endpoint.host.empty() && endpoint.host.size() <= kLongestHost && endpoint.port != 0;
}

std::string hex(const Key& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

}  // namespace

EntryFormat::EntryFormat(const std::string& run_name, const Secret* secret) {
  check(sodium_init() >= 0, "libsodium starts");
  if (secret != nullptr) key_ = secret->derive("dipaco rendezvous entry 1");
  const Key naming = secret == nullptr ? Key{} : secret->derive("dipaco rendezvous name 1");
  name_ = "dipaco-" + hex(keyed_hash(naming, std::as_bytes(std::span(run_name))));
}

std::vector<std::byte> EntryFormat::seal(const Endpoint& endpoint) const {
  check(is_place(endpoint), "somebody listens there");
  const auto plain = to_bytes({name_, endpoint});
  if (!key_) return plain;
  std::vector<std::byte> sealed(plain.size() + kOverhead);
  const auto nonce = std::span(sealed).first(kNonce);
  randombytes_buf(nonce.data(), nonce.size());
  crypto_secretbox_easy(raw(std::span(sealed).subspan(kNonce)), raw(plain), plain.size(), raw(nonce), key_->data());
  return sealed;
}

std::optional<Endpoint> EntryFormat::open(std::span<const std::byte> bytes) const {
  if (bytes.size() > kLargestEntry) return std::nullopt;
  std::vector<std::byte> opened;
  if (key_) {
    if (bytes.size() < kOverhead) return std::nullopt;
    opened.resize(bytes.size() - kOverhead);
    const auto box = bytes.subspan(kNonce);
    if (crypto_secretbox_open_easy(raw(std::span(opened)), raw(box), box.size(), raw(bytes), key_->data()) != 0) {
      return std::nullopt;
    }
    bytes = opened;
  }
  const auto entry = from_bytes(bytes);
  if (!entry || entry->name != name_ || !is_place(entry->endpoint)) return std::nullopt;
  return entry->endpoint;
}

}  // namespace dipaco
