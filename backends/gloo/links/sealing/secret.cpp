#include "backends/gloo/links/sealing/secret.hpp"

#include <sodium.h>

#include <string>

#include "backends/gloo/links/sealing/raw_bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kShortest = 16;

}  // namespace

Secret Secret::from_file(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_text(file);
  } catch (const DataError& error) {
    throw ConfigError(std::string("--secret-file: ") + error.what());
  }
  const auto end = text.find_last_not_of(" \t\r\n");
  text.resize(end == std::string::npos ? 0 : end + 1);
  if (text.size() < kShortest) {
    throw ConfigError("--secret-file " + file.string() + ": a secret of " + std::to_string(text.size()) +
                      " bytes can be guessed; make one of 32 with: head -c 32 /dev/urandom | base64");
  }
  return Secret(std::as_bytes(std::span(text)));
}

Secret::Secret(std::span<const std::byte> bytes) : key_{} {
  check(sodium_init() >= 0, "libsodium starts");
  crypto_generichash(key_.data(), key_.size(), raw(bytes), bytes.size(), nullptr, 0);
}

Key Secret::derive(std::string_view purpose) const { return keyed_hash(key_, std::as_bytes(std::span(purpose))); }

Key keyed_hash(const Key& key, std::span<const std::byte> text) {
  Key hash;
  crypto_generichash(hash.data(), hash.size(), raw(text), text.size(), key.data(), key.size());
  return hash;
}

}  // namespace dipaco
