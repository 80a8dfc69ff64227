#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/report/accounts/account.hpp"
#include "core/report/line_rates.hpp"
#include "core/report/report.hpp"

namespace dipaco {

// The CSV files of a run, as docs/reading-the-output.md describes each column.

std::string outer_steps_csv(const Account& account);
std::string workers_csv(const RunFacts& facts, const Account& account);
/// @param rates  line_rates() of the run
std::string links_csv(const RunFacts& facts, const Account& account,
                      const std::map<std::pair<SiteId, SiteId>, LineRate>& rates);
/// Of the busiest links, by their mean use.
std::string links_over_time_csv(const RunFacts& facts);
std::string machines_csv(const RunFacts& facts, const Account& account);
std::string egress_csv(const RunFacts& facts, const Account& account);
std::string tasks_csv(const RunFacts& facts, const Account& account);
std::string critical_path_csv(const RunFacts& facts, const Account& account);
std::string module_steps_csv(const RunFacts& facts, const Account& account);
std::string events_csv(const std::vector<Event>& events);

/// A site's name, or "site 3" where it has none.
std::string site_name(const RunFacts& facts, SiteId site);

}  // namespace dipaco
