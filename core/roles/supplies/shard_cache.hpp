#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/plan/plan.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The shards that a worker or evaluator has. Those of phase 0 are prepared; the coordinator is asked for later ones.
class ShardCache {
 public:
  ShardCache(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  void arrived(const ShardDocuments& documents);
  /// Forgets what was asked for, so that the next request() asks again.
  void forget_requests() { asked_.clear(); }
  /// Whether the path's documents are here; always where nothing is learned.
  bool has(std::int32_t phase, PathId path) const;
  bool unasked(std::int32_t phase, PathId path) const { return !has(phase, path) && !asked_.contains({phase, path}); }
  void request(std::int32_t phase, PathId path);
  /// Null where nothing is learned. REQUIRES that it is here.
  std::shared_ptr<const PathShard> get(std::int32_t phase, PathId path) const;

 private:
  const RunPlan& plan_;
  Transport& transport_;
  std::map<std::pair<std::int32_t, PathId>, std::shared_ptr<const PathShard>> shards_;  ///< of phases behind the first
  std::set<std::pair<std::int32_t, PathId>> asked_;
};

}  // namespace dipaco
