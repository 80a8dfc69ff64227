#include "analysis/figures/sweep_pictures.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/page/sweep_page.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostCurves = 8;  // as many as there are colours
constexpr std::size_t kMostTicks = 12;
constexpr double kWide = 20;  // between the least and the greatest value: more than that is seen on a logarithmic axis

/// An axis whose values are numbers.
struct NumberedAxis {
  std::size_t place = 0;
  std::map<std::string, double> numbers;
};

std::optional<NumberedAxis> numbered_axis(const std::vector<Axis>& axes) {
  for (std::size_t place = 0; place < axes.size(); ++place) {
    NumberedAxis axis{.place = place, .numbers = {}};
    for (const std::string& value : axes[place].values) {
      if (const auto number = quantity_of(value)) axis.numbers[value] = *number;
    }
    if (axis.numbers.size() > 1 && axis.numbers.size() == axes[place].values.size()) return axis;
  }
  return std::nullopt;
}

/// The choices of the other axes: "inner.steps=50, seed=2".
std::string others_of(const SweptPoint& point, const std::vector<Axis>& axes, std::size_t without) {
  std::string text;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (k == without) continue;
    text += (text.empty() ? "" : ", ") + axes[k].key + "=" + point.values[k];
  }
  return text;
}

using Ticks = std::vector<std::pair<double, std::string>>;

/// As many as fit below an axis, evenly taken, with the first one.
Ticks few_of(const Ticks& all) {
  const std::size_t stride = (all.size() + kMostTicks - 1) / kMostTicks;
  Ticks few;
  for (std::size_t k = 0; k < all.size(); k += stride) few.push_back(all[k]);
  return few;
}

Picture empty_picture(const SweepFile& sweep, const NumberedAxis& axis, const std::string& figure) {
  Picture picture{.chart = {.id = figure, .title = figure + " over " + sweep.axes[axis.place].key}};
  picture.chart.x.label = sweep.axes[axis.place].key;
  picture.chart.y = {figure, unit_of(figure)};
  double least = 0;
  double most = 0;
  for (const auto& [value, number] : axis.numbers) {
    least = picture.ticks.empty() ? number : std::min(least, number);
    most = picture.ticks.empty() ? number : std::max(most, number);
    picture.ticks.emplace_back(number, value);
  }
  std::ranges::sort(picture.ticks);
  picture.ticks = few_of(picture.ticks);
  picture.logarithmic = least > 0 && most / least > kWide;
  return picture;
}

/// By x, with the medians as curve and their intervals as band.
void add_curve(Picture& picture, const std::string& name, std::vector<std::pair<double, Spread>> points) {
  std::ranges::sort(points, {}, [](const auto& point) { return point.first; });
  ChartSeries series{.name = name, .colour = picture.chart.series.size(), .x = {}, .y = {}};
  Band band;
  for (const auto& [x, spread] : points) {
    series.x.push_back(x);
    series.y.push_back(spread.median);
    band.low.push_back(spread.low);
    band.high.push_back(spread.high);
  }
  picture.chart.series.push_back(std::move(series));
  picture.bands.push_back(std::move(band));
}

Picture figure_over(const SweepFile& sweep, const std::vector<SweptPoint>& points, const NumberedAxis& axis,
                    const std::string& figure) {
  Picture picture = empty_picture(sweep, axis, figure);
  std::map<std::string, std::vector<std::pair<double, Spread>>> curves;
  std::vector<std::string> order;
  for (const SweptPoint& point : points) {
    const auto spread = spread_at(point, figure);
    if (!spread) continue;
    const std::string name = others_of(point, sweep.axes, axis.place);
    if (!curves.contains(name)) order.push_back(name);
    curves[name].emplace_back(axis.numbers.at(point.values[axis.place]), *spread);
  }
  for (const std::string& name : order) {
    if (picture.chart.series.size() == kMostCurves) {
      add_sentence(picture.chart.note, "The first " + std::to_string(kMostCurves) + " of " +
                                           std::to_string(order.size()) + " choices of the other axes.");
      break;
    }
    add_curve(picture, name, curves[name]);
  }
  const bool one_seed = std::ranges::all_of(picture.bands, [](const Band& band) { return band.low == band.high; });
  if (one_seed) picture.bands.clear();
  return picture;
}

Picture front_picture(const std::vector<SweptPoint>& points, const SweepFront& front) {
  Picture picture{.chart = {.id = "front", .title = "Duration against cost: the points that no other beats in both"}};
  picture.chart.x = {front.duration, unit_of(front.duration)};
  picture.chart.y = {front.cost, unit_of(front.cost)};
  ChartSeries series{.name = "", .x = {}, .y = {}};
  for (const std::size_t place : front.front) {
    series.x.push_back(spread_at(points[place], front.duration)->median);
    series.y.push_back(spread_at(points[place], front.cost)->median);
  }
  picture.chart.series.push_back(std::move(series));
  return picture;
}

}  // namespace

std::vector<Picture> sweep_pictures(const SweepFile& sweep, const std::vector<SweptPoint>& points) {
  const auto axis = numbered_axis(sweep.axes);
  if (!axis) return {};
  std::vector<Picture> pictures;
  const auto figures = shown_figures(points, sweep.runs);
  for (const std::string& figure : figures) {
    if (is_main_figure(figure)) pictures.push_back(figure_over(sweep, points, *axis, figure));
  }
  const SweepFront front = front_of(points, figures);
  if (front.front.size() > 1) pictures.push_back(front_picture(points, front));
  return pictures;
}

}  // namespace dipaco::analysis
