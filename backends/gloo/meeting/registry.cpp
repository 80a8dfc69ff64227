#include "backends/gloo/meeting/registry.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sealed.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACOMB", .version = 3, .noun = "list of a run's nodes"};

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
  for (std::size_t k = 0; k < kept_.nodes.size(); ++k) places_.emplace(kept_.nodes[k].key, k);
}

Seconds Registry::age() const { return Seconds(std::max(0.0, seconds_since_1970() - kept_.began)); }

Member Registry::admit(const Token& key, Member self) {
  self.site = site(self.site_name);
  const auto [known, is_new] = places_.try_emplace(key, kept_.nodes.size());
  self.id = NodeId{static_cast<std::int32_t>(known->second) + 1};
  if (is_new) kept_.nodes.push_back({key, {}});
  Member& kept = kept_.nodes[known->second].member;
  const bool same =
      !is_new && !kept.left && kept.role == self.role && kept.site == self.site && kept.machine == self.machine;
  kept = self;
  kept.up = false;
  if (!same) keep();
  return self;
}

void Registry::note_left(NodeId node) {
  kept_.nodes.at(static_cast<std::size_t>(index(node)) - 1).member.left = true;
  keep();
}

std::vector<Member> Registry::members() const {
  std::vector<Member> members;
  for (const Known& node : kept_.nodes) members.push_back(node.member);
  return members;
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
