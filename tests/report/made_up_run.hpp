#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/report/report.hpp"

namespace dipaco::testing {

/// A run worked by hand: 2 paths, 2 outer steps of 10 inner steps, 80 s. Worker 3 (east) takes 1 s an inner step,
/// worker 4 (west, spot) 2 s. Worker 4 is killed at 13 s in the middle of path 1's first task, comes back at 30 s, and
/// hands path 1's second task back after 8 inner steps. Each value lies from `begin` to `end` on the wire:
///
///   worker 3   0 gather 2 compute 12 store 15 . 16 gradient 18 . 20 gather 22 compute 32 store 35 . 36 gradient 38 .
///             40 gather 42 compute 52 store 55 . 56 gradient 58 . 64 gather 67 compute 69 store 72 . 73 gradient 75 .
///             80
///   worker 4   0 gather 5 compute 13 (killed)                              30 up 40 gather 45 compute 61 store 64 . 66
///
/// Versions of the two modules: the first at 39 and 40 s (norms 3 and 4), the second at 76 and 80 s (norms 0.6 and
/// 0.8).
struct MadeUpRun {
  RunFacts facts;
  std::vector<Event> events;
};
MadeUpRun made_up_run();

}  // namespace dipaco::testing
