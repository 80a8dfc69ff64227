#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/run_config.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/prepare/parts.hpp"
#include "core/prepare/prepared.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

/// Writes `documents` lines of made-up text of three domains with words of their own. A function of its arguments.
void write_corpus(const std::filesystem::path& file, int documents, std::uint64_t seed = 1);

/// A run file of 50 + 3 x 7 inner steps on `corpus.jsonl`, with a model of four tensors.
RunConfig made_config();

/// Everything that prepare() takes, on a corpus in a temporary folder. The parts may be changed between calls.
struct MadeRun {
  explicit MadeRun(int documents = 240);

  Prepared prepare(int threads = 1);
  PartDone part(std::int64_t index, std::int64_t count);
  std::optional<Prepared> join();
  /// The only folder of the cache whose name starts with `stage` and a dash.
  std::filesystem::path stage(const std::string& stage) const;
  /// How many of them there are.
  int stages(const std::string& stage) const;

  TemporaryFolder folder;
  RunConfig config = made_config();
  FakeTrainer trainer{config.model};
  std::function<void(const PrepareProgress&)> progress;
  std::vector<PathLayout> made_for;  ///< the orders that prepare() made trainers for
  std::size_t documents_of_a_lot = PrepareOptions{}.documents_of_a_lot;

 private:
  PrepareOptions options(int threads);
  PathLayout layout() const;
  Topology topology() const;
};

}  // namespace dipaco::testing
