#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/gloo/status/status.hpp"

namespace dipaco {

/// How a run was at one time.
struct HistoryPoint {
  Seconds at{};                ///< on the run's clock
  std::optional<double> loss;  ///< nats a token
  std::int64_t inner_steps = 0;
  std::map<std::pair<SiteId, SiteId>, std::uint64_t> sent;  ///< bytes so far, (from, to)
};

/// How a run went so far, for the charts of its status page: at most 600 points, however long it is. Once there are as
/// many, each second one goes, and only each second one is taken from then on. From any thread.
class StatusHistory {
 public:
  /// Takes a point, unless the run has not begun, is over, or the run's clock has not moved.
  void add(const Status& status);
  /// {"charts": [...]}, each as analysis/page/charts.js draws it: training loss, inner steps a second, and bytes a
  /// second from site to site (within a site where there is only one), of the eight pairs with the most bytes. A chart
  /// without two points is left out.
  std::string json() const;

 private:
  void thin();

  mutable std::mutex mutex_;
  std::vector<HistoryPoint> points_;
  std::size_t take_each_ = 1;
  std::size_t offered_ = 0;
  std::map<SiteId, std::string> names_;
  bool knows_progress_ = false;
};

}  // namespace dipaco
