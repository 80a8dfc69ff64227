#pragma once

#include <string>
#include <vector>

#include "analysis/fidelity/phases.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// Real runs of one case, and what its simulation says.
struct ComparedCase {
  std::string name;
  std::string what;               ///< sites, workers, losses: for a person
  std::string policy;             ///< outer.policy
  bool apart = false;             ///< nothing of its real runs went into its simulation
  std::vector<Phases> real;       ///< at least one
  std::vector<Phases> simulated;  ///< the same
};

/// (simulated - real) / real of the durations in the middle.
double difference(const ComparedCase& one);

/// A row a case: real and simulated seconds, and their difference.
Table durations_table(const std::vector<ComparedCase>& cases);
/// A row a case: what tasks and outer steps took, real and simulated.
Table phases_table(const std::vector<ComparedCase>& cases);
/// A row a policy, one for the cases that are kept apart, and one for all: the mean and the largest difference of
/// durations, signs apart, and by phase how far the sum over the cases is off.
Table errors_table(const std::vector<ComparedCase>& cases);

/// A row a case, with all figures, as text of a CSV file.
std::string comparison_csv(const std::vector<ComparedCase>& cases);

}  // namespace dipaco::analysis
