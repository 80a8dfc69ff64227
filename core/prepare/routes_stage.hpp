#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/prepare/preparation.hpp"
#include "core/prepare/routing.hpp"
#include "core/prepare/stage.hpp"
#include "core/routing/router.hpp"

namespace dipaco {

/// Routes a corpus's documents, some at a time, each lot as a stage of its own until stage `shards` is made of them:
/// what is stopped goes on with the next lot, and several processes may take lots each. The router is such a stage,
/// too.
class LotsOfRoutes {
 public:
  /// Borrows all but `keys`. @param parameters  [n] of the start, in the dense order. @param keys  of stage `shards`
  LotsOfRoutes(const Preparation& preparation, const Corpus& corpus, std::span<const float> parameters,
               std::string keys);

  bool has_router() const;
  /// Opens the router, or fits it to router documents' features.
  std::unique_ptr<Router> open_router(std::int32_t paths);

  std::size_t lots() const;
  bool is_there(std::size_t lot) const;
  /// Opens the best paths of the lot's documents, or finds them: [documents of the lot, routing.overlap].
  /// @throws DataError
  std::vector<PathId> open(std::size_t lot, const Router& router);
  /// The documents of a lot, of all: train documents, then validation documents.
  std::span<const DocumentId> documents(std::size_t lot) const;

  /// Removes all lots and the router.
  void remove() const;
  /// How many documents are routed here, for the progress that is told; all unless it is said.
  void expect(std::size_t documents) { expected_ = documents; }

 private:
  StageRequest router_request() const;
  StageRequest request(std::size_t lot) const;
  std::vector<float> router_features();
  void add_done(std::size_t documents);

  const Preparation& preparation_;
  FeatureSource source_;
  std::string keys_;
  std::vector<DocumentId> documents_;
  std::size_t expected_ = 0;
  std::span<const DocumentId> fitted_;  ///< whose features the router is fitted to
  std::size_t done_ = 0;                ///< documents whose features were computed, or were not needed
};

/// Fits the router where it and the shards are missing. Whether parts are to route then: where lots are missing and the
/// router was not there before, or no lot is there; never where the method looks at no features.
/// @throws DataError where some lots are there, and others are missing
bool parts_are_to_route(LotsOfRoutes& lots, const Preparation& preparation, const StageRequest& shards,
                        std::int32_t paths);

/// The method that the run file names. @throws ConfigError for an unknown one
const RoutingMethod& routing_method(const RunConfig& config);

/// What `paths` and the run file ask of a router.
RouterFit router_fit(const Preparation& preparation, std::int32_t paths);

}  // namespace dipaco
