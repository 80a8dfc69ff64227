#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/config/run_config.hpp"

namespace dipaco {

/// Lines "key=value" that name all a stage's bytes depend on.
class Keys {
 public:
  Keys& add(std::string_view key, std::string_view value);
  Keys& add(std::string_view key, std::integral auto value) {
    return add(key, std::string_view(std::to_string(value)));
  }
  Keys& add(std::string_view key, double value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Inner steps at which the cosine ends: pretraining, then outer steps of inner steps (Choice: one cosine).
InnerSteps cosine_end(const RunConfig& config);
/// Inner steps of DiPaCo that a path does; the mean of all `paths` where a share of them is drawn (§2.6.2).
InnerSteps steps_of_a_path(const RunConfig& config, std::int32_t paths);

/// The architecture without training's row length: equal where parameters of one fit the other.
void add_model(Keys& keys, const ModelOptions& model);

/// All that dense inner steps depend on beside where they start and the corpus.
void add_training(Keys& keys, const RunConfig& config);

}  // namespace dipaco
