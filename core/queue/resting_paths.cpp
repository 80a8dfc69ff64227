#include "core/queue/resting_paths.hpp"

namespace dipaco {

void RestingPaths::add(PathId path, Seconds now) {
  if (paths_.empty()) since_ = now;
  paths_.insert(path);
}

std::optional<Seconds> RestingPaths::over_at() const {
  return paths_.empty() ? std::nullopt : std::optional(since_ + grace_);
}

std::vector<PathId> RestingPaths::begin(Seconds now, std::size_t left) {
  if (paths_.empty() || (now < *over_at() && paths_.size() < left)) return {};
  std::vector<PathId> begun(paths_.begin(), paths_.end());
  paths_.clear();
  return begun;
}

}  // namespace dipaco
