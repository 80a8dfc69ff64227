#include "core/plan/charged_text.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {

std::optional<ChargedText> charged_text(const RunConfig& config, std::int32_t paths) {
  const DataOptions& data = config.data;
  if (data.charged_documents == 0) return std::nullopt;
  const auto all = static_cast<double>(data.charged_documents);
  const auto tokens = static_cast<double>(data.charged_tokens);
  const double apart = data.validation_fraction * all;
  const double router = (all - apart) * config.routing.router_fraction;
  const double train = all - apart - router;
  const auto most = static_cast<double>(data.validation_documents);
  const double validation = most > 0 ? std::min(most, apart) : apart;
  const double labelled = static_cast<double>(config.routing.label_tokens);
  const auto overlap = static_cast<double>(config.routing.overlap);
  return ChargedText{.router = std::max<std::int64_t>(1, std::llround(router)),
                     .routed = std::llround(train + validation),
                     .label_tokens = labelled > 0 ? std::min(labelled, tokens) : tokens,
                     .validation_tokens = validation * tokens / paths,
                     .holdout_tokens = data.holdout_fraction * train * overlap * tokens / paths};
}

}  // namespace dipaco
