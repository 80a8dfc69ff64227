#include "core/queue/exchange_times.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {

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
  forget();
}

void ExchangeTimes::forget() {
  times_.clear();
  ++changes_;
}

std::optional<double> ExchangeTimes::way(SiteId from, SiteId to) const {
  if (const auto found = measured_.find({from, to}); found != measured_.end()) return found->second;
  const auto rate = lines_ == nullptr ? std::nullopt : lines_->between(from, to);
  return rate ? std::optional(1 / *rate) : std::nullopt;
}

Seconds ExchangeTimes::after(SiteId site, std::int64_t tasks, bool new_here) const {
  const auto [known, is_new] = times_.try_emplace({site, tasks});
  After& after = known->second;
  if (is_new) after = {time(Direction::to_owners, site, tasks), time(Direction::from_owners, site, tasks)};
  return new_here ? after.gradients + after.versions : after.gradients;
}

/// How much the owners at each site get from so many tasks of a site, or send for them: each module that one of these
/// goes through once.
std::map<SiteId, double> ExchangeTimes::bytes_by_owner(Direction direction, std::int64_t tasks) const {
  std::map<SiteId, double> bytes;
  for (const auto& [id, module] : modules_) {
    if (module.owner == kNowhere) continue;
    const Bytes each = direction == Direction::to_owners ? module.is.gradient : module.is.version;
    const double any = 1 - std::pow(1 - module.is.share, static_cast<double>(tasks));
    bytes[module.owner] += any * static_cast<double>(each.value);
  }
  return bytes;
}

/// The longer of what its slowest way takes and of what all ways together take the site's own line.
Seconds ExchangeTimes::time(Direction direction, SiteId site, std::int64_t tasks) const {
  if (lines_ == nullptr) return Seconds(0);
  const bool out = direction == Direction::to_owners;
  double slowest = 0;
  double all = 0;
  for (const auto& [owner, bytes] : bytes_by_owner(direction, tasks)) {
    if (owner == site) continue;
    slowest = std::max(slowest, bytes * (out ? way(site, owner) : way(owner, site)).value_or(0));
    all += bytes;
  }
  const auto line = out ? lines_->out_of(site) : lines_->into(site);
  return Seconds(line ? std::max(slowest, all / *line) : slowest);
}

Seconds ExchangeTimes::at_owners(const TasksAt& tasks) const {
  return at_owners(Direction::to_owners, tasks) + at_owners(Direction::from_owners, tasks);
}

Seconds ExchangeTimes::at_owners(Direction direction, const TasksAt& tasks) const {
  if (lines_ == nullptr) return Seconds(0);
  std::map<SiteId, double> crossing;
  for (const auto& [site, count] : tasks) {
    for (const auto& [owner, bytes] : bytes_by_owner(direction, count)) crossing[owner] += owner == site ? 0 : bytes;
  }
  double longest = 0;
  for (const auto& [owner, bytes] : crossing) {
    const auto line = direction == Direction::to_owners ? lines_->into(owner) : lines_->out_of(owner);
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
