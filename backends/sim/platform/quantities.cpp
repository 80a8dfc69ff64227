#include "backends/sim/platform/quantities.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// What a quantity measures, and how to write it.
struct Measured {
  std::string_view name;
  std::vector<std::string> units;
  std::string_view unit;    ///< one of them, to show
  std::string_view other;   ///< another one, or ""
  std::string_view number;  ///< to show with it
  std::string_view why_not;
  bool zero = false;  ///< may be 0
};

std::vector<std::string> with_prefixes(const std::vector<std::string_view>& prefixes,
                                       const std::vector<std::string_view>& units) {
  std::vector<std::string> all;
  for (const std::string_view prefix : prefixes) {
    for (const std::string_view unit : units) all.push_back(std::string(prefix) + std::string(unit));
  }
  return all;
}

// Units as SimGrid reads them (3.32, xbt_parse_units.cpp). "zeta" is its own spelling.
const Measured& bandwidth() {
  static const Measured kBandwidth{
      .name = "bandwidth",
      .units = with_prefixes(
          {"", "k", "M", "G", "T", "P", "E", "Z", "Y", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"}, {"bps", "Bps"}),
      .unit = "Mbps",
      .other = "MBps",
      .number = "300",
      .why_not = "nothing could ever arrive"};
  return kBandwidth;
}

const Measured& latency() {
  static const Measured kLatency{.name = "latency",
                                 .units = {"w", "d", "h", "m", "s", "ms", "us", "ns", "ps"},
                                 .unit = "ms",
                                 .other = "us",
                                 .number = "65",
                                 .why_not = "a message would arrive before it is sent",
                                 .zero = true};
  return kLatency;
}

const Measured& speed() {
  static const Measured kSpeed = [] {
    Measured result{.name = "speed",
                    .units = with_prefixes({"", "k", "M", "G", "T", "P", "E", "Z", "Y"}, {"f"}),
                    .unit = "Tf",
                    .other = "Gf",
                    .number = "312",
                    .why_not = "nothing would ever be computed"};
    const auto words = with_prefixes({"", "kilo", "mega", "giga", "tera", "peta", "exa", "zeta", "yotta"}, {"flops"});
    result.units.insert(result.units.end(), words.begin(), words.end());
    return result;
  }();
  return kSpeed;
}

/// An attribute that is a quantity, or several of them.
struct QuantityAttribute {
  std::string_view element;
  std::string_view attribute;
  const Measured& (*measured)();
  bool optional = false;          ///< "" stands for none
  std::string_view separators{};  ///< between several
};

constexpr QuantityAttribute kQuantities[] = {
    {"link", "bandwidth", bandwidth, false, ",;"},  // of a WIFI link several
    {"link", "latency", latency},
    {"backbone", "bandwidth", bandwidth},
    {"backbone", "latency", latency},
    {"host", "speed", speed, false, ","},
    {"cluster", "speed", speed, false, ","},
    {"cluster", "bw", bandwidth},
    {"cluster", "lat", latency},
    {"cluster", "bb_bw", bandwidth, true},
    {"cluster", "bb_lat", latency, true},
    {"cluster", "limiter_link", bandwidth, true},
    {"cluster", "loopback_bw", bandwidth, true},
    {"cluster", "loopback_lat", latency, true},
    {"cabinet", "speed", speed},
    {"cabinet", "bw", bandwidth},
    {"cabinet", "lat", latency},
    {"peer", "speed", speed},
    {"peer", "bw_in", bandwidth},
    {"peer", "bw_out", bandwidth},
    {"peer", "lat", latency},
    {"disk", "read_bw", bandwidth},
    {"disk", "write_bw", bandwidth},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return result;
}

/// "300Mbps" is 300 and "Mbps"; nullopt where no finite number comes first.
std::optional<std::pair<double, std::string_view>> split_unit(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(end - text.data())));
}

/// The unit that whoever wrote `unit` means, or "". A wrong letter in front would be a thousand times as much: mbps is
/// Mbps, although kbps is as near; Gflop is Gf, although flops is nearer.
std::string nearest_unit(const std::vector<std::string>& units, std::string_view unit) {
  std::vector<std::string> alike;
  std::ranges::copy_if(units, std::back_inserter(alike),
                       [&](const std::string& known) { return lower(known) == lower(unit); });
  if (!alike.empty()) return nearest_name(unit, alike);
  for (const std::string& known : units) {
    if (known.starts_with(unit) || (known.size() > 1 && unit.starts_with(known))) return known;
  }
  return nearest_name(unit, units);
}

class QuantityCheck {
 public:
  QuantityCheck(const ScenarioFile& file, const ScenarioElement& element) : file_(file), element_(element) {}

  void check() const {
    for (const QuantityAttribute& quantity : kQuantities) {
      if (quantity.element == element_.kind) check(quantity);
    }
    if (element_.kind == "host" || element_.kind == "cluster") check_cores();
    if (element_.kind == "host") check_speed_at_first();
    if (element_.kind == "cluster" || element_.kind == "cabinet") check_hosts();
    check_has_latency();
    check_latency_alone("bb_bw", "bb_lat", "backbone");
    check_latency_alone("loopback_bw", "loopback_lat", "loopback");
  }

 private:
  [[noreturn]] void fail(std::string_view attribute, const std::string& what) const {
    throw ConfigError(file_.at(element_.line) + ": " + element_.said(std::string(attribute)) + " " + what);
  }

  void check(const QuantityAttribute& quantity) const {
    const auto found = element_.attributes.find(std::string(quantity.attribute));
    if (found == element_.attributes.end()) return;
    const std::string& text = found->second;
    if (text.empty() && quantity.optional) return;
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const auto end = std::min(text.find_first_of(quantity.separators, begin), text.size());
      check_one(quantity, trim(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  void check_one(const QuantityAttribute& quantity, std::string_view text) const {
    const Measured& measured = quantity.measured();
    const auto parts = split_unit(text);
    if (!parts) fail(quantity.attribute, "is no " + std::string(measured.name) + as_in(measured));
    const auto [number, unit] = *parts;
    const bool is_zero = number == 0 && measured.zero;
    if (number <= 0 && !is_zero) {
      fail(quantity.attribute, std::string(measured.zero ? "is below 0" : "is not above 0") + ": " +
                                   std::string(measured.why_not) + as_in(measured));
    }
    const std::string digits(text.substr(0, text.size() - unit.size()));
    if (unit.empty() && !is_zero) {
      fail(quantity.attribute, "has no unit; write " + in_quotes(digits + std::string(measured.unit)) + " or " +
                                   in_quotes(digits + std::string(measured.other)) + ", whichever is meant");
    }
    if (!unit.empty() && std::ranges::find(measured.units, unit) == measured.units.end()) {
      fail(quantity.attribute, unknown_unit(measured, digits, unit));
    }
  }

  static std::string as_in(const Measured& measured) {
    return "; write it as in " + in_quotes(std::string(measured.number) + std::string(measured.unit));
  }

  static std::string unknown_unit(const Measured& measured, const std::string& digits, std::string_view unit) {
    const std::string_view bare = trim(unit);
    if (std::ranges::find(measured.units, bare) != measured.units.end()) {
      return "has a space before its unit; write " + in_quotes(digits + std::string(bare));
    }
    const std::string meant = nearest_unit(measured.units, bare);
    return "has the unit " + in_quotes(bare) + ", which SimGrid does not know for a " + std::string(measured.name) +
           (meant.empty() ? as_in(measured) : "; did you mean " + in_quotes(digits + meant) + "?");
  }

  /// Where another attribute is missing that SimGrid requires, it says so; of this one it cannot read its own default.
  void check_has_latency() const {
    if (element_.kind != "link" || element_.attributes.contains("latency")) return;
    throw ConfigError(file_.at(element_.line) + ": <link id=" + in_quotes(element_.id()) +
                      "> has no latency; write it as in latency=\"65ms\", or latency=\"0\"");
  }

  void check_cores() const {
    if (!element_.attributes.contains("core")) return;
    const auto number = parse_integer(element_.attribute("core"));
    if (!number || *number < 1) fail("core", "is no whole number from 1; write how many cores the host has");
  }

  void check_speed_at_first() const {
    if (!element_.attributes.contains("pstate")) return;
    const auto number = parse_number(element_.attribute("pstate"));
    const auto speeds = split(element_.attribute("speed"), ',').size();
    if (number && *number >= 0 && *number < static_cast<double>(speeds) && *number == std::floor(*number)) return;
    fail("pstate", "is no place in the list speed=" + in_quotes(element_.attribute("speed")) +
                       "; write one from 0 to " + std::to_string(speeds - 1));
  }

  /// "0-3,7"
  void check_hosts() const {
    if (!element_.attributes.contains("radical")) return;
    const std::string radical = element_.attribute("radical");
    const auto is_range = [](const std::string& group) {
      const auto ends = split(group, '-');
      if (ends.empty() || ends.size() > 2) return false;
      const auto first = parse_integer(ends.front());
      const auto last = parse_integer(ends.back());
      return first && last && *first <= *last;
    };
    if (!radical.empty() && std::ranges::all_of(split(radical, ','), is_range)) return;
    fail("radical", "is no list of numbers from low to high; write the hosts' as in \"0-3,7\"");
  }

  /// SimGrid would make a link without bandwidth of it.
  void check_latency_alone(const char* bandwidth, const char* latency, const std::string& what) const {
    if (element_.kind != "cluster" || !element_.attribute(bandwidth).empty()) return;
    const std::string text = element_.attribute(latency);
    const auto parts = split_unit(text);
    if (!parts || parts->first == 0) return;
    fail(latency, "is that of a " + what + " without bandwidth; write " + bandwidth + ", too, or leave out both");
  }

  const ScenarioFile& file_;
  const ScenarioElement& element_;
};

}  // namespace

void check_quantities(const ScenarioFile& file) {
  for (const ScenarioElement& element : file.elements()) QuantityCheck(file, element).check();
}

}  // namespace dipaco
