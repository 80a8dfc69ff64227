#include "core/report/trace_slices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace dipaco {

std::int64_t nanoseconds(Seconds time) { return std::max<std::int64_t>(std::llround(time.count() * 1e9), 0); }

namespace {

bool is_instant(const Slice& slice) { return slice.kind == SliceKind::module; }

class SliceCollector {
 public:
  SliceCollector(const RunFacts& facts, const std::vector<Event>& events, const Account& account, std::int64_t limit)
      : facts_(facts),
        events_(events),
        account_(account),
        limit_(static_cast<std::size_t>(std::max<std::int64_t>(limit, 0))) {
    for (std::size_t place = 0; place < facts.nodes.size(); ++place) {
      places_[facts.nodes[place].id] = static_cast<std::uint32_t>(place);
    }
    result_.lanes.resize(facts.nodes.size());
  }

  TraceSlices collect() {
    find_cutoff();
    add_busy();
    separate_busy();
    add_transfers();
    cut();
    return std::move(result_);
  }

 private:
  /// Calls `use` with each task, job and module: what a node's own track shows.
  template <class Use>
  void for_each_busy(Use use) const {
    for (std::size_t at = 0; at < account_.attempts.size(); ++at) {
      const Attempt& attempt = account_.attempts[at];
      if (!happened(attempt.assigned)) continue;
      const Seconds end = happened(attempt.ended) ? attempt.ended : account_.end;
      use(slice(SliceKind::task, attempt.worker, attempt.assigned, end, at));
    }
    std::map<NodeId, Seconds> begun;  // a node does one job at a time
    for (std::size_t at = 0; at < events_.size(); ++at) {
      const Event& event = events_[at];
      if (begins_job(event.kind)) begun.insert_or_assign(event.node, event.time);
      if (event.kind == EventKind::module_stepped)
        use(slice(SliceKind::module, event.node, event.time, event.time, at));
      if (!ends_job(event.kind)) continue;
      const auto start = begun.find(event.node);
      if (start != begun.end()) use(slice(SliceKind::evaluate, event.node, start->second, event.time, at));
    }
  }

  Slice slice(SliceKind kind, NodeId node, Seconds begin, Seconds end, std::size_t source) const {
    return {.begin = nanoseconds(begin),
            .end = nanoseconds(end),
            .kind = kind,
            .node = places_.at(node),
            .source = static_cast<std::uint32_t>(source)};
  }

  /// The time after which nothing more can be among the first `limit`: a task counts as its four slices.
  void find_cutoff() {
    std::vector<std::int64_t> begins;
    for_each_busy(
        [&](const Slice& one) { begins.insert(begins.end(), one.kind == SliceKind::task ? 4 : 1, one.begin); });
    for (const Event& event : events_) {
      if (event.kind == EventKind::transfer) begins.push_back(nanoseconds(event.begin));
    }
    if (begins.size() <= limit_) return;
    const auto last = begins.begin() + static_cast<std::ptrdiff_t>(limit_);
    std::nth_element(begins.begin(), last, begins.end());
    cutoff_ = *last;
    result_.left_out = std::count_if(begins.begin(), begins.end(), [&](std::int64_t at) { return at > cutoff_; });
  }

  void add_busy() {
    for_each_busy([&](const Slice& one) {
      if (one.begin <= cutoff_) (is_instant(one) ? result_.slices : busy_).push_back(one);
    });
    std::sort(busy_.begin(), busy_.end(), [](const Slice& a, const Slice& b) {
      return std::tuple(a.node, a.begin, a.end, a.source) < std::tuple(b.node, b.begin, b.end, b.source);
    });
  }

  /// Node by node and up time by up time: slices one after the other, stages within tasks, waits between.
  void separate_busy() {
    auto next = busy_.begin();
    for (std::uint32_t node = 0; node < account_.up_times.size(); ++node) {
      std::int64_t down_since = -1;
      for (const Interval& time : account_.up_times[node].parts()) {
        const std::int64_t begin = nanoseconds(time.begin);
        const std::int64_t end = nanoseconds(time.end);
        if (down_since >= 0) add_within_cutoff({down_since, begin, SliceKind::down, node});
        down_since = end;
        std::int64_t free = begin;
        for (; next != busy_.end() && next->node == node && next->begin < end; ++next) {
          if (next->end <= begin) continue;
          Slice one = *next;
          one.begin = std::max(one.begin, free);
          one.end = std::min(one.end, end);
          if (one.begin >= one.end) continue;
          add_wait(node, free, one.begin);
          result_.slices.push_back(one);
          if (one.kind == SliceKind::task) add_stages(one);
          free = one.end;
        }
        add_wait(node, free, end);
      }
      while (next != busy_.end() && next->node == node) ++next;
      if (down_since >= 0) add_within_cutoff({down_since, nanoseconds(account_.end), SliceKind::down, node});
    }
  }

  void add_within_cutoff(const Slice& one) {
    if (one.begin < one.end && one.begin <= cutoff_) result_.slices.push_back(one);
  }

  /// Workers alone wait for tasks; what others do between messages is no slice.
  void add_wait(std::uint32_t node, std::int64_t begin, std::int64_t end) {
    if (facts_.nodes[node].role == Role::worker) add_within_cutoff({begin, end, SliceKind::wait, node});
  }

  void add_stages(const Slice& task) {
    const Attempt& attempt = account_.attempts[task.source];
    std::int64_t from = task.begin;
    const auto stage = [&](SliceKind kind, Seconds until) {
      const std::int64_t end = happened(until) ? std::min(nanoseconds(until), task.end) : task.end;
      if (from < end) result_.slices.push_back({from, end, kind, task.node, 0, task.source});
      from = std::max(from, end);
    };
    stage(SliceKind::gather, attempt.started);
    if (!happened(attempt.started)) return;
    stage(attempt.useful_steps > 0 ? SliceKind::inner_steps : SliceKind::inner_steps_lost, attempt.stopped);
    if (happened(attempt.computed)) stage(SliceKind::store, kNever);
  }

  /// A transfer is shown at its worker's end, in the first of that worker's tracks that is free.
  void add_transfers() {
    std::vector<Slice> transfers;
    for (std::size_t at = 0; at < events_.size(); ++at) {
      const Event& event = events_[at];
      if (event.kind != EventKind::transfer) continue;
      const NodeId shown = is_worker(event.node) ? event.node : is_worker(event.peer) ? event.peer : event.node;
      const Slice one = slice(SliceKind::transfer, shown, event.begin, event.time, at);
      if (one.begin <= cutoff_ && one.begin < one.end) transfers.push_back(one);
    }
    std::sort(transfers.begin(), transfers.end(), [](const Slice& a, const Slice& b) {
      return std::tuple(a.node, a.begin, a.source) < std::tuple(b.node, b.begin, b.source);
    });
    std::vector<std::int64_t> free_at;
    for (std::size_t at = 0; at < transfers.size(); ++at) {
      Slice& one = transfers[at];
      if (at == 0 || transfers[at - 1].node != one.node) free_at.clear();
      const auto lane =
          std::find_if(free_at.begin(), free_at.end(), [&](std::int64_t time) { return time <= one.begin; });
      one.lane = static_cast<std::uint32_t>(lane - free_at.begin()) + 1;
      if (lane == free_at.end()) {
        free_at.push_back(one.end);
      } else {
        *lane = one.end;
      }
    }
    result_.slices.insert(result_.slices.end(), transfers.begin(), transfers.end());
  }

  bool is_worker(NodeId node) const { return facts_.nodes[places_.at(node)].role == Role::worker; }

  void cut() {
    std::vector<Slice>& slices = result_.slices;
    if (slices.size() > limit_) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
      result_.left_out += static_cast<std::int64_t>(slices.size() - limit_);
      slices.resize(limit_);
    }
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return std::tuple(a.node, a.lane, a.begin, -a.end, a.kind, a.source) <
             std::tuple(b.node, b.lane, b.begin, -b.end, b.kind, b.source);
    });
    for (const Slice& one : slices) result_.lanes[one.node] = std::max(result_.lanes[one.node], one.lane);
  }

  const RunFacts& facts_;
  const std::vector<Event>& events_;
  const Account& account_;
  std::size_t limit_;
  std::map<NodeId, std::uint32_t> places_;
  std::int64_t cutoff_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Slice> busy_;
  TraceSlices result_;
};

}  // namespace

TraceSlices trace_slices(const RunFacts& facts, const std::vector<Event>& events, const Account& account,
                         std::int64_t limit) {
  return SliceCollector(facts, events, account, limit).collect();
}

}  // namespace dipaco
