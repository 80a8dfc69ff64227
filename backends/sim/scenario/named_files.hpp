#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// A file that a scenario names.
struct NamedFile {
  std::string by;    ///< the attribute or prop that names it
  std::string name;  ///< as the scenario says it
  std::filesystem::path place;
};

/// Whether a prop of that name names a file, which is relative to the scenario.
bool is_file_prop(std::string_view name);
/// Whether an attribute of that name names a profile.
bool is_profile(std::string_view attribute);
/// Where SimGrid finds a profile: in the working folder, or else beside the scenario. nullopt: it is not there.
std::optional<std::filesystem::path> place_of_profile(const ScenarioFile& file, const std::string& name);

/// The files that the scenario names, as it is now changed, of those that are there; each name once.
std::vector<NamedFile> named_files(const ScenarioFile& file);

}  // namespace dipaco
