#pragma once

#include <memory>

#include "core/base/bytes.hpp"
#include "core/routing/router.hpp"

namespace dipaco {

inline constexpr const char* kRandom = "random";

/// Sends a document to paths drawn by its hash: the baseline of routing by content, and DiLoCo's even shards.
class RandomRouter final : public Router {
 public:
  RandomRouter(std::int32_t paths, std::uint64_t seed) : paths_(paths), seed_(seed) {}
  std::int32_t paths() const override { return paths_; }
  std::int64_t width() const override { return 0; }
  std::vector<float> scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const override;
  /// `features` is not looked at.
  std::vector<PathId> route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                            std::int32_t n) const override;
  std::vector<std::byte> encode() const override;

 private:
  std::int32_t paths_;
  std::uint64_t seed_;
};

/// The part of the file behind the method's name. @throws DataError
std::unique_ptr<Router> read_random_router(ByteReader& reader);

}  // namespace dipaco
