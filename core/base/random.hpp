#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace dipaco {

/// What a random draw is for. Draws are pure functions: the same (seed, what, a, b) gives the same draw in any order,
/// on any thread. There is no generator state to save, so a task can be handed over in the middle.
/// The enumerator's number goes into every draw: changing it changes results.
enum class Draw : std::uint64_t {
  initial_parameters = 1,
  shuffle = 2,
  split = 3,
  k_means = 4,
  host_failure = 5,
  router_random = 6,
  jitter = 7,
  path_sample = 8,
  row_order = 9,
  dropped_task = 10,
  machine_jitter = 11,
  trace_offset = 12,
  zone_reclaim = 13,
  link_jitter = 14,
  tie = 15,
};

/// 64 random bits (SplitMix64's finalizer over the four numbers).
/// @param a, b  tell the draws of one use apart, such as a step and an index
std::uint64_t draw_bits(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b = 0);
/// Uniform in [0, 1), 53 bits.
double draw_uniform(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b = 0);
/// Uniform in [0, n), with a bias below n / 2^64. @throws std::logic_error unless n > 0
std::uint64_t draw_below(std::uint64_t n, std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b = 0);
/// Standard normal: mean 0, deviation 1 (Box-Muller).
double draw_normal(std::uint64_t seed, Draw what, std::uint64_t a, std::uint64_t b = 0);
/// Stands for a name among the draws of one use: FNV-1a, the same on every machine.
std::uint64_t name_number(std::string_view name);
/// Fisher-Yates shuffle of `items`, in place. The order is a function of (seed, what, a) and of how many there are.
void shuffle(std::span<std::uint32_t> items, std::uint64_t seed, Draw what, std::uint64_t a);

}  // namespace dipaco
