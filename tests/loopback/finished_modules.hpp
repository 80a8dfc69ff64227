#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {

/// The finished modules that a run left in `state`, by the names of their files.
std::map<std::string, std::vector<float>> modules_in(const std::filesystem::path& state);

/// Of a run on loopback, in the folder of `run`.
std::map<std::string, std::vector<float>> modules_of(const MadeUpRun& run, const RunPlan& plan);

}  // namespace dipaco
