#pragma once

#include <optional>
#include <string>

#include "programs/dipaco_sim/shared/input_files.hpp"

namespace dipaco {

/// What all runs of a sweep are made of, and each of them beside its own settings and seed.
struct SweepInputs {
  std::string program;   ///< its version
  std::string scenario;  ///< hash of its bytes
  std::string run_file;  ///< as dump_config() writes it
  std::string settings;  ///< --cfg, --without, --set of the scenario, --learn: a line each
  InputFiles files{};    ///< also of the swept values
};

std::string text(const SweepInputs& inputs);
/// What text() has written; nullopt: it has not written this.
std::optional<SweepInputs> read_sweep_inputs(const std::string& text);

/// What is another thing now, as a sentence's part; nullopt: nothing of what both have.
std::optional<std::string> difference(const SweepInputs& then, const SweepInputs& now);

}  // namespace dipaco
