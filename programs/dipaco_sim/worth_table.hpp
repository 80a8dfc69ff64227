#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "programs/dipaco_sim/shared/in_processes.hpp"

namespace dipaco {

/// Machines that are left out together, and how many they are.
struct Group {
  std::string name;  ///< a site's, or that of one host
  std::string kind;  ///< what stands beside the name
  int machines = 0;
};

/// What was asked, and what is known of it.
struct Asked {
  std::string name;  ///< of the run file
  int workers = 0;
  bool losses = false;  ///< some machines come and go
  std::vector<Group> groups;
  std::uint64_t first_seed = 0;
  std::size_t seeds = 1;
};

/// What a run came to, as text for another process and from there.
struct Cost {
  double seconds = 0;    ///< simulated
  double wan_bytes = 0;  ///< between sites
};
std::string text_of(const Cost& cost);

/// What simulations came to, by seed.
struct Answers {
  std::vector<Cost> whole;
  std::vector<Cost> no_losses{};          ///< if no machine went; empty where none comes or goes
  std::vector<std::vector<Told>> runs{};  ///< without each group
};

/// Of simulations seed by seed: first the whole, then without each group, then without losses, where there are any.
/// @throws as the whole and that without losses have
Answers read_answers(const Asked& asked, const std::vector<Told>& told);

/// For a person: a row for each group. Of several seeds medians, and the interval of how much longer a run takes than
/// the whole with the same seed.
void print_worth(const Asked& asked, const Answers& answers);
/// For another program.
void print_worth_json(const Asked& asked, const Answers& answers);

}  // namespace dipaco
