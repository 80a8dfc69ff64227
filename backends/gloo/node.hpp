#pragma once

#include <memory>
#include <optional>

#include "backends/gloo/compute.hpp"
#include "backends/gloo/coordinator_books.hpp"
#include "backends/gloo/network/network.hpp"
#include "backends/gloo/node_folder.hpp"
#include "backends/gloo/run.hpp"
#include "core/state/archive.hpp"
#include "core/storage/directory_storage.hpp"

namespace dipaco {

/// Whether a run goes on without such a node: it hands back what it has in hand.
constexpr bool may_leave(Role role) { return role == Role::worker || role == Role::evaluator; }

/// One role in this process, with its folder, its links and its clock. Its thread calls serve(); the rest may be called
/// from any thread.
class GlooNode {
 public:
  /// Listens from here on.
  GlooNode(const RunPlan& plan, const GlooOptions& options, Role role);

  Role role() const { return role_; }
  const Endpoint& endpoint() const { return network_.endpoint(); }
  /// From joining to the farewell. False where it was told to end before the run did.
  bool serve();
  /// Hands back what it has in hand and ends: a worker or an evaluator. Any other ends where it is.
  void leave();
  /// Ends where it is: another role of this process has failed, say.
  void stop();
  /// Whether it has been without the coordinator for so long, after it had joined.
  bool is_cut_off(Seconds limit) const { return network_.is_cut_off(limit); }

  /// Of the coordinator's.
  const CoordinatorBooks& books() const { return *books_; }
  const std::filesystem::path& state() const { return folder_.path(); }

  std::vector<Member> members() const { return network_.members(); }
  /// Since when the member has been up, or gone, as far as is known here.
  Seconds since(const Member& member) const;
  NodeId id() const { return network_.self().id; }
  const Network& network() const { return network_; }
  Seconds now() const { return network_.now(); }

 private:
  NetworkOptions network_options();
  void serve_role();
  void serve_seams(const Member& self, Seams seams);
  void keep_model() const;
  /// What the coordinator's log lacks of this node.
  void deliver_last();
  void depart();

  const RunPlan& plan_;
  const GlooOptions& options_;
  Role role_;
  NodeFolder folder_;
  DirectoryStorage storage_;
  NoArchive archive_;                        ///< a node goes on from its storage
  std::unique_ptr<CoordinatorBooks> books_;  ///< the coordinator's; else null
  ProcessCompute compute_;
  Network network_;
  Traffic traffic_;
  Reporter reporter_;
};

}  // namespace dipaco
