#pragma once

#include <vector>

#include "analysis/page/charts.hpp"
#include "analysis/trace_file.hpp"

namespace dipaco::analysis {

/// What has been sent between sites by a time; each transfer counts at its end.
class BytesSoFar {
 public:
  explicit BytesSoFar(const Trace& trace);

  bool known() const { return !times_.empty(); }
  double at(double time) const;
  double all() const { return sums_.empty() ? 0 : sums_.back(); }
  /// A curve over time, from 0 on.
  ChartSeries curve() const;

 private:
  std::vector<double> times_;
  std::vector<double> sums_;
};

/// Bytes a second from site to site over time, each transfer spread evenly over its time: the pairs that sent most, and
/// all others as one. Without series where nothing is known.
Chart site_rates_chart(const Trace& trace, double duration, const ChartAxis& time);

/// Which share of its bandwidth is in use on each of the busiest network links, over time. Without series where the run
/// does not say.
Chart link_use_chart(const Run& run, const ChartAxis& time);

/// "Known up to 5 min 20 s: trace.json was cut there, and there is no events.csv." or ""
std::string how_far_known(const std::optional<double>& until);

}  // namespace dipaco::analysis
