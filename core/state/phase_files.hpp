#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/prepare/routing.hpp"
#include "core/storage/storage.hpp"

namespace dipaco {

/// Router and shards of one phase.
struct PhaseRouting {
  std::int32_t phase = 0;
  std::string router;
  std::vector<Shard> shards;
};

/// Under which a run's state and its archive keep the shards of a phase: "shards/PHASE".
std::string shards_key(std::int32_t phase);

/// What an archive keeps of each phase behind the first, under "routers/PHASE" and "shards/PHASE".
class PhaseFiles {
 public:
  /// Finds the phases that are there, and reads them once. @throws DataError where one is damaged
  PhaseFiles(const RunPlan& plan, Storage& storage);

  /// The last that was there at the start; 0: none. What is kept since does not count.
  std::int32_t past() const { return past_; }
  /// In memory until another is read: shards of all phases would be as many documents as the run has phases.
  /// REQUIRES 1 <= phase <= past(). @throws DataError where it is damaged
  const PhaseRouting& read(std::int32_t phase);
  bool in_memory(std::int32_t phase) const { return loaded_.phase == phase; }
  void keep(std::int32_t phase, const std::string& router, std::span<const std::byte> shards);

 private:
  bool load(std::int32_t phase);

  const RunPlan& plan_;
  Storage& storage_;
  std::int32_t past_ = 0;
  PhaseRouting loaded_;
};

}  // namespace dipaco
