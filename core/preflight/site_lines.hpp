#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/base/units.hpp"

namespace dipaco {

/// What a preflight has measured of the lines between sites, by the names that their processes gave them. Bytes a
/// second.
struct SiteLines {
  std::map<std::pair<std::string, std::string>, double> pairs;         ///< from, to: the best of all processes there
  std::map<std::string, double> out;                                   ///< to all other sites at once
  std::map<std::string, double> in;                                    ///< from all others at once
  std::map<std::pair<std::string, std::string>, Seconds> round_trips;  ///< from, to: the longest of any processes there
  std::map<std::string, Seconds> step_times;  ///< of an inner step, by machine: the slowest there
};

/// Reads what measures_json() has written. @throws ConfigError, naming the file, where it is none
SiteLines read_site_lines(const std::filesystem::path& file);

}  // namespace dipaco
