#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace dipaco::analysis {

/// One HTML file of a run, of several runs side by side, or of a sweep: folders as they were given.
/// @throws ConfigError where a sweep stands beside others; DataError naming what cannot be read
/// REQUIRES a folder
std::string page_of(std::span<const std::string> folders);

/// A folder that `dipaco-sim sweep` left.
bool is_sweep(const std::filesystem::path& folder);
/// Whether it is one of these folders, which then has to be the only one. @throws ConfigError where it is not
bool sweep_among(std::span<const std::string> folders);

}  // namespace dipaco::analysis
