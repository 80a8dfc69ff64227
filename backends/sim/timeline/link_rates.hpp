#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// From `time` on, a link has this bandwidth.
struct LinkRateStep {
  Seconds time{};
  BytesPerSecond bandwidth{};  ///< above 0
};

/// Of several links, by SimGrid's names: of a SPLITDUPLEX link, each direction.
using LinkRates = std::map<std::string, std::vector<LinkRateStep>>;

/// Reads a CSV of a link's bandwidth: a header `time_s,bandwidth`, then a row a change, as in `600,200Mbps`; lines that
/// start with `#` are comments. Times start at 0, in seconds of the run's clock, and rise; the last row holds for ever.
/// @throws DataError naming file, line, value and remedy: another header, an empty cell, text in a number, a time that
///         does not rise, a rate without a unit or not above 0, no rows
std::vector<LinkRateStep> read_link_rates(const std::filesystem::path& csv);

/// The mean from 0 to `end`. REQUIRES: steps are not empty, end > 0.
BytesPerSecond mean_rate(const std::vector<LinkRateStep>& steps, Seconds end);

}  // namespace dipaco
