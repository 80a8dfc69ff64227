#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/token_file.hpp"
#include "core/prepare/prepared.hpp"
#include "core/routing/router.hpp"
#include "core/trainer/trainer.hpp"
#include "programs/dipaco/finished_run.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

/// A finished run with what its modules are used with.
struct LoadedRun {
  FinishedRun run;
  std::shared_ptr<const Trainer> trainer;
  std::vector<float> start;          ///< [n] parameters of the dense start, in the order of a path's
  std::optional<PreparedText> text;  ///< the run's own; nullopt before load_text
};

/// Opens a run's folder. @throws ConfigError, DataError as FinishedRun; ConfigError where the device is not there
LoadedRun load_run(const std::filesystem::path& folder, const std::string& device);

/// The text that the run learned from: read from the cache, or made into tokens again.
/// @throws DataError where it gives another tokenizer or other tokens than the run had; Interrupted
void load_text(LoadedRun& loaded, int threads, Progress& progress, const StopSignal& stop);

/// The run's last document router. @throws DataError where it is missing, damaged, or one for another topology or model
std::unique_ptr<Router> read_run_router(const FinishedRun& run, const Trainer& trainer);

/// Documents to evaluate on, all with a token behind the prefix.
struct EvaluationText {
  std::shared_ptr<const TokenFile> tokens;
  std::vector<DocumentId> documents;
  std::int64_t dropped = 0;  ///< documents with no token behind the prefix
};

/// Text files as tokens, in a folder of their own that goes with the object.
class TextTokens {
 public:
  /// @param patterns  comma-separated, as in data.validation, relative to the working directory
  /// @throws DataError where a file is missing or damaged, no document is left, or the run's tokenizer has more tokens
  ///         than its model; Interrupted
  TextTokens(const FinishedRun& run, const std::string& patterns, Progress& progress, const StopSignal& stop);
  ~TextTokens();
  TextTokens(const TextTokens&) = delete;
  TextTokens& operator=(const TextTokens&) = delete;

  const EvaluationText& text() const { return text_; }

 private:
  std::filesystem::path folder_;
  EvaluationText text_;
};

}  // namespace dipaco
