#pragma once

#include <cstdint>
#include <string>
#include <vector>

enum Kind : int { kModule, kSecondModule, kState, kTask, kStored, kCommitted, kDone, kReady };

/// Bytes of the messages of each kind, in the order of Kind. The same as in the run: messages of one size that set out at
/// the same time also end at the same time, and cost the engine less.
struct Sizes {
  std::uint64_t module = 0;         ///< of the first level
  std::uint64_t second_module = 0;  ///< of the second one, which has the model's last norm as well
  std::uint64_t state = 0;
  std::uint64_t task = 0;
  std::uint64_t stored = 0;
  std::uint64_t committed = 0;
  std::uint64_t done = 0;
  std::uint64_t ready = 0;
};

/// A run of two levels.
struct Shape {
  int rounds = 0;
  int first_experts = 0;
  int second_experts = 0;
  std::vector<std::string> sites;
  int workers = 0;    ///< of a site
  int executors = 0;  ///< of a site
  int executor = 0;   ///< number of the first one's host in its site
  int store = 0;      ///< number of the host in its site
  Sizes bytes;
  double flops = 0;
  double disk = 0;    ///< bytes a second; 0: as fast as can be
  double intake = 0;  ///< the same

  int paths() const { return first_experts * second_experts; }
  int modules() const { return first_experts + second_experts; }
};

/// Of the command line's KEY=VALUE behind the scenario. @throws std::invalid_argument where one is missing
Shape read_shape(int argc, char** argv);
