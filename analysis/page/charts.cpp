#include "analysis/page/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostPoints = 1200;  // of a series: more than a screen has columns
constexpr std::size_t kKeptOfStretch = 4;

const char* kind_name(ChartKind kind) {
  switch (kind) {
    case ChartKind::steps:
      return "steps";
    case ChartKind::stacked:
      return "stacked";
    default:
      return "lines";
  }
}

nlohmann::ordered_json as_json(const ChartAxis& axis) {
  return {{"label", axis.label}, {"unit", unit_name(axis.unit)}};
}

}  // namespace

void add_sentence(std::string& note, const std::string& sentence) {
  if (!note.empty() && !sentence.empty()) note += ' ';
  note += sentence;
}

double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  constexpr int kDigits = 6;
  const int before = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (before >= kDigits) return std::round(value);
  const double scale = std::pow(10.0, kDigits - before);
  return std::round(value * scale) / scale;
}

nlohmann::ordered_json rounded_json(double value) {
  const double shown = rounded(value);
  const bool whole = shown == std::round(shown) && std::abs(shown) < 1e15;  // without ".0"
  return whole ? nlohmann::ordered_json(std::llround(shown)) : nlohmann::ordered_json(shown);
}

nlohmann::ordered_json rounded_json(const std::vector<double>& values) {
  auto array = nlohmann::ordered_json::array();
  for (const double value : values) array.push_back(rounded_json(value));
  return array;
}

nlohmann::ordered_json rounded_json(const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  for (const auto& value : values) numbers.push_back(value.value_or(std::nan("")));
  return rounded_json(numbers);
}

const char* unit_name(Unit unit) {
  switch (unit) {
    case Unit::count:
      return "count";
    case Unit::seconds:
      return "seconds";
    case Unit::bytes:
      return "bytes";
    case Unit::bytes_per_second:
      return "bytes_per_second";
    case Unit::share:
      return "share";
    case Unit::amount:
      return "amount";
    default:
      return "number";
  }
}

std::optional<double> quantity_of(const std::string& text) {
  if (const auto number = parse_number(text)) return number;
  if (const auto rate = parse_byte_rate(text)) return rate->value;
  if (const auto time = parse_seconds(text)) return time->count();
  if (const auto size = parse_bytes(text)) return static_cast<double>(size->value);
  return std::nullopt;
}

ChartSeries thinned(const ChartSeries& series, std::size_t most) {
  const std::size_t points = series.x.size();
  if (points <= most) return series;
  const std::size_t stretches = std::max<std::size_t>(most / kKeptOfStretch, 1);
  ChartSeries few{.name = series.name, .colour = series.colour, .x = {}, .y = {}, .dashed = series.dashed};
  for (std::size_t k = 0; k < stretches; ++k) {
    const std::size_t from = k * points / stretches;
    const std::size_t end = (k + 1) * points / stretches;
    const auto begin_y = series.y.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end_y = series.y.begin() + static_cast<std::ptrdiff_t>(end);
    const auto [least, greatest] = std::minmax_element(begin_y, end_y);
    const std::set<std::size_t> kept{from, static_cast<std::size_t>(least - series.y.begin()),
                                     static_cast<std::size_t>(greatest - series.y.begin()), end - 1};
    for (const std::size_t at : kept) {
      few.x.push_back(series.x[at]);
      few.y.push_back(series.y[at]);
    }
  }
  return few;
}

Chart thinned(Chart chart) {
  std::size_t before = 0;
  std::size_t after = 0;
  for (ChartSeries& series : chart.series) {
    before += series.x.size();
    series = thinned(series, kMostPoints);
    after += series.x.size();
  }
  if (after < before) {
    add_sentence(chart.note, "Thinned out: " + human_count(static_cast<std::int64_t>(after)) + " of " +
                                 human_count(static_cast<std::int64_t>(before)) +
                                 " points are drawn, of each stretch the first, the last, the least and the greatest.");
  }
  return chart;
}

nlohmann::ordered_json as_json(const Chart& chart) {
  nlohmann::ordered_json object{{"id", chart.id},        {"kind", kind_name(chart.kind)},
                                {"title", chart.title},  {"x", as_json(chart.x)},
                                {"y", as_json(chart.y)}, {"series", nlohmann::ordered_json::array()}};
  for (const ChartSeries& series : chart.series) {
    object["series"].push_back({{"name", series.name},
                                {"colour", series.colour},
                                {"dashed", series.dashed},
                                {"x", rounded_json(series.x)},
                                {"y", rounded_json(series.y)}});
  }
  return object;
}

}  // namespace dipaco::analysis
