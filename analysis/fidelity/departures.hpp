#pragma once

#include <filesystem>
#include <optional>

namespace dipaco::analysis {

/// When the first node was gone, or known to be, in seconds on the run's clock; nullopt: none went before its end.
/// @param events  a run's events.csv @throws DataError where it cannot be read
std::optional<double> first_loss(const std::filesystem::path& events);

}  // namespace dipaco::analysis
