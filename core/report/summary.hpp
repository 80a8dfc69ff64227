#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <set>
#include <string>

#include "core/report/accounts/account.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// The seconds and steps of all workers together.
struct WorkerTotals {
  WorkerTime time;  ///< sums; `id` and `up_times` are not set
  std::int64_t handed_back = 0;
};
WorkerTotals total(const Account& account);

/// Of all outer steps together.
ContributionTotals all_contributions(const Account& account);

/// These workers, as "5 (host-5), 7 (host-6)".
std::string names_of(const RunFacts& facts, const std::set<NodeId>& workers);

/// The workers that waited in reserve, as "5 (host-5: 341 s a task)"; of very many the first ones.
std::string reserve_in_words(const RunFacts& facts, const Account& account);

/// The paths that starved, as "path 2 (11 of 12 contributions dropped)"; of very many the first ones.
std::string starved_in_words(const Account& account);

/// summarize() and print_summary(), from an account made before.
std::map<std::string, Fact> summarize(const RunFacts& facts, const Account& account);
void print_summary(std::ostream& out, const RunFacts& facts, const Account& account,
                   const std::filesystem::path& folder);

}  // namespace dipaco
