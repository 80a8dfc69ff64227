#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.hpp"
#include "core/routing/logistic.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The penalty for a classifier of these points [n, d] and labels [n]: of some from 1e-3 to 0.1 the one whose fits to
/// four fifths of the documents have the least cross-entropy on the other fifth, over all five. Where the points are so
/// many that this would take minutes, 1e-3. Choice: the paper names none; of as many features as documents, one that is
/// too low learns the router documents by heart.
double chosen_penalty(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
                      const Trainer& trainer);

/// The work of the fits that chosen_penalty makes, in fits to all documents: 0 where it makes none.
double penalty_work(std::size_t documents, std::size_t width, std::int32_t paths);

}  // namespace dipaco
