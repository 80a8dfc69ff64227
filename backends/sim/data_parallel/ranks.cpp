#include "backends/sim/data_parallel/ranks.hpp"

#include <algorithm>
#include <set>
#include <simgrid/Exception.hpp>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/hosts_by_name.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

/// Sends so many bytes; nothing where one of the two is off, which is a change that is known.
void send(sg::Host* from, sg::Host* to, Bytes size, std::vector<sg::CommPtr>& comms) {
  if (from->is_on() && to->is_on()) comms.push_back(sg::Comm::sendto_async(from, to, size.value));
}

/// Those of a machine that has gone have failed. @param gone  whether one has
void wait_for(const std::vector<sg::CommPtr>& comms, const bool& gone) {
  for (const sg::CommPtr& comm : comms) {
    try {
      comm->wait();
    } catch (const simgrid::NetworkFailureException&) {
      if (gone) continue;
      throw RunError(static_cast<int>(ExitStatus::no_progress),
                     "a line between machines of the data-parallel job is off, and it needs all");
    }
  }
}

std::set<std::string> hosts_that_go(const Placement& placement) {
  std::set<std::string> hosts;
  for (const SitePreemption& zone : placement.preemptions) hosts.insert(zone.hosts.begin(), zone.hosts.end());
  for (const HostFailures& fails : placement.failures) hosts.insert(fails.host);
  for (const DrawnAbsences& drawn : placement.absences) hosts.insert(drawn.hosts.begin(), drawn.hosts.end());
  return hosts;
}

}  // namespace

Ranks::Ranks(const Placement& placement) : stores_(placement.with(Role::store)) {
  const HostsByName hosts(*sg::Engine::get_instance());
  const std::string& coordinator = placement.nodes.front().host;
  if (hosts_that_go(placement).contains(coordinator))
    throw ConfigError("the coordinator's host, " + coordinator +
                      ", sees to the data-parallel job and may go off; name one that stays (coordinator)");
  home_ = hosts.at(coordinator);
  for (const PlacedNode& node : placement.with(Role::worker)) {
    ranks_.push_back(
        {.host = hosts.at(node.host), .site = node.site, .speed = node.speed, .start_up = node.charges.start_up});
  }
  std::ranges::stable_sort(ranks_, {}, &Rank::site);
}

std::vector<const Ranks::Rank*> Ranks::there_ranks() const {
  std::vector<const Rank*> ranks;
  for (const Rank& rank : ranks_) {
    if (rank.host->is_on()) ranks.push_back(&rank);
  }
  return ranks;
}

std::size_t Ranks::there() const { return there_ranks().size(); }

std::size_t Ranks::holding() const {
  return static_cast<std::size_t>(std::ranges::count_if(there_ranks(), &Rank::holds));
}

void Ranks::gather() { taking_part_ = there_ranks(); }

FlopsPerSecond Ranks::speed() const {
  FlopsPerSecond sum{};
  for (const Rank* rank : taking_part_) sum += rank->speed;
  return sum;
}

std::vector<SiteId> Ranks::sites() const {
  std::vector<SiteId> sites;
  for (const Rank* rank : taking_part_) sites.push_back(rank->site);
  return sites;
}

bool Ranks::changed(const sg::Host& host) {
  bool any = false;
  for (Rank& rank : ranks_) {
    if (rank.host != &host) continue;
    any = true;
    rank.holds = false;
    if (host.is_on()) rank.came = clock_now();
    (host.is_on() ? came_ : gone_) = true;
  }
  return any;
}

bool Ranks::take_gone() {
  came_ = false;
  return std::exchange(gone_, false);
}

Seconds Ranks::time_of(std::span<const CollectivePhase> phases) const {
  std::vector<sg::Host*> hosts;
  for (const Rank* rank : taking_part_) hosts.push_back(rank->host);
  Seconds whole{};
  for (const CollectivePhase& phase : phases) {
    const Seconds begin = clock_now();
    std::vector<sg::CommPtr> comms;
    for (const RankMessage& message : phase.messages) send(hosts[message.from], hosts[message.to], message.size, comms);
    wait_for(comms, gone_);
    whole += static_cast<double>(phase.times) * (clock_now() - begin);
  }
  return whole;
}

void Ranks::count(Traffic& traffic, std::span<const CollectivePhase> phases, std::int64_t times) const {
  const std::vector<SiteId> at = sites();
  for (const CollectivePhase& phase : phases) {
    for (const RankMessage& message : phase.messages) {
      const auto sent = message.size.value * static_cast<std::uint64_t>(phase.times * times);
      traffic.by_sites[{at[message.from], at[message.to]}].sent += Bytes{sent};
    }
  }
}

void Ranks::computed(std::map<std::string, std::vector<Interval>>& busy, Interval when) const {
  for (const Rank* rank : taking_part_) busy[rank->host->get_name()].push_back(when);
}

void Ranks::recover(Bytes state, Traffic& traffic) {
  Seconds begins{};
  for (const Rank* rank : there_ranks()) {
    if (!rank->holds && rank->came > Seconds(0)) begins = std::max(begins, rank->came + rank->start_up);
  }
  if (begins > clock_now()) sg::this_actor::sleep_until(begins.count());
  const Seconds set_out = clock_now();
  std::map<SiteId, Place> source;  // by site: one that has the state
  for (const Rank* rank : there_ranks()) {
    if (rank->holds) source.emplace(rank->site, Place{rank->host, rank->site});
  }
  std::vector<Way> into_sites;
  std::vector<Way> within;
  const std::map<SiteId, Place> before = source;
  for (const Rank* rank : there_ranks()) {
    if (rank->holds) continue;
    const Place place{rank->host, rank->site};
    const auto [own, first] = source.emplace(rank->site, place);
    if (!first) {
      within.push_back({own->second, place});
    } else {
      into_sites.push_back({before.empty() ? store_at(rank->site) : before.begin()->second, place});
    }
  }
  if (state > Bytes{}) {
    move(into_sites, state, traffic);
    move(within, state, traffic);
  }
  for (Rank& rank : ranks_) rank.holds = rank.holds || (rank.host->is_on() && rank.came <= set_out);
}

void Ranks::write_checkpoint(Bytes state, Traffic& traffic) const {
  const Rank& first = *taking_part_.front();
  const Place store = store_at(first.site);
  const Way way{{first.host, first.site}, store};
  move({&way, 1}, state, traffic);
  const auto node = std::ranges::find(stores_, store.host->get_name(), &PlacedNode::host);
  const double disk = node->charges.disk.value;
  if (disk > 0) sg::this_actor::sleep_for(static_cast<double>(state.value) / disk);
}

void Ranks::forget_state() {
  for (Rank& rank : ranks_) rank.holds = false;
}

Ranks::Place Ranks::store_at(SiteId site) const {
  const auto own = std::ranges::find(stores_, site, &PlacedNode::site);
  const PlacedNode& store = own == stores_.end() ? stores_.front() : *own;
  return {sg::Host::by_name(store.host), store.site};
}

void Ranks::move(std::span<const Way> ways, Bytes size, Traffic& traffic) const {
  std::vector<sg::CommPtr> comms;
  for (const auto& [from, to] : ways) {
    send(from.host, to.host, size, comms);
    traffic.by_sites[{from.site, to.site}].sent += size;
  }
  wait_for(comms, gone_);
}

}  // namespace dipaco
