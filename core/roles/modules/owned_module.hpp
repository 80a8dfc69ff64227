#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/outer/contributions.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/state/module_files.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Whether who sent a contribution of this outer step expects the version after it: the last one is pushed to nobody,
/// as there is no task that needs it. @param sender  -1: nobody
bool expects_next(const RunPlan& plan, NodeId sender, OuterStep outer_step);

/// Who waits for versions of a module that are not out.
struct AwaitedVersions {
  using Set = std::set<std::pair<NodeId, Version>>;
  Set asked;     ///< for just this one
  Set expected;  ///< this one or a later one, by who has sent an outer gradient

  void lost(NodeId node);
};

struct OwnedModule;
/// The version of a regional part that its merge point was made of; of another module 0.
Version merged_version(const RunPlan& plan, ModuleId module, const OwnedModule& mine);

/// What a regional part has under way (docs/decisions/0037). All of it can be had again.
struct Merging {
  struct Global {
    Version version{};
    Values parameters;
  };
  std::optional<Global> global;           ///< that the next version merges with
  std::optional<Version> last;            ///< no path gives any more, and this is its last version
  std::optional<std::int32_t> sent;       ///< merge point whose difference is under way
  Epoch sent_to = 0;                      ///< of the global part's owner
  std::optional<Seconds> sends_again_at;  ///< it was lost
};

/// One module that is an executor's.
struct OwnedModule {
  /// What the coordinator has not been told of its contributions.
  struct News {
    bool all = true;  ///< it may be another coordinator than the one that was told before
    std::set<PathId> settled;
    std::vector<Dropped> dropped;
  };

  Epoch epoch = 0;
  NodeId source{-1};  ///< store that it is taken from; -1: it was here
  bool here = false;  ///< false: under way from `source`
  Version version{};
  bool out = false;                     ///< `version` may be given to others
  Values parameters;                    ///< of `version`
  Values velocity;                      ///< of `version`
  Update update;                        ///< that made `version`
  std::map<PathId, Seconds> came_at{};  ///< without rounds: when contributions came that are in no version that is out
  OuterAccumulator sum{0};              ///< of the contributions in hand
  Contributions contributions;          ///< to the next version
  std::vector<Dropped> dropped;         ///< since `version` was made
  News news;
  std::map<PathId, GradientsLost> remaking;  ///< outer gradients that are to be made again from a store
  AwaitedVersions awaited;
  std::set<NodeId> receivers;           ///< to whom `version` is pushed once it is out
  std::vector<NodeId> copies;           ///< stores that must have a version before it is out
  std::set<NodeId> unstored;            ///< of these, who have not acknowledged `version`
  std::set<NodeId> supplied;            ///< of these, who have all earlier versions that are kept
  std::optional<NobodyElse> asked;      ///< by the coordinator, and not answered
  Version announced{};                  ///< newest version that was out, as far as is known
  Version heard{};                      ///< newest that the coordinator has, for good; without rounds
  Version told{};                       ///< newest that this coordinator was told of
  std::map<Version, Update> unheard{};  ///< without rounds: what made those behind `heard`, as far as is known here
  Merging merging{};                    ///< of a regional part

  /// The newest of these versions that its owner may begin with; nullopt: none. REQUIRES that `epoch` and `announced`
  /// are as the coordinator said.
  std::optional<Version> begins_with(const std::vector<Version>& versions) const;
  std::vector<SettledPath> settled() const;
  /// Takes the coordinator's word for its next version; not one that is of another version or owner.
  void hear(const NobodyElse& word);
  /// What the coordinator asked, once: that all has come, where the module still waits. nullopt: not yet, or not asked.
  std::optional<NobodyElse> waits();
  /// The node waits for nothing any more: it asks again once it is there again.
  void lost(NodeId node);
  /// The coordinator has this version for good.
  void heard_of(Version newest);
  /// Versions before `version` that this coordinator was not told of, the oldest first: those that are durable where
  /// they must be, as a later one is out. They count as told afterwards.
  std::vector<HeldModule> tell_earlier(ModuleId module);
  /// Those drops that a coordinator may not have heard of, which has ended since.
  std::vector<Dropped> late_drops() const;
  /// What the coordinator is told: that `version` is out, and the news, which are none afterwards.
  ModuleReady tell(ModuleId module);
  /// Who expects a version, before the module begins anew at another epoch: nothing else is called afterwards.
  AwaitedVersions::Set take_expected(const RunPlan& plan);
  /// As it is kept.
  ModuleState state() const;
};

}  // namespace dipaco
