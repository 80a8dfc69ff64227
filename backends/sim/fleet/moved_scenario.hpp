#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/sim/scenario/changes.hpp"

namespace dipaco {

/// The scenario's text for a file in another folder: the prop `changes` of its root zone has these behind its own, and
/// the files that it names are found from there.
/// @param folder  absolute
std::string moved_scenario(const ScenarioFile& file, const std::vector<ScenarioChange>& changes,
                           const std::filesystem::path& folder);

}  // namespace dipaco
