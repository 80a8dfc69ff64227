#include "core/report/line_rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace dipaco {
namespace {

constexpr std::uint64_t kLarge = 64 * 1024;
/// The deviation of a normal distribution, in medians of the distance from its middle.
constexpr double kOfNormal = 1.4826;

using Ways = std::pair<SiteId, SiteId>;

/// In which large messages of one site, out or in, were on their way.
struct Stretch {
  Seconds begin{};
  Seconds end{};
  Ways ways{};
  bool mixed = false;  ///< they went different ways, or it is not known when one came
  std::uint64_t bytes = 0;
  std::int64_t messages = 0;
};

/// Stretches of one site, out or in; messages come by the time of their arrival.
class Stretches {
 public:
  void add(Stretch one) {
    while (!all_.empty() && all_.back().end >= one.begin) {
      const Stretch& before = all_.back();
      one.mixed = one.mixed || before.mixed || before.ways != one.ways;
      one.begin = std::min(one.begin, before.begin);
      one.bytes += before.bytes;
      one.messages += before.messages;
      all_.pop_back();
    }
    all_.push_back(one);
  }
  const std::vector<Stretch>& all() const { return all_; }

 private:
  std::vector<Stretch> all_;
};

/// By their begin and end: the same at both ends of a line where nothing else was on its way.
bool is_same(const Stretch& one, const Stretch& other) {
  return !other.mixed && one.ways == other.ways && one.begin == other.begin && one.end == other.end;
}

/// The upper one of an even number.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double rate_in(const Stretch& one) { return static_cast<double>(one.bytes) / (one.end - one.begin).count(); }

LineRate rate_over(const std::vector<Stretch>& stretches) {
  std::uint64_t bytes = 0;
  std::int64_t messages = 0;
  Seconds lasting{};
  std::vector<double> rates;
  for (const Stretch& one : stretches) {
    bytes += one.bytes;
    messages += one.messages;
    lasting += one.end - one.begin;
    rates.push_back(rate_in(one));
  }
  const double in_one = static_cast<double>(messages) / static_cast<double>(stretches.size());
  const double middle = median(rates);
  std::ranges::transform(rates, rates.begin(), [&](double rate) { return std::abs(std::log(rate / middle)); });
  return {.rate = static_cast<double>(bytes) / lasting.count(),
          .spread = kOfNormal * median(rates) * std::sqrt(in_one),
          .message = lasting / static_cast<double>(messages),
          .stretches = std::ssize(stretches)};
}

/// When nodes computed last: what comes meanwhile is taken in behind it, and nobody knows when it came.
class Busy {
 public:
  void take(const Event& event) {
    const EventKind kind = event.kind;
    if (begins_job(kind) || kind == EventKind::task_started) until_[event.node] = kStill;
    const bool gone = kind == EventKind::task_handed_back || kind == EventKind::node_down;
    if (ends_job(kind) || gone || kind == EventKind::task_computed) until_[event.node] = event.time;
  }
  bool since(NodeId node, Seconds time) const {
    const auto until = until_.find(node);
    return until != until_.end() && until->second > time;
  }

 private:
  static constexpr Seconds kStill{std::numeric_limits<double>::infinity()};
  std::map<NodeId, Seconds> until_;
};

struct BothEnds {
  std::map<SiteId, Stretches> out;
  std::map<SiteId, Stretches> in;
};

BothEnds stretches_of(const RunFacts& facts, std::span<const Event> events) {
  std::map<NodeId, SiteId> sites;
  for (const NodeFacts& node : facts.nodes) sites.emplace(node.id, node.site);
  BothEnds ends;
  Busy busy;
  for (const Event& event : events) {
    busy.take(event);
    if (event.kind != EventKind::transfer || event.bytes <= kLarge || event.begin >= event.time) continue;
    const auto from = sites.find(event.peer);
    const auto to = sites.find(event.node);
    if (from == sites.end() || to == sites.end() || from->second == to->second) continue;
    const Ways ways{from->second, to->second};
    const Stretch one{.begin = event.begin,
                      .end = event.time,
                      .ways = ways,
                      .mixed = busy.since(event.node, event.begin),
                      .bytes = event.bytes,
                      .messages = 1};
    ends.out[ways.first].add(one);
    ends.in[ways.second].add(one);
  }
  return ends;
}

}  // namespace

std::map<Ways, LineRate> line_rates(const RunFacts& facts, std::span<const Event> events) {
  const BothEnds ends = stretches_of(facts, events);
  std::map<Ways, std::vector<Stretch>> alone;
  for (const auto& [site, stretches] : ends.out) {
    for (const Stretch& one : stretches.all()) {
      if (one.mixed) continue;
      const auto& other = ends.in.at(one.ways.second).all();
      const auto same = std::ranges::lower_bound(other, one.end, {}, &Stretch::end);
      if (same != other.end() && is_same(one, *same)) alone[one.ways].push_back(one);
    }
  }
  std::map<Ways, LineRate> rates;
  for (const auto& [ways, stretches] : alone) {
    if (std::ssize(stretches) >= kStretchesForRate) rates.emplace(ways, rate_over(stretches));
  }
  return rates;
}

}  // namespace dipaco
