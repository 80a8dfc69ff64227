#include "core/queue/exchange_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dipaco {
namespace {

/// Bytes for so many tasks of a site, of which each goes through the module with probability `share`.
double bytes_for(const Crossing& crossing, double share, double tasks) {
  const double alone = share * tasks * static_cast<double>(crossing.each.value);
  if (crossing.shared == Bytes{}) return alone;
  const double any = 1 - std::pow(1 - share, tasks);
  return std::min(alone, any * static_cast<double>(crossing.shared.value));
}

}  // namespace

void ExchangeTimes::known_are(std::shared_ptr<const KnownLines> known) {
  lines_ = std::move(known);
  forget();
}

void ExchangeTimes::module_is(ModuleId id, ExchangedModule module) {
  modules_[id].is = module;
  forget();
}

void ExchangeTimes::owned_at(ModuleId id, SiteId site) {
  if (std::exchange(modules_.at(id).owner, site) != site) forget();
}

void ExchangeTimes::way_takes(SiteId from, SiteId to, double seconds_a_byte) {
  measured_[{from, to}] = seconds_a_byte;
  for (const SiteId site : {from, to}) {
    times_.erase(site);
    for (const Direction direction : {Direction::to_owners, Direction::from_owners}) ways_.erase({site, direction});
  }
  ++changes_;
}

void ExchangeTimes::forget() {
  groups_.clear();
  owners_.clear();
  loads_.clear();
  ways_.clear();
  times_.clear();
  ++changes_;
}

std::optional<double> ExchangeTimes::way(SiteId from, SiteId to) const {
  if (const auto found = measured_.find({from, to}); found != measured_.end()) return found->second;
  const auto rate = lines_ == nullptr ? std::nullopt : lines_->between(from, to);
  return rate ? std::optional(1 / *rate) : std::nullopt;
}

const std::vector<ExchangeTimes::Group>& ExchangeTimes::groups() const {
  if (!groups_.empty()) return groups_;
  for (const auto& [id, module] : modules_) {
    if (module.owner == kNowhere) continue;
    const auto alike = std::ranges::find_if(
        groups_, [&](const Group& group) { return group.owner == module.owner && group.is == module.is; });
    if (alike == groups_.end()) {
      groups_.push_back({module.owner, module.is, 1});
    } else {
      ++alike->modules;
    }
  }
  std::ranges::stable_sort(groups_, {}, &Group::owner);
  for (const Group& group : groups_) {
    if (owners_.empty() || owners_.back() != group.owner) owners_.push_back(group.owner);
  }
  return groups_;
}

/// How much the owners at each site get from so many tasks of a site, or send for them.
const ExchangeTimes::ByOwners& ExchangeTimes::load(Direction direction, std::int64_t tasks) const {
  const auto [known, is_new] = loads_.try_emplace({direction, tasks});
  ByOwners& bytes = known->second;
  if (!is_new) return bytes;
  std::size_t owner = 0;
  for (const Group& group : groups()) {
    bytes.resize(owners_.size());
    if (owners_[owner] != group.owner) ++owner;
    const Crossing& crossing = direction == Direction::to_owners ? group.is.gradient : group.is.version;
    const double each = bytes_for(crossing, group.is.share, static_cast<double>(tasks));
    bytes[owner] += static_cast<double>(group.modules) * each;
  }
  return bytes;
}

const ExchangeTimes::ByOwners& ExchangeTimes::ways(Direction direction, SiteId site) const {
  const auto [known, is_new] = ways_.try_emplace({site, direction});
  if (!is_new) return known->second;
  groups();
  for (const SiteId owner : owners_) {
    const auto takes = direction == Direction::to_owners ? way(site, owner) : way(owner, site);
    known->second.push_back(owner == site ? 0 : takes.value_or(0));
  }
  return known->second;
}

Seconds ExchangeTimes::after(SiteId site, std::int64_t tasks, bool new_here) const {
  if (lines_ == nullptr) return Seconds(0);
  const auto [known, is_new] = times_[site].try_emplace(tasks);
  After& after = known->second;
  if (is_new) after = {time(Direction::to_owners, site, tasks), time(Direction::from_owners, site, tasks)};
  return new_here ? after.gradients + after.versions : after.gradients;
}

/// The longer of what its slowest way takes and of what all ways together take the site's own line.
Seconds ExchangeTimes::time(Direction direction, SiteId site, std::int64_t tasks) const {
  const ByOwners& takes = ways(direction, site);
  const ByOwners& bytes = load(direction, tasks);
  double slowest = 0;
  double all = 0;
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    if (owners_[k] == site) continue;
    slowest = std::max(slowest, bytes[k] * takes[k]);
    all += bytes[k];
  }
  if (lines_ == nullptr) return Seconds(slowest);
  const auto line = direction == Direction::to_owners ? lines_->out_of(site) : lines_->into(site);
  return Seconds(line ? std::max(slowest, all / *line) : slowest);
}

Seconds ExchangeTimes::at_owners(const TasksAt& tasks) const {
  if (lines_ == nullptr) return Seconds(0);
  return at_owners(Direction::to_owners, tasks) + at_owners(Direction::from_owners, tasks);
}

Seconds ExchangeTimes::at_owners(Direction direction, const TasksAt& tasks) const {
  double longest = 0;
  groups();
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    double bytes = 0;
    for (const auto& [site, count] : tasks) bytes += site == owners_[k] ? 0 : load(direction, count)[k];
    const auto line = direction == Direction::to_owners ? lines_->into(owners_[k]) : lines_->out_of(owners_[k]);
    if (line) longest = std::max(longest, bytes / *line);
  }
  return Seconds(longest);
}

std::vector<ModuleId> ExchangeTimes::modules() const {
  std::vector<ModuleId> ids;
  for (const auto& [id, module] : modules_) ids.push_back(id);
  return ids;
}

}  // namespace dipaco
