#include "backends/gloo/network/attendance.hpp"

namespace dipaco {

void Attendance::know(const Member& member) {
  const bool was_up = members_.know(member, clock_.now());
  if (member.id == members_.self()) return;
  if (!member.up) return was_up ? gone(member.id, member.left ? "has left" : "is gone") : void();
  noted_gone_.erase(member.id);
  if (!was_up) note(members_.describe(member.id) + " takes part");
}

void Attendance::gone(NodeId node, const std::string& how) {
  if (noted_gone_.insert(node).second) note(members_.describe(node) + " " + how);
}

void Attendance::note(const std::string& text) const {
  if (note_ && !leaving_) note_(text);
}

}  // namespace dipaco
