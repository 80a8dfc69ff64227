#include "analysis/figures/gnuplot_script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

// Those of analysis/page/colours.css, on white: of curves, and of what lies on one another.
constexpr std::array kStacked{"#1b1f24", "#0072b2", "#d55e00", "#009e73", "#e69f00",
                              "#f3dfa6", "#e6e9ed", "#cc79a7", "#9aa3ad", "#c9ced6"};
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#6b2d0c", "#e69f00", "#000000"};

/// What values up to `from` and more are divided by, and what the quotient is called.
struct Scale {
  double from = 0;
  double factor = 1;
  const char* name = "";
};

constexpr std::array kTimes{Scale{259'200, 86'400, "days"}, Scale{7'200, 3'600, "h"}, Scale{120, 60, "min"},
                            Scale{0.5, 1, "s"}, Scale{0, 1e-3, "ms"}};
constexpr std::array kSizes{Scale{1e15, 1e15, "PB"}, Scale{1e12, 1e12, "TB"}, Scale{1e9, 1e9, "GB"},
                            Scale{1e6, 1e6, "MB"},   Scale{1e3, 1e3, "kB"},   Scale{0, 1, "B"}};

Scale scale_for(Unit unit, double greatest) {
  const auto of = [greatest](const auto& scales) {
    return *std::ranges::find_if(scales, [&](const Scale& scale) { return greatest >= scale.from; });
  };
  switch (unit) {
    case Unit::seconds:
      return of(kTimes);
    case Unit::bytes:
    case Unit::bytes_per_second:
      return of(kSizes);
    case Unit::share:
      return {.factor = 0.01, .name = "%"};
    default:
      return {};
  }
}

/// In gnuplot's plain quotes, within which nothing but they themselves is special.
std::string plain_quoted(std::string_view text) {
  std::string words = "'";
  for (const char letter : text) {
    words += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    if (letter == '\'') words += '\'';
  }
  return words + "'";
}

std::string label(const ChartAxis& axis, const Scale& scale) {
  std::string text = axis.label;
  if (*scale.name != '\0') text += std::string(", in ") + scale.name;
  return axis.unit == Unit::bytes_per_second ? text + "/s" : text;
}

double greatest(const std::vector<double>& values) { return values.empty() ? 0 : *std::ranges::max_element(values); }

/// Each series with those below it.
std::vector<ChartSeries> heaped(std::vector<ChartSeries> series) {
  for (std::size_t k = 1; k < series.size(); ++k) {
    for (std::size_t i = 0; i < series[k].y.size(); ++i) series[k].y[i] += series[k - 1].y[i];
  }
  return series;
}

std::string data_block(std::size_t number, const ChartSeries& series, const Scale& x, const Scale& y) {
  std::string text = "$data" + std::to_string(number) + " << END\n";
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!std::isfinite(series.y[i])) continue;
    text +=
        format_number(rounded(series.x[i] / x.factor)) + " " + format_number(rounded(series.y[i] / y.factor)) + "\n";
  }
  return text + "END\n";
}

std::string band_block(std::size_t number, const Band& band, const ChartSeries& series, const Scale& x,
                       const Scale& y) {
  std::string text = "$band" + std::to_string(number) + " << END\n";
  const auto cell = [](double value, const Scale& scale) { return format_number(rounded(value / scale.factor)); };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    text += cell(series.x[i], x) + " " + cell(band.low[i], y) + " " + cell(band.high[i], y) + "\n";
  }
  return text + "END\n";
}

/// What is plotted below all curves.
std::string bands_of(const Picture& picture) {
  std::string text;
  for (std::size_t k = 0; k < picture.bands.size(); ++k) {
    text += "$band" + std::to_string(k) + " using 1:2:3 with filledcurves fill transparent solid 0.2 noborder " +
            "linecolor rgb '" + kColours[picture.chart.series[k].colour % kColours.size()] + "' notitle, ";
  }
  return text;
}

std::string drawn_as(const Chart& chart, const ChartSeries& series) {
  const bool stacked = chart.kind == ChartKind::stacked;
  const std::string colour =
      std::string("linecolor rgb '") +
      (stacked ? kStacked[series.colour % kStacked.size()] : kColours[series.colour % kColours.size()]) + "'";
  if (stacked) return "with filledcurves y1=0 " + colour;
  const std::string way = chart.kind == ChartKind::steps ? "with steps "
                          : series.x.size() > 40         ? "with lines "
                                                         : "with linespoints pointtype 7 pointsize 0.5 ";
  return way + "linewidth 2 " + (series.dashed ? "dashtype 2 " : "") + colour;
}

std::string ticks_of(const Picture& picture, const Scale& x) {
  std::string text;
  for (const auto& [at, words] : picture.ticks) {
    text += (text.empty() ? "" : ", ") + plain_quoted(words) + " " + format_number(rounded(at / x.factor));
  }
  return text.empty() ? "" : "set xtics (" + text + ")\n";
}

}  // namespace

std::string gnuplot_script(const Picture& picture) {
  const Chart& chart = picture.chart;
  const bool stacked = chart.kind == ChartKind::stacked;
  const auto series = stacked ? heaped(chart.series) : chart.series;
  double most_x = 0;
  double most_y = 0;
  for (const ChartSeries& one : series) {
    most_x = std::max(most_x, greatest(one.x));
    most_y = std::max(most_y, greatest(one.y));
  }
  for (const Band& band : picture.bands) most_y = std::max(most_y, greatest(band.high));
  const Scale x = scale_for(chart.x.unit, most_x);
  const Scale y = scale_for(chart.y.unit, most_y);
  std::string script =
      "reset\nset terminal svg noenhanced size 900,420 font 'sans,12' background 'white'\nset output " +
      plain_quoted(chart.id + ".svg") + "\nset title " + plain_quoted(chart.title) + "\nset xlabel " +
      plain_quoted(label(chart.x, x)) + "\nset ylabel " + plain_quoted(label(chart.y, y)) +
      "\nset grid\nset key outside right top Left reverse\n" + ticks_of(picture, x);
  if (picture.ticks.empty()) script += "set autoscale xfix\n";  // else the first tick may be rounded away
  if (picture.logarithmic) script += "set logscale x\n";
  if (!stacked && chart.y.unit != Unit::number) script += "set yrange [0:*]\n";
  for (std::size_t k = 0; k < series.size(); ++k) script += data_block(k, series[k], x, y);
  for (std::size_t k = 0; k < picture.bands.size(); ++k) script += band_block(k, picture.bands[k], series[k], x, y);
  std::string curves;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t k = stacked ? series.size() - 1 - i : i;  // the highest of a stack first, the others over it
    const std::string title = series[k].name.empty() ? " notitle" : " title " + plain_quoted(series[k].name);
    curves +=
        (curves.empty() ? "$data" : ", $data") + std::to_string(k) + " using 1:2 " + drawn_as(chart, series[k]) + title;
  }
  return script + "plot " + bands_of(picture) + curves + "\n";
}

}  // namespace dipaco::analysis
