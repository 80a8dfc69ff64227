#pragma once

#include "core/model/layout.hpp"
#include "core/model/options.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The flat order in which everything before the first outer step is computed: blocks ascending, embedding, final
/// norm. A sum over a flat vector rounds by its order (a gradient's norm, for one), so that one order for all
/// topologies gives them one start, bit for bit. It is that of every topology without path-specific parts.
PathLayout dense_layout(const ModelOptions& model);

bool same_order(const PathLayout& one, const PathLayout& other);

/// `state`, which lies in the order `from`, in the order `to`. REQUIRES that both have the same tensors.
TrainState reordered(const TrainState& state, const PathLayout& from, const PathLayout& to);

}  // namespace dipaco
