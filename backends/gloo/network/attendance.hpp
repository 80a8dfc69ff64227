#pragma once

#include <functional>
#include <set>
#include <string>

#include "backends/gloo/network/member_list.hpp"

namespace dipaco {

/// Keeps the list of members up to date, and writes to the log who comes and who goes, each time once, whoever says it
/// first: the link with that node, or the coordinator. On the links' thread.
class Attendance {
 public:
  /// @param members  must outlive this
  Attendance(MemberList& members, std::function<void(const std::string&)> note)
      : members_(members), note_(std::move(note)) {}

  void know(const Member& member);
  /// @param how  "has left", for the log
  void gone(NodeId node, const std::string& how);
  /// This node leaves the run: what others do is no news any more.
  void leave() { leaving_ = true; }

 private:
  void note(const std::string& text) const;

  MemberList& members_;
  std::function<void(const std::string&)> note_;
  std::set<NodeId> noted_gone_;  ///< since they were last up
  bool leaving_ = false;
};

}  // namespace dipaco
