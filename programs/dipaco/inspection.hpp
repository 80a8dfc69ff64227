#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/eval/distances.hpp"
#include "core/eval/labels.hpp"
#include "core/eval/routed.hpp"
#include "core/prepare/prepared.hpp"
#include "programs/dipaco/run_data.hpp"

namespace dipaco {

/// A train document that suits its path best.
struct NearestDocument {
  DocumentId document{};
  float score = 0;    ///< as Router::scores has it
  std::string begin;  ///< of its text
};

struct ShardsFound {
  std::vector<Shard> shards;  ///< [P]
  RouteShares train;          ///< how the train documents spread
  Labels labels;
  Purity purity;
  std::vector<std::vector<std::string>> words;        ///< [P] typical of each shard's text, the most telling first
  std::vector<std::vector<NearestDocument>> nearest;  ///< [P], best first; empty where none was asked for
};

/// The run's shards of its last phase. @throws DataError where the file is damaged or another topology's
std::vector<Shard> read_run_shards(const LoadedRun& loaded);

/// A label a line, a line a document in the token file's order; with no file the documents' domains.
/// @throws DataError where the file has another number of lines than there are documents
Labels read_labels(const std::filesystem::path& file, const TokenFile& tokens);

/// How many documents of which path's shard are looked for.
struct Nearest {
  PathId path{};
  std::int64_t count = 0;
  int threads = 1;  ///< changes no bit
};

/// The train documents of a shard with the router's highest scores for its path, best first; of equals the earlier one.
std::vector<NearestDocument> nearest_documents(const LoadedRun& loaded, const Router& router, const Shard& shard,
                                               const Nearest& wanted);

/// The modules of the last version, level by level. Memory: all experts of a level.
std::vector<LevelDistances> module_distances(const LoadedRun& loaded, int threads);

void print_text(std::ostream& out, const ShardsFound& found);
void print_json(std::ostream& out, const ShardsFound& found);
void print_text(std::ostream& out, const std::vector<LevelDistances>& levels);
void print_json(std::ostream& out, const std::vector<LevelDistances>& levels);

}  // namespace dipaco
