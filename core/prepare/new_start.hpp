#pragma once

#include <optional>
#include <string>

#include "core/prepare/prepared.hpp"

namespace dipaco {

/// Whether prepare() would train a dense start although the cache has one of the same text: a sentence with the keys
/// that differ from those of the nearest one, then and now. nullopt where there is none of this text, this run's own is
/// there, or pretrain.from names one. Makes nothing.
/// @throws ConfigError, DataError as prepare() for texts that are not there
std::optional<std::string> why_start_is_new(const RunConfig& config, const PrepareOptions& options);

}  // namespace dipaco
