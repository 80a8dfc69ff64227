#include "core/queue/waiting/resting_paths.hpp"

namespace dipaco {

void RestingPaths::add(PathId path, Seconds now) {
  if (paths_.empty()) since_ = now;
  paths_.insert(path);
}

std::optional<Seconds> RestingPaths::over_at() const {
  return paths_.empty() ? std::nullopt : std::optional(since_ + grace_);
}

void RestingPaths::last_begins(PathId path) {
  paths_.erase(path);
  never_again_.insert(path);
}

std::vector<PathId> RestingPaths::begin(Seconds now) {
  const bool others = paths_.size() + never_again_.size() < all_;
  if (paths_.empty() || (others && now < *over_at())) return {};
  std::vector<PathId> begun(paths_.begin(), paths_.end());
  paths_.clear();
  return begun;
}

}  // namespace dipaco
