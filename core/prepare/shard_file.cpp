#include "core/prepare/shard_file.hpp"

#include "core/base/hash.hpp"
#include "core/base/sealed.hpp"

namespace dipaco {
namespace {

constexpr Seal kSeal{.magic = "DIPACOSH", .version = 1, .noun = "list of shards"};

std::vector<DocumentId> read_documents(ByteReader& reader, std::size_t documents) {
  std::vector<DocumentId> ids = reader.array<DocumentId>();
  for (const DocumentId id : ids) {
    if (index(id) >= documents) {
      reader.fail("document " + std::to_string(index(id)) + " of " + std::to_string(documents));
    }
  }
  return ids;
}

}  // namespace

std::vector<std::byte> encode_shards(const std::vector<Shard>& shards) {
  ByteWriter writer = begin_sealed(kSeal);
  writer.value(static_cast<std::uint32_t>(shards.size()));
  for (const Shard& shard : shards) {
    for (const auto* documents : {&shard.train, &shard.holdout, &shard.validation}) {
      writer.array(std::span<const DocumentId>(*documents));
    }
  }
  return finish_sealed(std::move(writer));
}

std::vector<Shard> decode_shards(std::span<const std::byte> bytes, std::size_t documents, const std::string& source) {
  ByteReader reader = open_sealed(bytes, kSeal, source);
  std::vector<Shard> shards;
  const auto count = reader.value<std::uint32_t>();
  for (std::uint32_t path = 0; path < count; ++path) {
    Shard& shard = shards.emplace_back();
    for (auto* ids : {&shard.train, &shard.holdout, &shard.validation}) *ids = read_documents(reader, documents);
  }
  if (reader.remaining() > 0) reader.fail(std::to_string(reader.remaining()) + " bytes too many");
  return shards;
}

std::string routing_hash(std::span<const std::byte> router, std::span<const std::byte> shards) {
  std::vector<std::byte> both(router.begin(), router.end());
  both.insert(both.end(), shards.begin(), shards.end());
  return hash_hex(both);
}

}  // namespace dipaco
