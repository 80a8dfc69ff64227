#include "backends/gloo/links/sealing/cipher.hpp"

#include <sodium.h>

#include <cstring>

#include "backends/gloo/links/sealing/raw_bytes.hpp"
#include "core/base/error.hpp"

// XXH3 by the widest vectors that this processor has: the library's own name for it stays with the narrowest.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace dipaco {
namespace {

static_assert(kSealOverhead == crypto_aead_chacha20poly1305_ietf_ABYTES);

using Nonce = std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

Nonce nonce_of(std::uint64_t number) {
  Nonce nonce{};
  std::memcpy(nonce.data(), &number, sizeof number);
  return nonce;
}

}  // namespace

Checksum checksum(std::uint64_t number, std::span<const std::byte> header, std::span<const std::byte> plain) {
  const std::uint64_t seed = XXH3_64bits_withSeed(header.data(), header.size(), number);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(plain.data(), plain.size(), seed);
  Checksum sum;
  static_assert(sizeof hash == sizeof sum);
  std::memcpy(sum.data(), &hash, sizeof sum);
  return sum;
}

void Sealer::seal(std::span<const std::byte> header, std::span<const std::byte> plain, std::span<std::byte> sealed) {
  check(sealed.size() == plain.size() + kSealOverhead, "a sealed frame is longer by the overhead");
  const std::uint64_t number = number_++;
  if (key_) {
    crypto_aead_chacha20poly1305_ietf_encrypt(raw(sealed), nullptr, raw(plain), plain.size(), raw(header),
                                              header.size(), nullptr, nonce_of(number).data(), key_->data());
    return;
  }
  if (!plain.empty()) std::memcpy(sealed.data(), plain.data(), plain.size());
  const Checksum sum = checksum(number, header, plain);
  std::memcpy(sealed.data() + plain.size(), sum.data(), sum.size());
}

void Sealer::go_back(std::uint64_t number) {
  check(number <= number_, "a frame is sealed again that was never sealed");
  number_ = number;
}

bool Opener::open(std::span<const std::byte> header, std::span<const std::byte> sealed, std::span<std::byte> plain) {
  if (broken_ || sealed.size() < kSealOverhead) return false;
  check(sealed.size() == plain.size() + kSealOverhead, "a sealed frame is longer by the overhead");
  const std::uint64_t number = number_++;
  if (key_) {
    broken_ =
        crypto_aead_chacha20poly1305_ietf_decrypt(raw(plain), nullptr, nullptr, raw(sealed), sealed.size(), raw(header),
                                                  header.size(), nonce_of(number).data(), key_->data()) != 0;
    return !broken_;
  }
  if (!plain.empty()) std::memcpy(plain.data(), sealed.data(), plain.size());
  const Checksum sum = checksum(number, header, plain);
  broken_ = std::memcmp(sum.data(), sealed.data() + plain.size(), sum.size()) != 0;
  return !broken_;
}

}  // namespace dipaco
