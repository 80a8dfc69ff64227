#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/coordinator/known/resharding.hpp"
#include "core/state/path_values.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
inline constexpr std::int32_t kPaths = 2;
inline constexpr std::int32_t kVersion = 2;  ///< with which phase 1 begins

struct World {
  explicit World(const std::string& levels = "flat:2", std::size_t documents = 90) : made(levels, "", documents) {
    made.config.routing.reshard_at = "2,3";
    made.config.data.holdout_fraction = 0;
  }
  MadeUpRun made;
  MemoryStorage storage;
  NoArchive archive;
};

inline Values floats(std::vector<float> values) {
  const std::uint64_t size = values.size();
  return make_values(std::move(values), size);
}

inline std::string router_of(const RunPlan& plan, const Body& request) {
  return plan.learner->fit_router(floats_of(std::get<FitRouter>(request).labels));
}

inline DocumentsRouted answer(const RunPlan& plan, const Body& request) {
  const auto& route = std::get<RouteDocuments>(request);
  return {route.phase, route.first, floats(plan.learner->route(route.router, route.first, route.count))};
}

/// All steps from the scores on. @returns the labels that the router was fitted to
inline std::vector<float> reshard(Resharding& resharding, const RunPlan& plan, const std::vector<Values>& scores,
                                  std::int32_t version = kVersion) {
  const std::int32_t phase = plan.timetable.phase_of(OuterStep{version});
  for (std::int32_t path = plan.topology.paths(); path-- > 0;) {
    CHECK(resharding.jobs().empty());
    resharding.scored(PathId{path}, version, scores[static_cast<std::size_t>(path)]);
  }
  REQUIRE(resharding.jobs().size() == 1);
  const Body fit = resharding.request(resharding.jobs().front());
  CHECK(resharding.fitted({phase, router_of(plan, fit)}));
  const auto parts = resharding.jobs();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {  // in any order
    CHECK_FALSE(resharding.ready(phase));
    CHECK(resharding.routed(answer(plan, resharding.request(*part))));
  }
  const auto labels = floats_of(std::get<FitRouter>(fit).labels);
  return {labels.begin(), labels.end()};
}

inline std::vector<Values> made_up_scores(const RunPlan& plan) {
  std::vector<float> first(plan.learner->router_documents().size(), 5.0F);
  std::vector<float> second = first;
  for (std::size_t i = 0; i < first.size(); ++i) (i % 2 == 0 ? first : second)[i] = 4.0F;
  first[0] = second[0] = 3.0F;  // equal: the lower path
  second[2] = 3.5F;
  return {floats(first), floats(second)};
}

}  // namespace dipaco::testing
