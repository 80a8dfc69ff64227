#pragma once

#include <filesystem>
#include <span>

#include "analysis/figures/gnuplot_script.hpp"

namespace dipaco::analysis {

/// Writes ID.gnuplot for each picture into the folder, which is made where missing, and has gnuplot draw its ID.svg.
/// @throws ConfigError where gnuplot is not installed; DataError where a file cannot be written, or gnuplot failed
void draw(std::span<const Picture> pictures, const std::filesystem::path& folder);

}  // namespace dipaco::analysis
