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

Seconds may_be_until(const Attempt& attempt, Seconds end) {
  const bool told = attempt.end == AttemptEnd::handed_back || attempt.end == AttemptEnd::notice_too_short;
  if (told) return Seconds(std::numeric_limits<double>::infinity());
  return happened(attempt.ended) ? attempt.ended : end;
}

}  // namespace

std::map<std::string, Fact> losses_by_cause(const RunFacts& facts, const std::vector<HostDeparture>& departures,
                                            const std::vector<Event>& events) {
  std::array<CauseLosses, kCauseNames.size()> losses{};
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
  for (const WorkerTime& worker : account.workers) workers.insert(worker.id);
  for (const Event& event : events) {
    if (event.kind != EventKind::node_down || event.time >= account.end || !workers.contains(event.node)) continue;
    ++of(event.node, event.time, event.time).workers_lost;
  }
  std::map<std::string, Fact> keys;
  for (std::size_t cause = 0; cause < losses.size(); ++cause) {
    const std::string suffix = std::string("_") + kCauseNames[cause];
    keys["inner_steps_lost" + suffix] = losses[cause].inner_steps;
    keys["tasks_requeued" + suffix] = losses[cause].tasks_requeued;
    keys["workers_lost" + suffix] = losses[cause].workers_lost;
    keys["worker_lost_s" + suffix] = losses[cause].lost.count();
  }
  return keys;
}

}  // namespace dipaco
