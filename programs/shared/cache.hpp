#pragma once

#include <filesystem>

namespace dipaco {

/// Where prepared stages are kept between runs: $DIPACO_CACHE/prepared, or ~/.cache/dipaco/prepared.
/// @throws ConfigError where neither DIPACO_CACHE nor HOME is set
std::filesystem::path prepared_cache();

}  // namespace dipaco
