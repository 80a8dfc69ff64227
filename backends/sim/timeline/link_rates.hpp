#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// From `time` on, a link has this bandwidth.
struct LinkRateStep {
  Seconds time{};
  BytesPerSecond bandwidth{};  ///< above 0
};

/// A link carries more or less by a draw: log-normal with median 1.
struct LinkJitter {
  double spread = 0;  ///< deviation of the logarithm, above 0, at most 1
  Seconds every{};    ///< how long a draw holds
};

inline constexpr std::string_view kLinkJitterForm = "jitter: a spread up to 1 and a time, such as \"0.2 every 30s\"";
/// "0.2 every 30s". Nullopt: it says something else.
std::optional<LinkJitter> parse_link_jitter(std::string_view text);

/// The bandwidth of one direction of a link over time.
class LinkRate {
 public:
  /// @param link  SimGrid's name, by which draws differ. REQUIRES: steps begin at 0 and rise
  LinkRate(std::string link, std::vector<LinkRateStep> steps, std::optional<LinkJitter> jitter);

  bool jitters() const { return jitter_.has_value(); }
  const std::vector<LinkRateStep>& steps() const { return steps_; }
  /// A function of link, seed and time.
  BytesPerSecond at(Seconds time, std::uint64_t seed) const;
  /// When it changes next; nullopt: it holds for ever.
  std::optional<Seconds> changes_after(Seconds time) const;
  /// From 0 to `end`. REQUIRES: end > 0
  BytesPerSecond mean(Seconds end, std::uint64_t seed) const;

 private:
  std::uint64_t draw_of(Seconds time) const;

  std::uint64_t link_;
  std::vector<LinkRateStep> steps_;
  std::optional<LinkJitter> jitter_;
};

/// Of several links, by SimGrid's names: of a SPLITDUPLEX link, each direction.
using LinkRates = std::map<std::string, LinkRate>;

/// Reads a CSV of a link's bandwidth: a header `time_s,bandwidth`, then a row a change, as in `600,200Mbps`; lines that
/// start with `#` are comments. Times start at 0, in seconds of the run's clock, and rise; the last row holds for ever.
/// @throws DataError naming file, line, value and remedy: another header, an empty cell, text in a number, a time that
///         does not rise, a rate without a unit or not above 0, no rows
std::vector<LinkRateStep> read_link_rates(const std::filesystem::path& csv);

}  // namespace dipaco
