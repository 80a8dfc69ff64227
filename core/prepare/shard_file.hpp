#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/prepare/prepared.hpp"

namespace dipaco {

/// Format: docs/file-formats.md.
std::vector<std::byte> encode_shards(const std::vector<Shard>& shards);
/// @param documents  of the token file: higher ids are damage. @throws DataError naming `source`
std::vector<Shard> decode_shards(std::span<const std::byte> bytes, std::size_t documents, const std::string& source);

/// Of a router and its shards, both as files.
std::string routing_hash(std::span<const std::byte> router, std::span<const std::byte> shards);

}  // namespace dipaco
