#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// A run.cfg as "section.key" and value. None where there is no such file.
std::map<std::string, std::string> read_settings(const std::filesystem::path& file);

/// The settings in which runs differ, a column a run: of run.cfg, and of summary.json what the run file does not say
/// (scenario, seed, program, arithmetic). Without rows where they differ in none.
Table differing_settings(std::span<const Run> runs);

}  // namespace dipaco::analysis
