#include "core/state/refusals.hpp"

namespace dipaco {

std::int32_t Refusals::add(NodeId worker, std::int32_t incarnation) {
  Row& row = rows_[worker];
  if (row.incarnation != incarnation) row = {incarnation, 0};
  return ++row.count;
}

bool Refusals::end(NodeId worker) {
  const auto row = rows_.find(worker);
  if (row == rows_.end() || row->second.count >= kRefusalsInARow) return false;
  rows_.erase(row);
  return true;
}

bool Refusals::set_aside(NodeId worker, std::int32_t incarnation) const {
  const auto row = rows_.find(worker);
  return row != rows_.end() && row->second.incarnation == incarnation && row->second.count >= kRefusalsInARow;
}

}  // namespace dipaco
