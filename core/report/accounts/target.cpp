#include "core/report/accounts/target.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "core/report/accounts/account.hpp"
#include "core/report/accounts/bill.hpp"
#include "core/report/accounts/run_facts.hpp"

namespace dipaco {
namespace {

using SitePair = std::pair<SiteId, SiteId>;

bool good_enough(const RunFacts& facts, const std::string& key) {
  const auto fact = facts.more.find(key);
  const auto* const perplexity = fact == facts.more.end() ? nullptr : std::get_if<double>(&fact->second);
  return perplexity != nullptr && *perplexity <= facts.target_perplexity;
}

Seconds time_reached(const RunFacts& facts, const Account& account) {
  for (const OuterStepTime& step : account.outer_steps) {
    const std::string version = std::to_string(version_after(step.outer_step));
    if (happened(step.end) && good_enough(facts, "validation_perplexity_outer_step_" + version)) return step.end;
  }
  return good_enough(facts, "validation_perplexity") ? account.end : kNever;
}

/// What had been sent between sites by `end`.
Traffic traffic_until(const RunFacts& facts, const std::vector<Event>& events, Seconds end) {
  std::map<NodeId, SiteId> sites;
  for (const NodeFacts& node : facts.nodes) sites.emplace(node.id, node.site);
  std::map<SitePair, double> all;
  std::map<SitePair, double> come;
  for (const Event& event : events) {
    if (event.kind != EventKind::transfer) continue;
    const SitePair pair{sites.at(event.peer), sites.at(event.node)};
    all[pair] += static_cast<double>(event.bytes);
    if (event.time <= end) come[pair] += static_cast<double>(event.bytes);
  }
  Traffic traffic;
  for (const auto& [pair, crossed] : facts.traffic.by_sites) {
    const double sent = static_cast<double>(crossed.sent.value);
    const double share = all[pair] > 0 ? come[pair] / all[pair] : 1;
    traffic.by_sites[pair].sent = Bytes{static_cast<std::uint64_t>(std::llround(sent * share))};
  }
  return traffic;
}

}  // namespace

std::optional<TargetReached> target_reached(const RunFacts& facts, const Account& account,
                                            const std::vector<Event>& events, std::span<const Intervals> busy) {
  const Seconds time = time_reached(facts, account);
  if (!happened(time)) return std::nullopt;
  return TargetReached{.time = time, .usd = make_bill(facts.costs, traffic_until(facts, events, time), busy, time).usd};
}

}  // namespace dipaco
