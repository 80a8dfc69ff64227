#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// What somebody calls each document of a token file: its domain, for one.
struct Labels {
  std::vector<std::uint32_t> of;   ///< [documents of the token file] place in names
  std::vector<std::string> names;  ///< none twice
};

/// @param lines  [documents] a label each
Labels make_labels(std::span<const std::string> lines);

/// The label that most documents of a shard have; of equally many the one that comes first in names.
struct Majority {
  std::uint32_t label = 0;
  std::int64_t documents = 0;  ///< that have it
};

struct Purity {
  std::vector<Majority> shards;  ///< [shards]; 0 documents where a shard is empty
  double purity = 0;  ///< share of the shards' documents that have their shard's label. 0 where none is there
};

/// How well shards keep labels apart: 1 where each shard has one label alone. A document in two shards counts in both.
Purity purity_of(std::span<const std::vector<DocumentId>> shards, const Labels& labels);

}  // namespace dipaco
