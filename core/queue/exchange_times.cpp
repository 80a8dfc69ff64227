#include "core/queue/exchange_times.hpp"

#include <algorithm>
#include <cmath>

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
  times_.erase(from);
  times_.erase(to);
  ++changes_;
}

void ExchangeTimes::forget() {
  groups_.clear();
  loads_.clear();
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
  return groups_;
}

/// How much the owners at each site get from so many tasks of a site, or send for them.
const ExchangeTimes::Load& ExchangeTimes::load(Direction direction, std::int64_t tasks) const {
  const auto [known, is_new] = loads_.try_emplace({direction, tasks});
  Load& bytes = known->second;
  if (!is_new) return bytes;
  for (const Group& group : groups()) {
    const Crossing& crossing = direction == Direction::to_owners ? group.is.gradient : group.is.version;
    const double its =
        static_cast<double>(group.modules) * bytes_for(crossing, group.is.share, static_cast<double>(tasks));
    if (bytes.empty() || bytes.back().first != group.owner) bytes.emplace_back(group.owner, 0);
    bytes.back().second += its;
  }
  return bytes;
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
  const bool out = direction == Direction::to_owners;
  double slowest = 0;
  double all = 0;
  for (const auto& [owner, bytes] : load(direction, tasks)) {
    if (owner == site) continue;
    slowest = std::max(slowest, bytes * (out ? way(site, owner) : way(owner, site)).value_or(0));
    all += bytes;
  }
  const auto line = out ? lines_->out_of(site) : lines_->into(site);
  return Seconds(line ? std::max(slowest, all / *line) : slowest);
}

Seconds ExchangeTimes::at_owners(const TasksAt& tasks) const {
  if (lines_ == nullptr) return Seconds(0);
  return at_owners(Direction::to_owners, tasks) + at_owners(Direction::from_owners, tasks);
}

Seconds ExchangeTimes::at_owners(Direction direction, const TasksAt& tasks) const {
  std::map<SiteId, double> crossing;
  for (const auto& [site, count] : tasks) {
    for (const auto& [owner, bytes] : load(direction, count)) crossing[owner] += owner == site ? 0 : bytes;
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
