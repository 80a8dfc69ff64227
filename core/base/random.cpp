#include "core/base/random.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t draw_bits(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b) {
  return mix(mix(mix(mix(seed) ^ static_cast<std::uint64_t>(what)) ^ a) ^ b);
}

double draw_uniform(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(draw_bits(seed, what, a, b) >> 11U) * 0x1p-53;
}

std::uint64_t draw_below(std::uint64_t n, std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b) {
  check(n > 0, "draw_below needs n > 0");
  // The bias of the high 64 bits of a 128-bit product is below n / 2^64.
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(draw_bits(seed, what, a, b)) * n;
  return static_cast<std::uint64_t>(product >> 64U);
}

double draw_normal(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t bits = draw_bits(seed, what, a, b);
  const double u = (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(mix(bits) >> 11U) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

std::uint64_t name_number(std::string_view name) {
  std::uint64_t number = 14695981039346656037U;
  for (const char letter : name) number = (number ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  return number;
}

void shuffle(std::span<std::uint32_t> items, std::uint64_t seed, Draw what, std::uint64_t a) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[draw_below(i, seed, what, a, i)]);
  }
}

}  // namespace dipaco
