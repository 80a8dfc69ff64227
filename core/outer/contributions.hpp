#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/outer/step_policy.hpp"

namespace dipaco {

/// The contributions to one part: which are in hand for its next version, and up to where each path's are settled. Pure
/// logic: it carries out what a step policy decides; values are added elsewhere.
class Contributions {
 public:
  /// One that will be in the next version.
  struct InHand {
    ContributionView what;
    double weight = 0;
    NodeId sender{-1};  ///< expects the next version; -1: nobody does
    Seconds came{};     ///< by the executor's clock; not before the one that was added last
  };

  /// Who may give to the next version, and the share of each. In rounds that is another set for each version.
  void expect(std::map<PathId, double> shares) { shares_ = std::move(shares); }
  const std::map<PathId, double>& shares() const { return shares_; }

  /// The contributions of outer steps before this one are applied or dropped.
  OuterStep settled(PathId path) const;
  const std::map<PathId, OuterStep>& settled() const { return settled_; }
  /// What others say of it; an older word changes nothing.
  void settle(PathId path, OuterStep outer_step);
  /// The path's contribution that has come is its last: where tasks differ in length, no outer step says so.
  void note_last(PathId path) { last_.insert(path); }
  /// Nobody else gives to the next version.
  void only_those_in_hand() { only_in_hand_ = true; }
  /// How many of those that give are not settled up to this one, behind the last of a run; fewer where nobody else can.
  std::int32_t giving(OuterStep end) const;

  bool contains(PathId path) const { return in_hand_.contains(path); }
  bool empty() const { return in_hand_.empty(); }
  /// The path's contribution came again: this node expects the next version.
  void sent_again(PathId path, NodeId sender) { in_hand_.at(path).sender = sender; }
  /// The node expects no version any more.
  void lost(NodeId sender);
  void add(const InHand& contribution);
  void drop(PathId path, OuterStep outer_step) { settle(path, next(outer_step)); }
  /// What is in hand makes a version: it is settled. By path.
  std::vector<InHand> take();

  /// The version before the next was made then, by the executor's clock, or came to this executor.
  void made(Seconds when) { made_ = when; }

  /// Valid until the next change. @param paths  that still give to it
  PartView view(Version version, std::int32_t paths, Seconds now) const;

 private:
  std::map<PathId, double> shares_;
  std::map<PathId, InHand> in_hand_;
  std::map<PathId, OuterStep> settled_;
  std::set<PathId> last_;  ///< paths whose last contribution has come
  bool only_in_hand_ = false;
  std::int64_t share_in_hand_ = 0;              ///< in steps of 2^-52: their order changes no bit
  std::optional<Seconds> made_;                 ///< the version before the next; nullopt: not known
  std::vector<Seconds> arrived_;                ///< when those in hand came, in that order
  std::map<OuterStep, std::int32_t> paths_at_;  ///< how many paths are settled up to an outer step
};

}  // namespace dipaco
