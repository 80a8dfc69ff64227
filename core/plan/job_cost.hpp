#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/plan/plan.hpp"

namespace dipaco {

/// What an evaluation scores: documents of the path's shard, or for routing all router documents. None where nothing is
/// learned. @param shard  null: for routing, or where nothing is learned
const std::vector<DocumentId>& scored_documents(const RunPlan& plan, Purpose purpose, const Shard* shard);

/// How many router documents each path scores, and how many documents are routed: of the text that is learned, or else
/// of the charged one.
std::size_t router_documents(const RunPlan& plan);
std::int32_t routed_documents(const RunPlan& plan);

// What jobs are charged, by the charged model and the charged text, or the text that is learned (docs/cost-model.md).

/// These documents under one path, or of each what is scored for routing: forward only.
Flops evaluation_cost(const RunPlan& plan, Purpose purpose, const std::vector<DocumentId>& documents);
/// The features of so many documents of those that are routed: a forward pass over each one's prefix.
Flops routing_cost(const RunPlan& plan, std::int32_t documents);
/// The router documents' features, and some passes over them: a product with the weights forward and one backward.
Flops router_fit_cost(const RunPlan& plan);

}  // namespace dipaco
