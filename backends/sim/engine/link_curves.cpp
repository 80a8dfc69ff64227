#include "backends/sim/engine/link_curves.hpp"

#include <algorithm>
#include <cstddef>

namespace dipaco {
namespace {

constexpr std::size_t kMostStretches = 256;

}  // namespace

void LinkCurves::double_stretches() {
  stretch_ *= 2;
  for (std::vector<double>& bytes : bytes_) {
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      const double sum = bytes[k];
      bytes[k] = 0;
      bytes[k / 2] += sum;
    }
    bytes.resize((bytes.size() + 1) / 2);
  }
}

void LinkCurves::add(std::span<const std::uint32_t> links, Seconds begin, Seconds end, Bytes bytes) {
  while (end >= stretch_ * static_cast<double>(kMostStretches)) double_stretches();
  const auto first = static_cast<std::size_t>(begin / stretch_);
  const auto last = static_cast<std::size_t>(end / stretch_);
  for (const std::uint32_t link : links) {
    if (link >= bytes_.size()) bytes_.resize(link + 1);
    if (bytes_[link].size() <= last) bytes_[link].resize(last + 1, 0);
  }
  const Seconds lasted = end - begin;
  for (std::size_t k = first; k <= last; ++k) {
    const Seconds from = std::max(begin, stretch_ * static_cast<double>(k));
    const Seconds to = std::min(end, stretch_ * static_cast<double>(k + 1));
    const double share = lasted > Seconds(0) ? (to - from) / lasted : 1;
    for (const std::uint32_t link : links) bytes_[link][k] += share * static_cast<double>(bytes.value);
  }
}

BytesOverTime LinkCurves::of(std::uint32_t link) const {
  if (link >= bytes_.size()) return {.stretch = stretch_, .bytes = {}};
  return {.stretch = stretch_, .bytes = bytes_[link]};
}

}  // namespace dipaco
