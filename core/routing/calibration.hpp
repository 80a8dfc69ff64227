#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/routing/parts.hpp"

namespace dipaco {

/// What calibration_targets leaves a path at least, as a share of 1 / P.
inline constexpr double kLeastTarget = 0.2;

/// Which share of the documents each path should get, from the labels [n] of the router documents: its share of the
/// labels, but so much at least that kLeastTarget / P is left when all of them are divided by their sum (Choice: the
/// paper matches "the target document-to-path distribution" and does not say which; a path with hardly a label would
/// starve).
/// @returns [P], each at least kLeastTarget / P. REQUIRES labels within the paths.
std::vector<double> calibration_targets(std::span<const PathId> labels, std::int32_t paths);

/// The share [P] of the documents that has each path for its best by logits [n, P] + bias [P]; the lower path where two
/// are equally good.
std::vector<double> best_path_shares(std::span<const float> logits, std::span<const float> bias);

/// The bias [P] under which documents with logits [n, P] go to their best paths in about the shares `targets` [P]
/// (§7.2.1; Choice: how it is found). Its mean is 0.
///
/// The bias sought is the minimum of the convex function mean(max(logits + bias)) - targets . bias, whose gradient is
/// shares - targets. As its kinks stop a descent, max is softened to T log sum exp(. / T): T begins at the logits'
/// deviation and is divided by 3, at most 11 times, until each path has its target to 2 % or one document. The bias
/// whose worst path was nearest to its target is returned. Targets cannot be met where many documents have equal
/// logits: they go together.
/// REQUIRES n > 0, targets > 0 whose sum is 1, and finite logits. Equal arguments give equal bits, whatever
/// side_by_side does.
std::vector<float> calibrated_bias(std::span<const float> logits, std::span<const double> targets,
                                   const SideBySide& side_by_side = one_by_one);

}  // namespace dipaco
