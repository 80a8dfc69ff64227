#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/figures/gnuplot_script.hpp"

namespace dipaco::analysis {

/// A report as Markdown, and the pictures that its end shows.
struct PicturedReport {
  std::string text;
  std::vector<Picture> pictures;
};

/// Of a run, of several side by side, or of a sweep: the page's tables, and its charts over time or over an axis.
/// @param folders   as they were given
/// @param pictures  the folder that the text expects them in; "": it shows none
/// @throws ConfigError where a sweep stands beside others; DataError naming what cannot be read
/// REQUIRES a folder
PicturedReport markdown_report(std::span<const std::string> folders, const std::filesystem::path& pictures);

}  // namespace dipaco::analysis
