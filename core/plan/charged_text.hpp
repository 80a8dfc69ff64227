#pragma once

#include <cstdint>
#include <optional>

#include "core/config/run_config.hpp"

namespace dipaco {

/// How much text evaluations and re-sharding are charged for, where the run file says so (data.charged_documents): its
/// fractions of so many documents, each as long as data.charged_tokens.
struct ChargedText {
  std::int64_t router = 0;       ///< router documents, which every path scores
  std::int64_t routed = 0;       ///< documents of training and validation
  double label_tokens = 0;       ///< of a router document under a path
  double validation_tokens = 0;  ///< of a path
  double holdout_tokens = 0;     ///< of a path
};

/// nullopt: the run file does not say; what is learned is charged, and where nothing is, nothing is scored.
std::optional<ChargedText> charged_text(const RunConfig& config, std::int32_t paths);

}  // namespace dipaco
