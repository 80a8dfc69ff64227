#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/study/sweep_tables.hpp"

namespace dipaco::analysis {

/// "goodput>=0.9": a figure of summary.json, and what it has to be.
struct Condition {
  std::string text;
  std::string figure;
  std::string sign;  ///< "<", "<=", ">" or ">="
  double bound = 0;

  bool holds(double value) const;
};

/// A figure of summary.json by the name that a person gave it: hours is simulated_s.
std::string figure_named(const std::string& name);

/// The bound is a number, or has a unit: a time (in seconds), a size (in bytes). @throws ConfigError where it is none
Condition parse_condition(const std::string& text);

/// A figure of summary.json of each of these runs; nullopt where one of them did not end or has no such figure.
std::optional<std::vector<double>> values_of(const std::string& figure, const std::vector<SweptRun>& runs);

/// The median of the condition's figure over these runs; nullopt where one of them did not end or has no such figure.
std::optional<double> median_of(const Condition& condition, const std::vector<SweptRun>& runs);

}  // namespace dipaco::analysis
