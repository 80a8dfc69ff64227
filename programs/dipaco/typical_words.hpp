#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/prepare/prepared.hpp"
#include "programs/dipaco/run_data.hpp"

namespace dipaco {

/// Words that tell each shard's train documents from the others', the most telling first: a word counts by how often
/// it is in the shard's text x ln(its share there / its share in the text of all shards). Words have three letters or
/// more and are in two documents of the shard at least; capital letters of ASCII count as small ones.
/// Of a long shard the first documents are read, 200,000 tokens or more.
/// @returns [P], each with at most `most` words
std::vector<std::vector<std::string>> typical_words(const LoadedRun& loaded, const std::vector<Shard>& shards,
                                                    std::size_t most);

}  // namespace dipaco
