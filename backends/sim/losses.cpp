#include "backends/sim/losses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <set>

#include "core/report/accounts/account.hpp"

namespace dipaco {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(LossCause::other) + 1> kCauseNames{
    "reclaimed_with_notice", "reclaimed_without_notice", "failed", "withheld", "other"};

/// What was lost for one cause.
struct CauseLosses {
  std::int64_t inner_steps = 0;
  std::int64_t tasks_requeued = 0;
  std::int64_t workers_lost = 0;
  Seconds lost{};  ///< in inner steps that reached no module
  Seconds away{};  ///< of workers, from when they went until they were back, or the run's end
  Seconds paid{};  ///< of these, those that are provisioned
};

class DepartureBook {
 public:
  DepartureBook(const RunFacts& facts, const std::vector<HostDeparture>& all) {
    std::map<std::string, std::vector<HostDeparture>> by_host;
    for (const HostDeparture& departure : all) by_host[departure.host].push_back(departure);
    for (auto& [host, departures] : by_host) std::ranges::stable_sort(departures, {}, &HostDeparture::at);
    for (const NodeFacts& node : facts.nodes) {
      if (const auto found = by_host.find(node.host); found != by_host.end()) of_[node.id] = found->second;
    }
  }

  LossCause cause(NodeId node, Seconds from, Seconds to) const {
    const auto departures = of_.find(node);
    if (departures == of_.end()) return LossCause::other;
    const auto first = std::ranges::lower_bound(departures->second, from, {}, &HostDeparture::at);
    return first == departures->second.end() || first->at > to ? LossCause::other : first->cause;
  }

 private:
  std::map<NodeId, std::vector<HostDeparture>> of_;
};

/// Of the seconds provisioned: those that a loss cost, as steps that did not count or as time away.
double share_of(const CauseLosses& losses, Seconds provisioned) {
  return provisioned > Seconds(0) ? (losses.lost + losses.paid) / provisioned : 0;
}

Seconds may_be_until(const Attempt& attempt, Seconds end) {
  const bool told = attempt.end == AttemptEnd::handed_back || attempt.end == AttemptEnd::notice_too_short;
  if (told) return Seconds(std::numeric_limits<double>::infinity());
  return happened(attempt.ended) ? attempt.ended : end;
}

/// Adds a worker's absences. One whose owner takes it, or that has left, is not paid for meanwhile.
template <class LossesOf>
void add_absences(const WorkerTime& worker, const NodeFacts& node, Seconds end, const LossesOf& of) {
  const std::vector<Interval>& there = worker.up_times.parts();
  for (std::size_t k = 0; k < there.size(); ++k) {
    const bool last = k + 1 == there.size();
    const Seconds away = (last ? end : there[k + 1].begin) - there[k].end;
    if (away <= Seconds(0)) continue;
    CauseLosses& cause = of(worker.id, there[k].end, there[k].end);
    cause.away += away;
    if (!node.preemptible && !(last && node.left)) cause.paid += away;
  }
}

using LossesByCause = std::array<CauseLosses, kCauseNames.size()>;

std::map<std::string, Fact> keys_of(const LossesByCause& losses, Seconds provisioned) {
  std::map<std::string, Fact> keys;
  CauseLosses all;
  for (std::size_t cause = 0; cause < losses.size(); ++cause) {
    const std::string suffix = std::string("_") + kCauseNames[cause];
    keys["inner_steps_lost" + suffix] = losses[cause].inner_steps;
    keys["tasks_requeued" + suffix] = losses[cause].tasks_requeued;
    keys["workers_lost" + suffix] = losses[cause].workers_lost;
    keys["worker_lost_s" + suffix] = losses[cause].lost.count();
    keys["worker_away_s" + suffix] = losses[cause].away.count();
    keys["goodput_lost" + suffix] = share_of(losses[cause], provisioned);
    all.lost += losses[cause].lost;
    all.away += losses[cause].away;
    all.paid += losses[cause].paid;
  }
  keys["worker_away_s"] = all.away.count();
  keys["goodput_lost"] = share_of(all, provisioned);
  return keys;
}

}  // namespace

std::map<std::string, Fact> losses_by_cause(const RunFacts& facts, const std::vector<HostDeparture>& departures,
                                            const std::vector<Event>& events) {
  LossesByCause losses{};
  const DepartureBook book(facts, departures);
  const auto of = [&](NodeId node, Seconds from, Seconds to) -> CauseLosses& {
    return losses[static_cast<std::size_t>(book.cause(node, from, to))];
  };
  const Account account = make_account(facts, events);
  for (const Attempt& attempt : account.attempts) {
    CauseLosses& cause = of(attempt.worker, attempt.assigned, may_be_until(attempt, account.end));
    cause.inner_steps += attempt.inner_steps - attempt.useful_steps;
    cause.tasks_requeued += is_requeued(attempt.end) ? 1 : 0;
    cause.lost += attempt.useful_steps == 0 ? attempt.computing : Seconds(0);
  }
  std::set<NodeId> workers;
  Seconds provisioned{};
  auto node = facts.nodes.begin();
  for (const WorkerTime& worker : account.workers) {
    workers.insert(worker.id);
    provisioned += worker.provisioned;
    node = std::find_if(node, facts.nodes.end(), [&](const NodeFacts& one) { return one.id == worker.id; });
    add_absences(worker, *node, account.end, of);
  }
  for (const Event& event : events) {
    if (event.kind != EventKind::node_down || event.time >= account.end || !workers.contains(event.node)) continue;
    ++of(event.node, event.time, event.time).workers_lost;
  }
  return keys_of(losses, provisioned);
}

}  // namespace dipaco
