#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "core/config/run_config.hpp"
#include "core/data/split.hpp"
#include "core/data/token_file.hpp"
#include "core/eval/score.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The documents of one path (§2.3: path i and shard D_i belong together).
struct Shard {
  std::vector<DocumentId> train;
  std::vector<DocumentId> holdout;     ///< of its own train documents (§2.7)
  std::vector<DocumentId> validation;  ///< routed to this path; each in one shard only
};

/// |D_i| of Eq. 2-3: tokens that the path trains on, prefixes and ends of documents included. Choice: not documents, as
/// a batch is so many tokens.
inline double size_of(const Shard& shard, const TokenFile& tokens) {
  double size = 0;
  for (const DocumentId id : shard.train) size += tokens.document(id).tokens;
  return size;
}

/// A run's text as tokens.
struct PreparedText {
  std::string tokens_hash;                  ///< of tokens and tokenizer
  std::shared_ptr<const TokenFile> tokens;  ///< never null once prepared
  Splits splits;
  std::filesystem::path tokenizer;  ///< a file, for the run's model/ folder
};

/// All that is made before the first outer step: the same bytes at every site.
struct Prepared : PreparedText {
  std::string hash;                        ///< of everything here: nodes with another are refused
  TrainState start;                        ///< dense: the start of every path, moments included
  std::vector<Shard> shards;               ///< [P]
  Score dense_start;                       ///< validation, all documents under the start
  std::optional<Score> dense_equal_steps;  ///< after as many more dense inner steps as a path does
  std::filesystem::path start_file;        ///< for the run's model/ folder
  std::filesystem::path router;            ///< the router's file (router_file.hpp), for the run's model/ folder
};

/// Where preparation tells how far it is: "pretraining", 12 of 300 steps, loss. Stages tell under the names tokenizer,
/// tokens (documents), pretraining (steps), features (documents) and dense (steps); one that is read tells nothing.
struct PrepareProgress {
  std::string_view stage;
  std::int64_t done = 0;
  std::int64_t total = 0;      ///< 0: not known beforehand
  std::optional<double> loss;  ///< mean of the steps since the last report, nats a token
};

struct PrepareOptions {
  std::filesystem::path folder;                          ///< of the run file: relative corpus names start here
  std::filesystem::path cache;                           ///< stages are kept here, each under the hash of its keys
  int threads = 1;                                       ///< how many to use; changes no bit
  std::size_t documents_of_a_lot = 65536;                ///< routed and kept at a time: what a stop may lose
  std::function<void(const PrepareProgress&)> progress;  ///< called meanwhile, on the caller's thread; may be empty
  /// Everything before the first outer step is computed in one order of the parameters, whatever the topology, so that
  /// all topologies share one start bit for bit; where theirs is another, a trainer for that order is made by this.
  std::function<std::shared_ptr<const Trainer>(const TrainerOptions&)> make_trainer = load_trainer;
};

/// Makes what is missing and reads what is there (`dipaco prepare`): tokens, pretrained start, router, shards, dense
/// scores. Each stage has a folder in the cache, named by the hash of the keys that its bytes depend on
/// (docs/file-formats.md, "Prepared folders"), so that runs which differ in later stages share the earlier ones; a
/// folder is whole or not there, and several programs may prepare at once. The trainer's description is no key: a site
/// without the device that made a start reads it all the same. REQUIRES that `trainer` was made for config.model,
/// config.inner and `layout`.
/// @throws ConfigError where no text is named, the tokenizer has more tokens than model.vocabulary, a path is left
///         without a train document, or a given start has done other than pretrain.steps; DataError where a file
///         cannot be read or written or is damaged, no document is left for training or validation, a given start is
///         another model's or tokenizer's, or training diverges; and what options.make_trainer throws
Prepared prepare(const RunConfig& config, const Topology& topology, const PathLayout& layout, const Trainer& trainer,
                 const PrepareOptions& options);

/// The text alone, for what comes after a run. `trainer` computes nothing.
/// @throws ConfigError, DataError as prepare() does for the text
PreparedText prepare_text(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                          const Trainer& trainer, const PrepareOptions& options);

/// The start that a run left in `file`, in the order of `layout`.
/// @param tokenizer  the run's, which the start has to have learned with
/// @throws ConfigError where it has done other than pretrain.steps; DataError where it is damaged or another model's
TrainState read_start(const RunConfig& config, const PathLayout& layout, const std::filesystem::path& file,
                      const std::filesystem::path& tokenizer);

}  // namespace dipaco
