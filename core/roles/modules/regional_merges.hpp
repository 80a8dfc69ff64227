#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/roles/modules/outer_stepper.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// What a regional part has moved by since its merge point, up to the version that is due; without the epoch of who
/// gets it. REQUIRES a version behind the merge point.
RegionDifference difference_of(const RunPlan& plan, ModuleId part, const OwnedModule& mine);

/// What an executor's regional parts and global parts send each other (docs/decisions/0037): differences, and global
/// parameters for an answer. What leaves is of a version that the coordinator has, so that no other version of that
/// number will ever count. What was lost is sent again; a difference is in its global part once.
class RegionalMerges {
 public:
  using Modules = std::map<ModuleId, OwnedModule>;
  RegionalMerges(const RunPlan& plan, Transport& transport, const ModuleFiles& files)
      : plan_(plan), transport_(transport), files_(files) {}

  /// False where it is no message of these.
  bool take(Modules& modules, NodeId from, Body& body);
  /// What was under way to or from the node comes no more. @param now  by the executor's clock, as below
  void lost(Modules& modules, NodeId node, Seconds now);
  /// Adds a difference that has come to its global part, which then is to step. @returns that; nullopt: none can be
  /// added now
  std::optional<ModuleId> add_next(Modules& modules, const OuterStepper& stepper, Seconds now);
  /// Sends all that is due and not under way.
  void run(Modules& modules, Seconds now);
  /// Whether something is to be sent again, in a while.
  bool unsent(const Modules& modules) const;

 private:
  /// A difference that has come, and whose sender is to be answered.
  struct Came {
    NodeId from{-1};
    RegionDifference what;
  };
  struct Awaited {
    NodeId to{-1};
    std::int32_t merged = 0;
    Version has{};  ///< the first version of the global part that has the difference
  };

  void take(OwnedModule& mine, const GlobalParameters& answer) const;
  bool is_due(ModuleId part, const OwnedModule& mine, Seconds now) const;
  void send_difference(ModuleId part, OwnedModule& mine);
  void answer(Modules& modules);
  std::optional<Version> first_with(ModuleId global, PathId region, std::int32_t merged) const;

  const RunPlan& plan_;
  Transport& transport_;
  const ModuleFiles& files_;
  std::map<ModuleId, Owner> owners_;     ///< of global parts
  std::vector<Came> came_;               ///< not added yet
  std::map<ModuleId, Awaited> awaited_;  ///< answers, by regional part
  std::vector<GlobalParameters> own_{};  ///< answers to regional parts that are this executor's, too
};

}  // namespace dipaco
