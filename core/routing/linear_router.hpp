#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/ids.hpp"
#include "core/routing/logistic.hpp"
#include "core/routing/parts.hpp"
#include "core/routing/router.hpp"
#include "core/routing/standardisation.hpp"

namespace dipaco {

inline constexpr const char* kLinear = "linear";

/// A document's best paths are those of the highest logits weights z + bias of its standardised features z, the lower
/// path first where two are equally high: the discriminative router of §2.4.2.
struct LinearModel {
  Standardisation standardisation;
  LogisticModel classifier;
};

struct LinearFit {
  std::int32_t paths = 0;
  std::int64_t width = 0;      ///< of a feature
  bool calibrate_bias = true;  ///< to calibration_targets(labels), on the documents it is fitted to
  SideBySide side_by_side = one_by_one;
};

/// Fits a classifier to the router documents' features [n, width] and labels [n]: of each, the path that scored it best
/// (§2.4.2, §7.2.1). With fit.calibrate_bias the calibrated bias takes the place of the fitted one.
/// @param trainer  for matrix products; must outlive the router.
/// @throws ConfigError without a document; DataError where a feature is not finite. A label that is no path is a bug.
std::unique_ptr<Router> fit_linear_router(std::span<const float> features, std::span<const PathId> labels,
                                          const LinearFit& fit, const Trainer& trainer);

/// The part of the file behind the method's name. @throws DataError
/// @param trainer  must outlive the router.
std::unique_ptr<Router> read_linear_router(ByteReader& reader, const Trainer& trainer);

}  // namespace dipaco
