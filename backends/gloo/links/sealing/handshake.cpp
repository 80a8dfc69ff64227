#include "backends/gloo/links/sealing/handshake.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kFormat = "DIPACOGL";
constexpr std::uint32_t kVersion = 1;

constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kSecretAt = 12;
constexpr std::size_t kPublicAt = 16;
static_assert(kPublicAt + crypto_kx_PUBLICKEYBYTES == Handshake::kOfferSize);
static_assert(std::tuple_size_v<Key> == crypto_kx_SESSIONKEYBYTES);

const unsigned char* public_key(const Handshake::Offer& offer) {
  return reinterpret_cast<const unsigned char*>(offer.data()) + kPublicAt;
}

std::uint32_t version_of(const Handshake::Offer& offer) {
  std::uint32_t version = 0;
  std::memcpy(&version, offer.data() + kVersionAt, sizeof version);
  return version;
}

}  // namespace

Handshake::Handshake(Side side, const Secret* secret)
    : side_(side), has_secret_(secret != nullptr), key_{}, secret_key_{} {
  check(sodium_init() >= 0, "libsodium starts");
  if (secret != nullptr) key_ = secret->derive("dipaco link 1");
  std::memcpy(ours_.data(), kFormat.data(), kFormat.size());
  std::memcpy(ours_.data() + kVersionAt, &kVersion, sizeof kVersion);
  ours_[kSecretAt] = std::byte{has_secret_};
  crypto_kx_keypair(reinterpret_cast<unsigned char*>(ours_.data()) + kPublicAt, secret_key_.data());
}

void Handshake::take_offer(const Offer& offer) {
  if (std::memcmp(offer.data(), kFormat.data(), kFormat.size()) != 0) throw LinkError("it does not speak as a node");
  const std::uint32_t version = version_of(offer);
  if (version != kVersion) {
    throw LinkError("it speaks version " + std::to_string(version) + " of the links, this node version " +
                    std::to_string(kVersion) + "; run the same dipaco-run everywhere");
  }
  const bool secret = offer[kSecretAt] != std::byte{0};
  if (secret != has_secret_) {
    throw NotAuthorised(has_secret_ ? "it has no secret and this node has one; give it --secret-file"
                                    : "it has a secret and this node has none; give this one --secret-file");
  }
  theirs_ = offer;
}

Handshake::Proof Handshake::proof_of(Side side) const {
  const bool first = side_ == Side::initiator;
  std::array<std::byte, 1 + 2 * kOfferSize> text;
  text[0] = std::byte{static_cast<std::uint8_t>(side)};
  std::ranges::copy(first ? ours_ : theirs_, text.begin() + 1);
  std::ranges::copy(first ? theirs_ : ours_, text.begin() + 1 + kOfferSize);
  const Key hash = keyed_hash(key_, text);
  Proof proof;
  std::memcpy(proof.data(), hash.data(), proof.size());
  return proof;
}

void Handshake::check_proof(const Proof& proof) const {
  const Proof expected = proof_of(side_ == Side::initiator ? Side::responder : Side::initiator);
  if (sodium_memcmp(proof.data(), expected.data(), proof.size()) == 0) return;
  throw NotAuthorised(has_secret_ ? "its secret is another; give both the same --secret-file"
                                  : "its answer is damaged");
}

SessionKeys Handshake::keys() const {
  if (!has_secret_) return {};
  Key receiving;
  Key sending;
  const bool first = side_ == Side::initiator;
  const auto derive = first ? crypto_kx_client_session_keys : crypto_kx_server_session_keys;
  if (derive(receiving.data(), sending.data(), public_key(ours_), secret_key_.data(), public_key(theirs_)) != 0) {
    throw LinkError("its public key is none");
  }
  return {.sending = keyed_hash(key_, std::as_bytes(std::span(sending))),
          .receiving = keyed_hash(key_, std::as_bytes(std::span(receiving)))};
}

}  // namespace dipaco
