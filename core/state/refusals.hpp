#pragma once

#include <cstdint>
#include <map>

#include "core/base/ids.hpp"

namespace dipaco {

/// A worker whose states are refused so often, one after the other, is set aside. Choice: a flipped bit spoils one
/// state, a run that diverges spoils one task at every worker; three tasks in a row are neither. With fewer workers
/// than that, one task is tried so often before the run ends.
inline constexpr std::int32_t kRefusalsInARow = 3;
/// A task that so many workers have spoiled ends the run, as if all had. Choice: they compute alike, and not all of
/// thousands need be asked.
inline constexpr std::int32_t kMostSpoilers = 16;

/// Whose states were refused as not finite, one after the other, by worker. Pure logic.
class Refusals {
 public:
  struct Row {
    std::int32_t incarnation = 0;
    std::int32_t count = 0;
  };

  /// One more. @returns how many in a row that makes
  std::int32_t add(NodeId worker, std::int32_t incarnation);
  /// What a journal says.
  void restore(NodeId worker, Row row) { rows_[worker] = row; }
  /// A state of the worker is committed. @returns whether that ends a row: who is set aside stays so
  bool end(NodeId worker);
  /// Whether it is set aside; a new incarnation is not.
  bool set_aside(NodeId worker, std::int32_t incarnation) const;

 private:
  std::map<NodeId, Row> rows_;
};

}  // namespace dipaco
