#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/config/run_config.hpp"
#include "tests/failure/drawn_faults.hpp"

namespace dipaco::testing {

/// `often` runs, an eighth under AddressSanitizer, or as many as scripts/torture.sh asks for, from the seed it says.
std::size_t runs(std::size_t often);
std::size_t first_seed();

/// Six outer steps of four inner steps, two copies, a limit of three seconds.
void shape_random(RunConfig& config);

/// Of run `k`. One run of three has an evaluator; in the others workers evaluate.
FaultSpace space_of(std::size_t k, Seconds duration);
FaultPlan faults_of(std::size_t k, Seconds duration);

/// How a run without rounds ends whose order lacks a version, which only a lost owner knew of.
inline constexpr const char* kGap = "a gap in its order";
/// That, or what else is wrong with an order.
std::string gap_or(const DataError& error);
/// Fails where more than one run of a hundred has a gap. @returns the endings, a gap being as good as "all"
std::vector<std::string> few_gaps(std::vector<std::string> endings);

/// Says how many runs came to what, and fails for each that has neither the parameters nor an excuse.
void judge(const std::vector<std::string>& endings, const std::string& hash,
           const std::function<bool(std::size_t)>& may_fail, const std::function<std::string(std::size_t)>& story);
/// The same of runs with faults_of().
void judge_drawn(const std::vector<std::string>& endings, const std::string& hash, Seconds duration);

}  // namespace dipaco::testing
