#include "core/roles/supplies/shard_cache.hpp"

#include "core/base/error.hpp"

namespace dipaco {

void ShardCache::arrived(const ShardDocuments& documents) {
  const auto& [phase, path, train, holdout, validation] = documents;
  asked_.erase({phase, path});
  if (has(phase, path)) return;
  // Nobody trains on an earlier phase once one path has begun a later one.
  std::erase_if(shards_, [phase](const auto& known) { return known.first.first + 1 < phase; });
  shards_[{phase, path}] = plan_.learner->make_shard(phase, path, {train, holdout, validation});
}

bool ShardCache::has(std::int32_t phase, PathId path) const { return phase == 0 || shards_.contains({phase, path}); }

void ShardCache::request(std::int32_t phase, PathId path) {
  if (!unasked(phase, path)) return;
  asked_.insert({phase, path});
  transport_.send(kCoordinator, make_message(FetchShard{phase, path}));
}

std::shared_ptr<const PathShard> ShardCache::get(std::int32_t phase, PathId path) const {
  check(has(phase, path), "a shard is asked for before it is used");
  return phase == 0 ? plan_.learner->shard(path) : shards_.at({phase, path});
}

}  // namespace dipaco
