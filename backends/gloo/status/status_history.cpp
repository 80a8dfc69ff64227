#include "backends/gloo/status/status_history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace dipaco {
namespace {

using ChartJson = nlohmann::ordered_json;
using SitePair = std::pair<SiteId, SiteId>;
using History = std::vector<HistoryPoint>;

constexpr std::size_t kMostPoints = 600;
constexpr std::size_t kMostCurves = 8;  // as many as there are colours

ChartJson curve(const std::string& name, std::size_t colour) {
  return {{"name", name}, {"colour", colour}, {"dashed", false}, {"x", ChartJson::array()}, {"y", ChartJson::array()}};
}

void put(ChartJson& curve, Seconds at, double value) {
  curve["x"].push_back(at.count());
  curve["y"].push_back(value);
}

/// Only curves of two points or more.
void add_chart(ChartJson& charts, const char* id, const char* title, const ChartJson& y, ChartJson curves) {
  ChartJson whole = ChartJson::array();
  for (ChartJson& one : curves) {
    if (one["x"].size() > 1) whole.push_back(std::move(one));
  }
  if (whole.empty()) return;
  charts.push_back({{"id", id},
                    {"title", title},
                    {"kind", "lines"},
                    {"x", {{"label", "time"}, {"unit", "seconds"}}},
                    {"y", y},
                    {"series", std::move(whole)}});
}

/// "a to b", or "within a".
std::string between(const std::map<SiteId, std::string>& names, const SitePair& sites) {
  const std::string& from = names.at(sites.first);
  return sites.first == sites.second ? "within " + from : from + " to " + names.at(sites.second);
}

ChartJson loss_curve(const History& points) {
  ChartJson loss = curve("training loss", 0);
  for (const HistoryPoint& point : points) {
    if (point.loss) put(loss, point.at, *point.loss);
  }
  return loss;
}

/// What `amount` grew by in each second, from point to point.
template <class Amount>
ChartJson rate_curve(const History& points, ChartJson rate, Amount amount) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double grown = amount(points[i]) - amount(points[i - 1]);
    put(rate, points[i].at, std::max(0.0, grown) / (points[i].at - points[i - 1].at).count());
  }
  return rate;
}

double sent(const HistoryPoint& point, const SitePair& sites) {
  const auto found = point.sent.find(sites);
  return found == point.sent.end() ? 0 : static_cast<double>(found->second);
}

/// The pairs of sites with the most bytes; those within a site only where there is nothing else.
std::vector<SitePair> busiest(const History& points) {
  std::vector<std::pair<std::uint64_t, SitePair>> order;
  if (points.empty()) return {};
  for (const auto& [sites, bytes] : points.back().sent) order.emplace_back(bytes, sites);
  const auto within = [](const auto& one) { return one.second.first == one.second.second; };
  if (!std::ranges::all_of(order, within)) std::erase_if(order, within);
  std::ranges::sort(order, std::greater());
  order.resize(std::min(order.size(), kMostCurves));
  std::vector<SitePair> pairs;
  for (const auto& [bytes, sites] : order) pairs.push_back(sites);
  return pairs;
}

}  // namespace

void StatusHistory::add(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (status.preparing || status.finished) return;
  const Seconds now = status.progress.now;
  if (!points_.empty() && now <= points_.back().at) return;
  if (offered_++ % take_each_ != 0) return;
  HistoryPoint point{.at = now, .loss = train_loss(status), .inner_steps = status.progress.inner_steps, .sent = {}};
  if (point.loss && !std::isfinite(*point.loss)) point.loss.reset();
  for (const auto& [sites, crossed] : status.traffic.by_sites) point.sent[sites] = crossed.sent.value;
  for (const auto& [site, name] : site_names(status)) names_[site] = as_utf8(name);
  knows_progress_ = knows_progress_ || status.progress.inner_steps_in_all > 0;
  points_.push_back(std::move(point));
  if (points_.size() >= kMostPoints) thin();
}

void StatusHistory::thin() {
  History fewer;
  for (std::size_t i = 0; i < points_.size(); i += 2) fewer.push_back(std::move(points_[i]));
  points_ = std::move(fewer);
  take_each_ *= 2;
}

std::string StatusHistory::json() const {
  const std::lock_guard lock(mutex_);
  ChartJson charts = ChartJson::array();
  add_chart(charts, "loss_over_time", "Training loss", {{"label", "nats a token"}, {"unit", "number"}},
            ChartJson::array({loss_curve(points_)}));
  if (knows_progress_) {
    const auto steps = [](const HistoryPoint& point) { return static_cast<double>(point.inner_steps); };
    add_chart(charts, "steps_over_time", "Inner steps of committed tasks", {{"label", "a second"}, {"unit", "number"}},
              ChartJson::array({rate_curve(points_, curve("inner steps a second", 1), steps)}));
  }
  ChartJson links = ChartJson::array();
  for (const SitePair& sites : busiest(points_)) {
    const auto bytes = [&](const HistoryPoint& point) { return sent(point, sites); };
    links.push_back(rate_curve(points_, curve(between(names_, sites), links.size()), bytes));
  }
  add_chart(charts, "rates_over_time", "Bytes between sites", {{"label", "a second"}, {"unit", "bytes_per_second"}},
            std::move(links));
  return ChartJson{{"charts", std::move(charts)}}.dump(-1, ' ', false, ChartJson::error_handler_t::replace) + "\n";
}

}  // namespace dipaco
