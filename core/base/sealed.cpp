#include "core/base/sealed.hpp"

#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kMagicSize = 8;
static_assert(kSealSize == kMagicSize + sizeof(std::uint32_t));
constexpr std::size_t kChecksumSize = sizeof(std::uint64_t);

template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

ByteWriter begin_sealed(const Seal& seal) {
  check(seal.magic.size() == kMagicSize, "a seal's magic word has eight characters");
  ByteWriter writer;
  writer.raw(std::as_bytes(std::span(seal.magic.data(), seal.magic.size())));
  writer.value(seal.version);
  return writer;
}

std::vector<std::byte> finish_sealed(ByteWriter writer) {
  writer.value(checksum(writer.bytes()));
  return writer.take();
}

void check_seal(std::span<const std::byte> bytes, const Seal& seal, const std::string& source) {
  const std::string noun(seal.noun);
  if (bytes.size() < kSealSize) {
    throw DataError(source + ": a " + noun + " does not fit into its " + std::to_string(bytes.size()) +
                    " bytes: truncated, or another kind of file");
  }
  if (std::memcmp(bytes.data(), seal.magic.data(), kMagicSize) != 0) {
    throw DataError(source + ": not a " + noun + " (it does not start with " + std::string(seal.magic) + ")");
  }
  const auto version = load<std::uint32_t>(bytes, kMagicSize);
  if (version != seal.version) {
    throw DataError(source + ": a " + noun + " of version " + std::to_string(version) + ", and this program reads " +
                    std::to_string(seal.version) + ": use the program that wrote it, or make the file again");
  }
}

ByteReader open_sealed(std::span<const std::byte> bytes, const Seal& seal, const std::string& source) {
  check_seal(bytes, seal, source);
  if (bytes.size() < kSealSize + kChecksumSize) {
    throw DataError(source + ": truncated: only " + std::to_string(bytes.size()) + " bytes of a " +
                    std::string(seal.noun) + " are there; restore the file or make it again");
  }
  const std::size_t end = bytes.size() - kChecksumSize;
  if (load<std::uint64_t>(bytes, end) != checksum(bytes.first(end))) {
    throw DataError(source + ": truncated or damaged: the checksum of its " + std::to_string(bytes.size()) +
                    " bytes differs; restore the file or make it again");
  }
  ByteReader reader(bytes.first(end), source);
  reader.raw(kSealSize);
  return reader;
}

}  // namespace dipaco
