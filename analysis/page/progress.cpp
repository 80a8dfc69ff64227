#include "analysis/page/progress.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/page/traffic.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kMoments = 200;  // of the curve of dollars
constexpr std::size_t kCurve = 3;      // fewer points are no curve

/// What has a value at a time, in the order of time.
using Moments = std::vector<std::pair<double, double>>;

Moments losses(const Run& run) {
  Moments moments;
  for (const OuterStepRow& step : run.outer_steps) {
    if (step.end && step.loss) moments.emplace_back(*step.end, *step.loss);
  }
  std::ranges::sort(moments);
  return moments;
}

/// From the dense start at 0 to the end of the run. An outer step N makes version N + 1, and evaluations name versions.
Moments perplexities(const Run& run) {
  Moments moments;
  if (const auto dense = run.number("dense_validation_perplexity")) moments.emplace_back(0, *dense);
  const std::string key = "validation_perplexity_outer_step_";
  for (const OuterStepRow& step : run.outer_steps) {
    const auto value = run.number(key + std::to_string(step.outer_step + 1));
    if (value && step.end) moments.emplace_back(*step.end, *value);
  }
  const auto last = run.number("validation_perplexity");
  if (last && run.duration()) moments.emplace_back(*run.duration(), *last);
  std::ranges::sort(moments);
  return moments;
}

/// What a run has cost so far. The run records sums alone.
class Spending {
 public:
  /// @param bytes  of the whole run; nullptr where they are not known: then egress, too, is spread evenly
  Spending(const Run& run, const BytesSoFar* bytes)
      : evenly_(run.number("machine_usd").value_or(0) + run.number("energy_usd").value_or(0)),
        egress_(run.number("egress_usd").value_or(0)),
        known_(run.number("usd").has_value()),
        duration_(run.duration().value_or(0)),
        bytes_(bytes) {}

  bool known() const { return known_ && duration_ > 0; }
  double at(double time) const {
    const double part = std::min(time / duration_, 1.0);
    const double sent = bytes_ != nullptr ? bytes_->at(time) / bytes_->all() : part;
    return evenly_ * part + egress_ * sent;
  }
  ChartSeries curve() const {
    ChartSeries series;
    for (std::size_t k = 0; k <= kMoments; ++k) {
      series.x.push_back(duration_ * static_cast<double>(k) / kMoments);
      series.y.push_back(at(series.x.back()));
    }
    return series;
  }

 private:
  double evenly_;
  double egress_;
  bool known_;
  double duration_;
  const BytesSoFar* bytes_;
};

constexpr const char* kDollars =
    "A run records what machines and energy cost as sums: here they are spread evenly over the run, and egress over "
    "what was sent.";
constexpr const char* kPerplexities =
    "On the validation documents: of the dense start at 0, after the outer steps of evaluate.every, and at the end.";

/// In the order of the page.
enum Place : std::size_t {
  loss_over_time,
  perplexity_over_time,
  bytes_over_time,
  usd_over_time,
  loss_over_bytes,
  loss_over_usd,
  perplexity_over_bytes,
  perplexity_over_usd
};

class Charts {
 public:
  explicit Charts(std::span<const PageRun> runs)
      : loss_{"training loss, nats a token", Unit::number},
        perplexity_{"perplexity", Unit::number},
        time_(time_axis(runs)),
        bytes_{"sent between sites so far", Unit::bytes},
        dollars_{"USD so far", Unit::amount} {
    charts_ = {chart("loss_over_time", "Training loss over time", time_, loss_, "A point an outer step, at its end."),
               chart("perplexity_over_time", "Perplexity over time", time_, perplexity_, kPerplexities),
               chart("bytes_over_time", "Bytes between sites over time", time_, bytes_, ""),
               chart("usd_over_time", "Dollars over time", time_, dollars_, kDollars),
               chart("loss_over_bytes", "Training loss over bytes between sites", bytes_, loss_, ""),
               chart("loss_over_usd", "Training loss over dollars", dollars_, loss_, kDollars),
               chart("perplexity_over_bytes", "Perplexity over bytes between sites", bytes_, perplexity_, ""),
               chart("perplexity_over_usd", "Perplexity over dollars", dollars_, perplexity_, kDollars)};
    charts_[bytes_over_time].kind = ChartKind::steps;
  }

  void add(const PageRun& page_run, std::size_t colour) {
    const Run& run = page_run.run;
    const BytesSoFar bytes(page_run.trace);
    const bool whole = !page_run.trace.transfers_until && bytes.known();
    const Spending spending(run, whole ? &bytes : nullptr);
    if (page_run.trace.transfers_until) {
      add_sentence(charts_[bytes_over_time].note, page_run.name + ": " + how_far_known(page_run.trace.transfers_until));
    }
    const auto over = [&](Place chart, const Moments& moments, auto x_of) {
      if (!moments.empty()) add_curve(chart, page_run.name, colour, curve_over(moments, x_of));
    };
    const auto by_time = [](double time) { return time; };
    const auto by_bytes = [&](double time) { return bytes.at(time); };
    const auto by_dollars = [&](double time) { return spending.at(time); };
    const Moments loss = losses(run);
    const Moments perplexity = perplexities(run);
    const Moments curve = perplexity.size() < kCurve ? Moments{} : perplexity;
    over(loss_over_time, loss, by_time);
    over(perplexity_over_time, perplexity, by_time);
    if (bytes.known()) add_curve(bytes_over_time, page_run.name, colour, bytes.curve());
    if (spending.known()) add_curve(usd_over_time, page_run.name, colour, spending.curve());
    if (whole) over(loss_over_bytes, loss, by_bytes);
    if (spending.known()) over(loss_over_usd, loss, by_dollars);
    if (whole) over(perplexity_over_bytes, curve, by_bytes);
    if (spending.known()) over(perplexity_over_usd, curve, by_dollars);
  }

  std::vector<Chart> take() {
    std::erase_if(charts_, [](const Chart& chart) { return chart.series.empty(); });
    return std::move(charts_);
  }

 private:
  static Chart chart(std::string id, std::string title, const ChartAxis& x, const ChartAxis& y, const char* note) {
    return {.id = std::move(id),
            .title = std::move(title),
            .kind = ChartKind::lines,
            .x = x,
            .y = y,
            .series = {},
            .note = note};
  }
  void add_curve(Place chart, const std::string& name, std::size_t colour, ChartSeries series) {
    series.name = name;
    series.colour = colour;
    charts_[chart].series.push_back(std::move(series));
  }

  template <class XOf>
  static ChartSeries curve_over(const Moments& moments, XOf x_of) {
    ChartSeries series;
    for (const auto& [time, value] : moments) {
      series.x.push_back(x_of(time));
      series.y.push_back(value);
    }
    return series;
  }

  ChartAxis loss_;
  ChartAxis perplexity_;
  ChartAxis time_;
  ChartAxis bytes_;
  ChartAxis dollars_;
  std::vector<Chart> charts_;
};

}  // namespace

ChartAxis time_axis(std::span<const PageRun> runs) {
  const bool simulated =
      std::ranges::all_of(runs, [](const PageRun& page_run) { return page_run.run.number("simulated_s").has_value(); });
  return {simulated ? "simulated time" : "time", Unit::seconds};
}

std::vector<Chart> progress_charts(std::span<const PageRun> runs) {
  Charts charts(runs);
  for (std::size_t k = 0; k < runs.size(); ++k) charts.add(runs[k], k);
  return charts.take();
}

}  // namespace dipaco::analysis
