#pragma once

#include <functional>
#include <set>
#include <string>

#include "backends/gloo/network/member_list.hpp"
#include "backends/gloo/network/run_clock.hpp"

namespace dipaco {

/// Keeps the list of members up to date, and writes to the log who comes and who goes, each time once, whoever says it
/// first: the link with that node, or the coordinator. On the links' thread.
class Attendance {
 public:
  /// @param members, clock  must outlive this
  Attendance(MemberList& members, const RunClock& clock, std::function<void(const std::string&)> note)
      : members_(members), clock_(clock), note_(std::move(note)) {}

  void know(const Member& member);
  /// @param how  "has left", for the log
  void gone(NodeId node, const std::string& how);
  /// This node leaves the run: what others do is no news any more.
  void leave() { leaving_ = true; }

 private:
  void note(const std::string& text) const;

  MemberList& members_;
  const RunClock& clock_;
  std::function<void(const std::string&)> note_;
  std::set<NodeId> noted_gone_;  ///< since they were last up
  bool leaving_ = false;
};

}  // namespace dipaco
