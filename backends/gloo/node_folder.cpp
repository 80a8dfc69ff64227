#include "backends/gloo/node_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "backends/gloo/meeting/registry.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sealed.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACOND", .version = 1, .noun = "note of a node"};

[[noreturn]] void fail(const std::filesystem::path& what, const char* doing, int error) {
  throw DataError(what.string() + ": cannot " + doing + ": " + std::strerror(error) + "; check the path");
}

/// K of the folders ROLE-K that are there, in order.
std::vector<std::int64_t> numbers_there(const std::filesystem::path& folder, const std::string& start) {
  std::vector<std::int64_t> numbers;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with(start)) continue;
    if (const auto number = parse_integer(file.substr(start.size()))) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

NodeFolder::NodeFolder(const std::filesystem::path& folder, Role role, const std::string& site) {
  const std::string start = std::string(name(role)) + "-";
  const auto take_number = [&](std::int64_t k) { return take(folder / (start + std::to_string(k)), site); };
  // One that is there, whatever its number: nobody else would ever care for what it holds.
  if (std::ranges::none_of(numbers_there(folder, start), take_number)) {
    // A coordinator that is told to begin beside another one must find out at the rendezvous, not here.
    std::int64_t k = 0;
    while (!take_number(k)) ++k;
  }
  ++kept_.starts;
  keep();
}

bool NodeFolder::take(const std::filesystem::path& path, const std::string& site) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(path, "make the folder", error.value());
  if (!lock(path)) return false;
  const auto file = path / "node";
  if (!std::filesystem::exists(file)) {
    kept_ = {.key = make_token(), .run = {}, .site = site};
  } else {
    const auto bytes = read_file(file);
    ByteReader reader = open_sealed(bytes, kSeal, file.string());
    Decoder decoder(reader);
    kept_.fields(decoder);
  }
  if (kept_.site != site) {  // what lies there is another site's
    lock_ = Descriptor();
    return false;
  }
  path_ = path;
  return true;
}

bool NodeFolder::lock(const std::filesystem::path& path) {
  const auto file = path / "lock";
  lock_ = Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_) fail(file, "write", errno);
  const bool locked = lock_.lock();
  if (!locked && errno != EWOULDBLOCK) fail(file, "lock", errno);
  if (locked && std::filesystem::exists(file)) return true;  // else its owner has just removed it
  lock_ = Descriptor();
  return false;
}

void NodeFolder::note_run(const std::string& run) {
  if (kept_.run == run) return;
  kept_.run = run;
  keep();
}

void NodeFolder::remove() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void NodeFolder::keep() {
  ByteWriter writer = begin_sealed(kSeal);
  Encoder encoder(writer);
  kept_.fields(encoder);
  write_file(path_ / "node", finish_sealed(std::move(writer)));
}

}  // namespace dipaco
