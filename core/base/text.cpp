#include "core/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace dipaco {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

using Unit = std::pair<std::string_view, double>;

/// The number before the unit times the unit's factor.
std::optional<double> parse_unit(std::string_view text, std::span<const Unit> units) {
  double number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const auto name = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const auto& [unit, factor] : units) {
    if (name == unit) return number * factor;
  }
  return std::nullopt;
}

/// 0 <= value < 1000, as 1.23, 12.3 or 123.
std::string three_digits(double value) { return format_fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (trim(text).empty()) return parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse_whole<std::int64_t>(text); }

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_whole<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<Seconds> parse_seconds(std::string_view text) {
  static constexpr std::array<Unit, 8> kUnits{{{"ns", 1e-9},
                                               {"us", 1e-6},
                                               {"ms", 1e-3},
                                               {"s", 1.0},
                                               {"min", 60.0},
                                               {"m", 60.0},
                                               {"h", 3600.0},
                                               {"d", 86400.0}}};
  const auto seconds = parse_unit(text, kUnits);
  return seconds ? std::optional(Seconds(*seconds)) : std::nullopt;
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 9> kUnits{{{"B", 1.0},
                                               {"kB", 1e3},
                                               {"MB", 1e6},
                                               {"GB", 1e9},
                                               {"TB", 1e12},
                                               {"KiB", 0x1p10},
                                               {"MiB", 0x1p20},
                                               {"GiB", 0x1p30},
                                               {"TiB", 0x1p40}}};
  const auto bytes = parse_unit(text, kUnits);
  if (!bytes || *bytes < 0 || *bytes > 0x1p63) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(*bytes)};
}

std::optional<BytesPerSecond> parse_byte_rate(std::string_view text) {
  text = trim(text);
  if (!text.ends_with("ps") || text.size() < 4) return std::nullopt;
  text.remove_suffix(2);
  const char unit = text.back();
  if (unit != 'b' && unit != 'B') return std::nullopt;
  const auto bytes = parse_bytes(std::string(text.substr(0, text.size() - 1)) + "B");
  if (!bytes || bytes->value == 0) return std::nullopt;
  return BytesPerSecond{static_cast<double>(bytes->value) / (unit == 'b' ? 8 : 1)};
}

std::string format_number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

std::string format_fixed(double value, int digits) {
  std::array<char, 400> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  return {buffer.data(), end};
}

std::string human_seconds(Seconds seconds) {
  const double s = seconds.count();
  if (s == 0) return "0 s";
  if (s < 0.9995) return three_digits(s * 1e3) + " ms";
  if (s < 59.95) return three_digits(s) + " s";
  const auto two_units = [](double value, const char* unit, int parts, const char* part) {
    const auto all = static_cast<std::int64_t>(std::llround(value * parts));
    const std::string rest = std::to_string(all % parts);
    return std::to_string(all / parts) + unit + (rest.size() < 2 ? "0" : "") + rest + part;
  };
  if (s < 3599.5) return two_units(s / 60, " min ", 60, " s");
  if (s < 86370) return two_units(s / 3600, " h ", 60, " min");
  return two_units(s / 86400, " d ", 24, " h");
}

std::string human_bytes(Bytes bytes) {
  static constexpr std::array kUnits{" B", " kB", " MB", " GB", " TB", " PB", " EB"};
  auto value = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  for (; value >= 999.5; ++unit) value /= 1000;
  return (unit == 0 ? format_fixed(value, 0) : three_digits(value)) + kUnits[unit];
}

std::string human_count(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t end = text.size(); end > first + 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char letter) { return letter < 0x20 || letter == 0x7F; }, ' ');
  return line;
}

std::string alternatives(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t count = edits(name, candidate);
    if (count < fewest) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

}  // namespace dipaco
