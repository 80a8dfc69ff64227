#include "backends/gloo/registry.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sealed.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACOMB", .version = 1, .noun = "list of a run's nodes"};

double seconds_since_1970() { return Seconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace

Token make_token() {
  check(sodium_init() >= 0, "libsodium starts");
  std::array<unsigned char, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

Registry::Registry(std::filesystem::path file) : file_(std::move(file)) {
  if (!std::filesystem::exists(file_)) {
    kept_.run = make_token();
    kept_.began = seconds_since_1970();
    keep();
    return;
  }
  const auto bytes = read_file(file_);
  ByteReader reader = open_sealed(bytes, kSeal, file_.string());
  Decoder decoder(reader);
  kept_.fields(decoder);
  for (const Known& node : kept_.nodes) numbers_.emplace(node.key, node.id);
}

Seconds Registry::age() const { return Seconds(std::max(0.0, seconds_since_1970() - kept_.began)); }

NodeId Registry::number(const Token& key) {
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  const NodeId id{static_cast<std::int32_t>(kept_.nodes.size()) + 1};
  kept_.nodes.push_back({key, id});
  keep();
  numbers_.emplace(key, id);
  return id;
}

SiteId Registry::site(const std::string& name) {
  const auto known = std::ranges::find(kept_.sites, name);
  const SiteId id{static_cast<std::int32_t>(known - kept_.sites.begin())};
  if (known != kept_.sites.end()) return id;
  kept_.sites.push_back(name);
  keep();
  return id;
}

void Registry::keep() {
  ByteWriter writer = begin_sealed(kSeal);
  Encoder encoder(writer);
  kept_.fields(encoder);
  write_file(file_, finish_sealed(std::move(writer)));
}

}  // namespace dipaco
