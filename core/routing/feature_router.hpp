#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/routing/router.hpp"
#include "core/routing/standardisation.hpp"

namespace dipaco {

/// What routers that look at features share: features of the right width, standardised, a few thousand documents at a
/// time; the best paths are those of the highest scores.
class FeatureRouter : public Router {
 public:
  /// @param trainer  must outlive the router.
  FeatureRouter(Standardisation standardisation, const Trainer& trainer);

  std::int64_t width() const final { return std::ssize(standardisation_.mean); }
  std::vector<float> scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const final;
  std::vector<PathId> route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                            std::int32_t n) const final;

 protected:
  /// Scores [m, P] of standardised features [m, d].
  virtual std::vector<float> scores_of(std::span<const float> points) const = 0;

  const Standardisation& standardisation() const { return standardisation_; }
  const Trainer& trainer() const { return trainer_; }

 private:
  template <class Visit>
  void for_each_part(std::span<const float> features, std::size_t documents, Visit visit) const;

  Standardisation standardisation_;
  const Trainer& trainer_;
};

}  // namespace dipaco
