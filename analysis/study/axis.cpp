#include "analysis/study/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

/// Numbers of one kind of unit, read and written. A rate is in bits a second, a time in seconds, a size in bytes.
struct Kind {
  std::function<std::optional<double>(const std::string&)> read;
  std::function<std::string(double)> write;
};

std::string four_digits(double value) {
  std::array<char, 40> digits{};
  std::snprintf(digits.data(), digits.size(), "%.4g", value);
  return format_number(*parse_number(digits.data()));
}

std::string write_rate(double bits) {
  for (const auto& [unit, size] : {std::pair{"Gbps", 1e9}, {"Mbps", 1e6}, {"kbps", 1e3}}) {
    if (bits >= size) return four_digits(bits / size) + unit;
  }
  return format_fixed(bits, 0) + "bps";
}

std::optional<double> read_whole(const std::string& text) {
  const auto value = parse_integer(text);
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

const std::array<Kind, 5>& kinds() {
  static const std::array<Kind, 5> kAll{{{read_whole, [](double value) { return format_fixed(std::round(value), 0); }},
                                         {[](const std::string& text) { return parse_number(text); }, four_digits},
                                         {[](const std::string& text) -> std::optional<double> {
                                            const auto rate = parse_byte_rate(text);
                                            return rate ? std::optional(rate->value * 8) : std::nullopt;
                                          },
                                          write_rate},
                                         {[](const std::string& text) -> std::optional<double> {
                                            const auto time = parse_seconds(text);
                                            return time ? std::optional(time->count()) : std::nullopt;
                                          },
                                          [](double value) { return four_digits(value) + "s"; }},
                                         {[](const std::string& text) -> std::optional<double> {
                                            const auto size = parse_bytes(text);
                                            return size ? std::optional(static_cast<double>(size->value))
                                                        : std::nullopt;
                                          },
                                          [](double value) { return format_fixed(std::round(value), 0) + "B"; }}}};
  return kAll;
}

struct Range {
  std::string first;
  std::string last;
  std::int64_t count = 0;  ///< evenly apart by ratio; 0: by steps
  std::string step;
};

std::vector<double> by_ratio(double from, double to, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < count; ++k) {
    values.push_back(from * std::pow(to / from, static_cast<double>(k) / static_cast<double>(count - 1)));
  }
  return values;
}

std::vector<double> by_steps(double from, double to, double step) {
  std::vector<double> values;
  for (double value = from; value <= to + 1e-9 * step; value = from + static_cast<double>(values.size()) * step) {
    values.push_back(value);
  }
  return values;
}

/// The values of a range of this kind of unit; none where it is of another kind, or cannot be.
std::vector<double> values_of(const Range& range, const Kind& kind) {
  constexpr double kMost = 100'000;
  const auto from = kind.read(range.first);
  const auto to = kind.read(range.last);
  if (!from || !to || *from > *to) return {};
  if (range.count > 0) return *from > 0 ? by_ratio(*from, *to, range.count) : std::vector<double>{};
  const auto step = kind.read(range.step);
  return step && *step > 0 && (*to - *from) / *step < kMost ? by_steps(*from, *to, *step) : std::vector<double>{};
}

/// nullopt where the text has not the form of one.
std::optional<Range> read_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  const std::size_t sign = text.find_first_of("*+", dots);
  if (sign == std::string::npos) return std::nullopt;
  Range range{
      .first = text.substr(0, dots), .last = text.substr(dots + 2, sign - dots - 2), .step = text.substr(sign + 1)};
  if (text[sign] == '+') return range;
  constexpr std::int64_t kMost = 10'000;
  range.count = parse_integer(range.step).value_or(0);
  return range.count < 2 || range.count > kMost ? std::nullopt : std::optional(range);
}

std::vector<std::string> words_of_range(const std::string& axis, const std::string& text) {
  const auto range = read_range(text);
  for (const Kind& kind : kinds()) {
    if (!range) break;
    std::vector<std::string> words;
    for (const double value : values_of(*range, kind)) {
      const std::string word = kind.write(value);
      if (words.empty() || words.back() != word) words.push_back(word);
    }
    if (!words.empty()) return words;
  }
  throw ConfigError("--over " + axis + ": \"" + text +
                    "\" is no range; write FIRST..LAST*N for N values evenly apart by ratio, from above 0, or "
                    "FIRST..LAST+STEP, each with the same kind of unit, the first not above the last; a value that is "
                    "none goes in double quotes");
}

constexpr char kQuote = '"';

/// A part of an axis between commas.
struct AxisPart {
  std::string text;
  bool quoted = false;
};

/// The part in quotes that begins at `at`, which then is behind it; nullopt where no quote ends it.
std::optional<std::string> read_quoted(const std::string& values, std::size_t& at) {
  std::string text;
  for (++at; at < values.size(); ++at) {
    if (values[at] != kQuote) {
      text += values[at];
    } else if (at + 1 < values.size() && values[at + 1] == kQuote) {
      text += values[at++];
    } else {
      ++at;
      return text;
    }
  }
  return std::nullopt;
}

std::size_t behind_spaces(const std::string& text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

/// @param axis  all of it, for errors
std::vector<AxisPart> parts_of(const std::string& axis, const std::string& values) {
  std::vector<AxisPart> parts;
  for (std::size_t at = 0; at <= values.size(); ++at) {  // each time at a part's begin
    std::size_t end = behind_spaces(values, at);
    if (end < values.size() && values[end] == kQuote) {
      const auto text = read_quoted(values, end);
      if (!text) throw ConfigError("--over " + axis + ": a quote is not closed; write \"A,B\",\"C,D\"");
      end = behind_spaces(values, end);
      if (end < values.size() && values[end] != ',') {
        throw ConfigError("--over " + axis + ": behind \"" + *text + "\" there is no comma; write \"A,B\",\"C,D\"");
      }
      parts.push_back({*text, true});
    } else {
      end = std::min(values.find(',', at), values.size());
      parts.push_back({std::string(trim(values.substr(at, end - at))), false});
    }
    at = end;
  }
  return parts;
}

}  // namespace

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw ConfigError("--over " + text + ": write KEY=VALUE,VALUE,... such as inner.steps=50,150");
  }
  Axis axis{.key = text.substr(0, equals), .values = {}};
  for (const AxisPart& part : parts_of(text, text.substr(equals + 1))) {
    if (part.quoted || part.text.find("..") == std::string::npos) {
      axis.values.push_back(part.text);
      continue;
    }
    for (std::string& value : words_of_range(text, part.text)) axis.values.push_back(std::move(value));
  }
  auto sorted = axis.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw ConfigError("--over " + text + ": it has " + *twice + " twice");
  }
  return axis;
}

std::vector<std::vector<std::string>> grid(const std::vector<Axis>& axes) {
  std::vector<std::vector<std::string>> points{{}};
  for (const Axis& axis : axes) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

}  // namespace dipaco::analysis
