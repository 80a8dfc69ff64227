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

/// Sends so many bytes; nothing within a host, or where one of the two is off, which is a change that is known.
void send(sg::Host* from, sg::Host* to, Bytes size, std::vector<sg::CommPtr>& comms) {
  if (from != to && from->is_on() && to->is_on()) comms.push_back(sg::Comm::sendto_async(from, to, size.value));
}

/// Those of a machine that has gone have failed. @param gone  how many have
void wait_for(const std::vector<sg::CommPtr>& comms, const int& gone) {
  bool line_off = false;
  for (const sg::CommPtr& comm : comms) {
    try {
      comm->wait();
    } catch (const simgrid::NetworkFailureException&) {
      line_off = true;
    }
  }
  if (line_off && gone == 0) throw LineOff();
}

void use_disk(BytesPerSecond disk, Bytes size) {
  if (disk.value > 0) sg::this_actor::sleep_for(static_cast<double>(size.value) / disk.value);
}

/// Who has the job's state, or gets it.
struct Place {
  sg::Host* host = nullptr;
  SiteId site{};
  BytesPerSecond disk{};  ///< of a store
};

struct Way {
  Place from;
  Place to;
};

/// A store that is there: of the site, or else any. @throws StoreOff
Place store_at(const std::vector<PlacedNode>& stores, SiteId site) {
  const PlacedNode* found = nullptr;
  for (const PlacedNode& store : stores) {
    if (!sg::Host::by_name(store.host)->is_on()) continue;
    if (found == nullptr || (store.site == site && found->site != site)) found = &store;
  }
  if (found == nullptr) throw StoreOff();
  return {sg::Host::by_name(found->host), found->site, found->charges.disk};
}

/// Sends the state on all ways at once. @param gone  how many ranks have
void move(std::span<const Way> ways, Bytes state, Traffic& traffic, const int& gone) {
  std::vector<sg::CommPtr> comms;
  for (const auto& [from, to] : ways) {
    send(from.host, to.host, state, comms);
    traffic.by_sites[{from.site, to.site}].sent += state;
  }
  wait_for(comms, gone);
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
    if (rank.host->is_on() && rank.begins <= clock_now()) ranks.push_back(&rank);
  }
  return ranks;
}

std::size_t Ranks::there() const { return there_ranks().size(); }

std::size_t Ranks::holding() const {
  return static_cast<std::size_t>(std::ranges::count_if(there_ranks(), &Rank::holds));
}

void Ranks::gather() { taking_part_ = there_ranks(); }

FlopsPerSecond Ranks::speed(RankShare share) const {
  FlopsPerSecond sum{};
  FlopsPerSecond slowest = taking_part_.front()->speed;
  for (const Rank* rank : taking_part_) {
    sum += rank->speed;
    slowest = std::min(slowest, rank->speed);
  }
  return share == RankShare::equal ? static_cast<double>(taking_part_.size()) * slowest : sum;
}

std::vector<SiteId> Ranks::sites() const {
  std::vector<SiteId> sites;
  for (const Rank* rank : taking_part_) sites.push_back(rank->site);
  return sites;
}

std::optional<Seconds> Ranks::changed(const sg::Host& host) {
  std::optional<Seconds> begins;
  for (Rank& rank : ranks_) {
    if (rank.host != &host) continue;
    if (host.is_on()) {
      rank.begins = clock_now() + rank.start_up;
      begins = rank.begins;
    } else if (rank.begins <= clock_now()) {
      ++gone_;
    }
    rank.holds = false;
  }
  return begins;
}

void Ranks::begins(const sg::Host& host) { other_ = other_ || host.is_on(); }

int Ranks::take_gone() {
  other_ = false;
  return std::exchange(gone_, 0);
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

void Ranks::computed(std::map<std::string, std::vector<Interval>>& busy, RankShare share, Interval when) const {
  const double slowest = speed(RankShare::equal).value / static_cast<double>(taking_part_.size());
  for (const Rank* rank : taking_part_) {
    const double part = share == RankShare::equal ? slowest / rank->speed.value : 1;
    busy[rank->host->get_name()].push_back({when.begin, when.begin + part * (when.end - when.begin)});
  }
}

void Ranks::recover(Bytes state, Traffic& traffic) {
  const Seconds set_out = clock_now();
  const std::vector<const Rank*> ranks = there_ranks();
  std::map<SiteId, Place> source;  // by site: one that has the state
  for (const Rank* rank : ranks) {
    if (rank->holds) source.emplace(rank->site, Place{rank->host, rank->site});
  }
  std::vector<Way> into_sites;
  std::vector<Way> within;
  const std::map<SiteId, Place> before = source;
  for (const Rank* rank : ranks) {
    if (rank->holds) continue;
    const Place place{rank->host, rank->site};
    const auto [own, first] = source.emplace(rank->site, place);
    if (!first) {
      within.push_back({own->second, place});
    } else if (state > Bytes{}) {
      into_sites.push_back({before.empty() ? store_at(stores_, rank->site) : before.begin()->second, place});
    }
  }
  if (state > Bytes{} && !into_sites.empty()) {
    use_disk(into_sites.front().from.disk, state);
    move(into_sites, state, traffic, gone_);
  }
  if (state > Bytes{} && !within.empty()) move(within, state, traffic, gone_);
  for (Rank& rank : ranks_) {
    const bool given = std::ranges::find(ranks, &rank) != ranks.end();
    rank.holds = rank.holds || (given && rank.host->is_on() && rank.begins <= set_out);
  }
}

void Ranks::write_checkpoint(Bytes state, Traffic& traffic) const {
  const Rank& first = *taking_part_.front();
  const Place store = store_at(stores_, first.site);
  const Way way{{first.host, first.site}, store};
  move({&way, 1}, state, traffic, gone_);
  use_disk(store.disk, state);
}

void Ranks::forget_state() {
  for (Rank& rank : ranks_) rank.holds = false;
}

}  // namespace dipaco
