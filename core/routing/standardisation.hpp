#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dipaco {

/// What makes features of unlike size count alike: z = (g - mean) * scale. d is the width of a feature.
/// Choice: §2.4 does not say whether features are scaled.
struct Standardisation {
  std::vector<float> mean;   ///< [d]
  std::vector<float> scale;  ///< [d] 1 / deviation; 0 where a feature never varied
};

/// Mean and deviation of each of `width` features over documents' features [n, width], summed in double in the
/// documents' order. The deviation is that of the population: its square is a mean over n.
/// @throws std::logic_error unless n > 0 and width > 0
Standardisation measure_features(std::span<const float> features, std::size_t width);

/// z [n, d] of features [n, d]. REQUIRES the width that was measured.
std::vector<float> standardised(const Standardisation& standardisation, std::span<const float> features);

/// @throws DataError naming the first document and feature of features [n, width] that is not finite.
void require_finite(std::span<const float> features, std::size_t width);

}  // namespace dipaco
