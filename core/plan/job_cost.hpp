#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/plan/plan.hpp"

namespace dipaco {

/// What an evaluation scores: documents of the path's shard, or for routing, where that is null, all router documents.
const std::vector<DocumentId>& scored_documents(const RunPlan& plan, Purpose purpose, const Shard* shard);

// What jobs are charged, by the charged model (docs/cost-model.md). Of runs that learn: others have no jobs.

/// These documents under one path, or of each what is scored for routing: forward only.
Flops evaluation_cost(const RunPlan& plan, Purpose purpose, const std::vector<DocumentId>& documents);
/// The features of so many documents: a forward pass over each one's prefix.
Flops routing_cost(const RunPlan& plan, std::int32_t documents);
/// The router documents' features, and some passes over them: a product with the weights forward and one backward.
Flops router_fit_cost(const RunPlan& plan);

}  // namespace dipaco
