#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/outer/asynchronous.hpp"
#include "core/outer/optimizer.hpp"

namespace dipaco {

// Hierarchical asynchronous local SGD: of a module that several regions share, each region has a part of its own, which
// steps at each contribution of the region's paths; what the regional parts have moved by is contributed to a global
// part, with which they merge.
//
//   regional part, at each contribution:  theta <- step of theta,  version <- version + 1
//     K versions after its last merge:    D <- p - theta, which it sends; p: its merge point, theta right after that
//   global part, at each D:               G <- step of G by D;  it answers with G
//   regional part, at the answer:         theta <- (1 - alpha) theta + alpha G,  p <- theta
//
// A regional part has one D under way at most. What it has moved by from D to the answer stays in its theta, and is in
// no D. Source: HALoS (2506.04531); the rule and its sign as in its code (utnslab/halos), whose option's help text has
// alpha and 1 - alpha the other way round. Choice: a merge is part of the version that the next contribution makes,
// before that. No path begins in between, so all paths see what they would see if it were a version of its own.

/// How a regional part steps: with another optimizer, and keeps its merge point beside. From the version with which D
/// is sent to the next merge, the array has D in the merge point's place: whoever has the version can send D again.
class OuterRegional : public OuterOptimizer {
 public:
  /// @param merge  every at least 1
  OuterRegional(std::unique_ptr<const OuterOptimizer> optimizer, const MergeOptions& merge)
      : optimizer_(std::move(optimizer)), merge_(merge) {}
  /// The other's, and behind them the merge point, or D.
  std::vector<StateArray> arrays() const override;
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

  /// Whether this version has D in the merge point's place. @param merged  version that the merge point was made of
  bool is_cut(Version version, Version merged) const {
    return std::int64_t{number(version)} >= std::int64_t{number(merged)} + merge_.every;
  }
  /// D of a version: where it is not cut, what the part has moved by so far.
  /// @param array  [n] its merge point, or D  @returns [n]
  std::vector<float> difference(bool cut, std::span<const float> parameters, std::span<const float> array) const;
  /// Merges with the global parameters, in place. @param array  [n] gets the merge point
  void merge(std::span<float> parameters, std::span<float> array, std::span<const float> global) const;
  const MergeOptions& merging() const { return merge_; }

 private:
  std::unique_ptr<const OuterOptimizer> optimizer_;
  MergeOptions merge_;
};

/// As asynchronous_policy, within each region.
SyncPolicy hierarchical_policy(const AsynchronousOptions& options, const MergeOptions& merge);

}  // namespace dipaco
