#include "backends/gloo/network/run_end.hpp"

namespace dipaco {

std::vector<NodeId> RunEnd::owed(std::span<const Member> members) const {
  std::vector<NodeId> owed;
  if (!over_) return owed;
  for (const Member& member : members) {
    const bool keeps = member.role == Role::executor || member.role == Role::store;
    const auto lost = lost_at_.find(member.id);
    const bool lost_lately = lost != lost_at_.end() && lost->second > *over_ - lately_;
    if ((keeps || lost_lately) && !heard_.contains(member.id)) owed.push_back(member.id);
  }
  return owed;
}

}  // namespace dipaco
