#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/gloo/network/attendance.hpp"
#include "backends/gloo/network/links.hpp"
#include "backends/gloo/network/run_end.hpp"

namespace dipaco {

/// What a node must have in common with the coordinator.
struct JoinTerms {
  std::string version;  ///< of the program
  std::string config_hash;
  std::string run;
};

/// Why the coordinator does not let a node in that asks from the address `from`, if it does not.
std::optional<Refused> refusal(const Join& asked, const std::string& from, const JoinTerms& ours);

/// Of the coordinator: lets nodes in, each with its number, and tells all others. On the links' thread.
class Admission {
 public:
  /// All must outlive this. @param told  is called when a node has heard that the run is over; the process may end then
  Admission(NetworkShared& shared, Links& links, Attendance& attendance, std::function<void()> told);

  /// A connection by which a node asks to take part.
  void serve(const std::shared_ptr<Connection>& connection, const Join& asked);
  /// There is a link with this node.
  void begun(NodeId node) { end_.came_back(node); }
  /// The link has ended. @param left  after a farewell
  void ended(NodeId node, bool left);
  /// It is no member any more that others can reach: tells everybody.
  void tell_gone(NodeId node, bool left);
  /// The run is over: says so to all that are linked, and from now on to whoever asks to take part.
  void end_run();
  /// Who has to hear so before this process may end.
  std::vector<NodeId> owed() const { return end_.owed(shared_.members.all()); }

 private:
  /// @param said  is called once the answer has gone
  void refuse(const std::shared_ptr<Connection>& connection, const Join& asked, const Refused& why,
              std::function<void()> said = {});
  /// Whether there is a link with this node that it has not lost, and it is no newer process of that node.
  bool is_linked(NodeId node, const Join& asked);

  NetworkShared& shared_;
  Links& links_;
  Attendance& attendance_;
  std::function<void()> told_;
  RunEnd end_;
};

}  // namespace dipaco
