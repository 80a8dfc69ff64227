#include "analysis/page/sweep_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "analysis/page/charts.hpp"
#include "analysis/page/document.hpp"
#include "analysis/study/front.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMostNumbers = 100'000;  // of all figures together
constexpr std::size_t kMostRows = 1'500;       // of the table
constexpr std::array kMain{"simulated_s",           "elapsed_s",  "usd", "goodput",    "wan_bytes",
                           "validation_perplexity", "train_loss", "kwh", "machine_usd"};

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

nlohmann::ordered_json axis_json(const Axis& axis) {
  std::vector<std::optional<double>> numbers;
  for (const std::string& value : axis.values) numbers.push_back(quantity_of(value));
  const bool all = std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); });
  nlohmann::ordered_json json{{"key", axis.key}, {"values", axis.values}};
  if (all) json["numbers"] = rounded_json(numbers);
  return json;
}

nlohmann::ordered_json figure_json(const std::vector<SweptPoint>& points, const std::string& key, bool seeds) {
  std::vector<std::optional<double>> median, low, high;
  for (const SweptPoint& point : points) {
    const auto spread = spread_at(point, key);
    median.push_back(spread ? std::optional(spread->median) : std::nullopt);
    low.push_back(spread ? std::optional(spread->low) : std::nullopt);
    high.push_back(spread ? std::optional(spread->high) : std::nullopt);
  }
  nlohmann::ordered_json json{{"key", key}, {"unit", unit_name(unit_of(key))}, {"median", rounded_json(median)}};
  if (seeds) {
    json["low"] = rounded_json(low);
    json["high"] = rounded_json(high);
  }
  return json;
}

std::string said_of(const SweepFile& sweep, std::size_t points, std::size_t figures) {
  std::string text = human_count(static_cast<std::int64_t>(sweep.runs.size())) + " runs of " +
                     human_count(static_cast<std::int64_t>(points)) + (points == 1 ? " point. " : " points. ") +
                     "The page has " + std::to_string(figures) + " figures that differ between points";
  const std::size_t known = figures_of(sweep.runs).size();
  text += ", of " + std::to_string(known) + " in all";
  return text +
         "; points.csv has every figure. Where a point has several seeds, a curve is their median, and the band "
         "around it the median's interval.";
}

}  // namespace

bool is_main_figure(const std::string& key) { return std::ranges::find(kMain, key) != kMain.end(); }

std::vector<std::string> shown_figures(const std::vector<SweptPoint>& points, const std::vector<SweptRun>& runs) {
  const auto known = figures_of(runs);
  std::vector<std::string> order;
  for (const char* const key : kMain) {
    if (has(known, key)) order.emplace_back(key);
  }
  for (const std::string& key : known) {
    if (!has(order, key)) order.push_back(key);
  }
  std::erase_if(order, [&](const std::string& key) {
    std::optional<double> first;
    return std::ranges::all_of(points, [&](const SweptPoint& point) {
      const auto spread = spread_at(point, key);  // none where no run has ended
      if (spread && !first) first = spread->median;
      return !spread || spread->median == first;
    });
  });
  const bool seeds = std::ranges::any_of(points, [](const SweptPoint& point) { return point.runs.size() > 1; });
  const std::size_t numbers = points.size() * (seeds ? 3 : 1);
  const std::size_t most = std::max<std::size_t>(kMostNumbers / numbers, kMain.size());
  order.resize(std::min(order.size(), most));
  return order;
}

Table points_table(const SweepFile& sweep, const std::vector<SweptPoint>& points,
                   const std::vector<std::string>& figures, const SweepFront& front) {
  Table table{"points", "All points: medians over the seeds", {}, {}};
  for (const Axis& axis : sweep.axes) table.columns.push_back({axis.key, axis.key});
  if (sweep.axes.empty()) table.columns.push_back({"point", "point"});
  std::vector<std::string> shown;
  for (const std::string& key : figures) {
    if (is_main_figure(key)) shown.push_back(key);
  }
  if (!front.front.empty()) table.columns.push_back({"front", "on the front"});
  for (const std::string& key : shown) table.columns.push_back({key, key});
  for (std::size_t k = 0; k < std::min(points.size(), kMostRows); ++k) {
    std::vector<Value> row;
    for (const std::string& value : points[k].values) row.emplace_back(value);
    if (sweep.axes.empty()) row.emplace_back("all runs");
    if (!front.front.empty()) row.emplace_back(std::ranges::find(front.front, k) != front.front.end() ? "yes" : "");
    for (const std::string& key : shown) {
      const auto spread = spread_at(points[k], key);
      row.emplace_back(unit_of(key), spread ? std::optional(spread->median) : std::nullopt);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table failures_table(const SweepFile& sweep) {
  Table table{"failures", "Runs that did not end", {{"point", "point"}, {"seed", "seed"}, {"error", "why"}}, {}};
  for (const SweptRun& run : sweep.runs) {
    if (run.error.empty() || table.rows.size() == kMostRows) continue;
    std::string where;
    for (const std::string& value : run.point) where += (where.empty() ? "" : ", ") + value;
    table.rows.push_back({Value{where}, {Unit::count, static_cast<double>(run.seed)}, Value{run.error}});
  }
  return table;
}

SweepFront front_of(const std::vector<SweptPoint>& points, const std::vector<std::string>& figures) {
  SweepFront front{.duration = has(figures, "simulated_s") ? "simulated_s"
                               : has(figures, "elapsed_s") ? "elapsed_s"
                                                           : "",
                   .cost = has(figures, "usd")         ? "usd"
                           : has(figures, "wan_bytes") ? "wan_bytes"
                                                       : "",
                   .front = {}};
  if (front.duration.empty() || front.cost.empty()) return {};
  std::vector<std::pair<double, double>> pairs;
  for (const SweptPoint& point : points) {
    const auto at = [&](const std::string& key) {
      const auto spread = spread_at(point, key);
      return spread ? spread->median : std::numeric_limits<double>::infinity();
    };
    pairs.emplace_back(at(front.duration), at(front.cost));
  }
  front.front = pareto_front(pairs);
  return front;
}

nlohmann::ordered_json sweep_json(const SweepFile& sweep, const std::vector<SweptPoint>& points,
                                  const std::vector<std::string>& figures) {
  const bool seeds = std::ranges::any_of(points, [](const SweptPoint& point) { return point.runs.size() > 1; });
  nlohmann::ordered_json json{{"axes", nlohmann::ordered_json::array()}, {"points", nlohmann::ordered_json::array()}};
  for (const Axis& axis : sweep.axes) json["axes"].push_back(axis_json(axis));
  for (const SweptPoint& point : points) {
    auto places = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < sweep.axes.size(); ++k) {
      const auto& values = sweep.axes[k].values;
      places.push_back(std::ranges::find(values, point.values[k]) - values.begin());
    }
    json["points"].push_back(std::move(places));
  }
  json["figures"] = nlohmann::ordered_json::array();
  for (const std::string& key : figures) json["figures"].push_back(figure_json(points, key, seeds));
  return json;
}

std::string sweep_page(const std::string& folder, const SweepFile& sweep) {
  const auto points = points_of(sweep.runs);
  const auto figures = shown_figures(points, sweep.runs);
  const SweepFront front = front_of(points, figures);
  PageDocument page("Sweep (" + folder + ")", "sweep");
  auto json = sweep_json(sweep, points, figures);
  json["front"] = {{"duration", front.duration}, {"cost", front.cost}, {"points", front.front}};
  page.data("sweep", std::move(json));
  page.paragraph(said_of(sweep, points.size(), figures.size()));
  const bool curves = !sweep.axes.empty() && !figures.empty();
  if (curves) {
    page.heading("Figures over an axis");
    page.figure("curves", "How figures depend on one axis", "");
  }
  if (curves && sweep.axes.size() > 1) {
    page.heading("A figure over two axes");
    page.figure("heat", "One figure over two axes, as a heat map", "");
  }
  if (front.front.size() > 1 || (!front.front.empty() && points.size() > 1)) {
    page.heading("Duration against cost");
    page.figure("front", "Duration against cost: the points that no other beats in both are on the front",
                front.cost == "usd" ? "" : "The scenario has no prices: the cost is what was sent between sites.");
  }
  page.heading("All points");
  if (points.size() > kMostRows) {
    page.paragraph("The first " + human_count(kMostRows) + " points; points.csv has all.");
  }
  page.table(points_table(sweep, points, figures, front));
  page.table(failures_table(sweep));
  return page.finish();
}

}  // namespace dipaco::analysis
