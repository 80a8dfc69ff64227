#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/routing/router.hpp"
#include "core/routing/standardisation.hpp"

namespace dipaco {

/// What routers that look at features share: features of the right width, standardised, a few thousand documents at a
/// time; the best paths are those of the highest scores. A router of your own gives paths(), encode() and scores_of().
class FeatureRouter : public Router {
 public:
  /// @param trainer  must outlive the router.
  FeatureRouter(Standardisation standardisation, const Trainer& trainer);

  /// d, of the standardisation.
  std::int64_t width() const final { return std::ssize(standardisation_.mean); }
  /// @throws DataError, beside what Router says, where scores_of() gives what is not a number.
  std::vector<float> scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const final;
  /// @throws DataError as scores(); std::logic_error unless 1 <= n <= P.
  std::vector<PathId> route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                            std::int32_t n) const final;

 protected:
  /// Scores [m, P], row-major, of standardised features [m, d]. Must be thread-safe.
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
