#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/roles/modules/shares.hpp"
#include "core/state/archive.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Outer gradients of a site's workers for owners elsewhere, which go through the site's store. Each owner is sent one
/// message at a time. What comes while that is on its way waits; of what waits for one version of a module the sum
/// goes, exact, where it is smaller than all of it. Nothing is put off for that: a line that is free carries what there
/// is.
class GradientRelay {
 public:
  GradientRelay(const RunPlan& plan, Transport& transport, const Archive& archive)
      : plan_(plan),
        transport_(transport),
        archive_(archive),
        shares_(plan),
        number_(static_cast<std::uint64_t>(transport.incarnation()) << 32U) {}

  /// |D_i| of a phase behind the first. Until it is known nothing of that phase is added.
  void learn(const ShardSizes& sizes) { shares_.learn(sizes); }
  /// From a worker: goes on now or later; not what comes twice.
  void take(NodeId worker, const RelayedGradient& given);
  /// The owner has dealt with what was on its way: the next goes.
  void answered(NodeId owner, const GradientTaken& taken);
  /// What was for the node may not arrive: workers hear so, and say what that means for their tasks.
  void lost(NodeId node);

 private:
  struct Waiting {
    OuterGradient gradient;
    NodeId worker{};
    bool singly = false;  ///< its sum could not be added
  };
  using Line = std::vector<Waiting>;
  struct Owner {
    Line waiting;
    Line under_way;
    std::uint64_t number = 0;             ///< of what is under way
    std::map<std::uint64_t, Line> later;  ///< what the owner has, and cannot judge yet, by number
  };

  void send_next(NodeId to, Owner& owner);
  static Line take_next(Line& waiting);
  static void send_singly(Owner& owner, Line parts, const std::vector<TaskId>& lacking);
  std::optional<GradientSum> sum_of(const Line& parts) const;

  const RunPlan& plan_;
  Transport& transport_;
  const Archive& archive_;
  Shares shares_;
  std::uint64_t number_;
  std::map<NodeId, Owner> owners_;
};

}  // namespace dipaco
