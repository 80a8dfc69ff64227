#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/checkpoint.hpp"
#include "core/plan/plan.hpp"
#include "core/state/retention.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Path states in a store's storage, under "paths/PATH/VERSION", and parts of tasks that were handed back, under
/// "paths/PATH/VERSION_INNER_STEPS". Of each path the newest two states are kept (an outer gradient that was lost is
/// made again from the newest), those that an evaluation may still ask for, and the parts of the task behind the
/// newest. Which attempts are refused is kept beside them.
class StateFiles {
 public:
  /// Reads what is there. @throws DataError naming the file where it is damaged
  StateFiles(const RunPlan& plan, Storage& storage);

  /// Durable when it returns. REQUIRES that it is not there yet.
  /// @param gradient  of the task that made it: an archive's alone, where gradients are exchanged
  void keep(const PathStateBody& state, Epoch epoch, NodeId worker, const Values& gradient = {});
  void forget(PathId path, std::int32_t version);
  /// What is known of a state, or of a part; null where it is not there.
  const HeldState* find(PathId path, std::int32_t version, std::int32_t inner_steps = 0) const;
  /// The newest whole state of a path; -1: none.
  std::int32_t newest(PathId path) const;
  PathStateBody read(PathId path, std::int32_t version, std::int32_t inner_steps = 0) const;
  /// The gradient that was kept with a state; without data where none was.
  Values gradient(PathId path, std::int32_t version) const;
  std::vector<HeldState> held() const;

  /// Refuse attempts at task (path, outer_step) below `epoch` from now on.
  void refuse_below(PathId path, OuterStep outer_step, Epoch epoch);
  bool refused(PathId path, OuterStep outer_step, Epoch epoch) const;

  void release(const Released& released);

 private:
  using Place = std::pair<std::int32_t, std::int32_t>;  ///< version, inner steps
  struct Fence {
    OuterStep outer_step = kNoOuterStep;
    Epoch epoch = 0;
  };

  void read_state(const std::string& key);
  Checkpoint checkpoint(const std::string& key) const;
  void read_fence(const std::string& key);
  void forget_old(PathId path);

  const RunPlan& plan_;
  Storage& storage_;
  std::map<PathId, std::map<Place, HeldState>> states_;
  std::map<PathId, Fence> fences_;
  Retention retention_;
};

}  // namespace dipaco
