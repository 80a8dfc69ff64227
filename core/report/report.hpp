#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "core/events/events.hpp"
#include "core/report/accounts/run_facts.hpp"

namespace dipaco {

/// Every key of summary.json, sorted: docs/reading-the-output.md has their units. Keys that do not apply are absent.
/// Derived from the events: compute_utilization, goodput, useful_inner_step_share, tasks_completed, tasks_requeued,
/// inner_steps_lost, train_loss (mean of the last outer step), wan_bytes, lan_bytes, bytes_KIND, messages, usd, kwh.
std::map<std::string, Fact> summarize(const RunFacts& facts, const std::vector<Event>& events);

/// What write_outputs writes, and where.
struct OutputOptions {
  std::filesystem::path folder;         ///< made where missing
  std::ostream* screen = nullptr;       ///< also what print_summary prints goes there
  bool events = false;                  ///< also events.csv
  std::int64_t trace_slices = 100'000;  ///< trace.json holds at most so many, the first ones, and says so
};

/// Writes summary.json, outer_steps.csv, workers.csv, links.csv, tasks.csv and trace.json; machines.csv where machines
/// have a price or power, egress.csv where egress has a price, links_over_time.csv where links are known, events.csv if
/// asked for. One of these four that an earlier run left is removed. summary.json comes last: where it is new, the
/// others are.
/// @throws DataError where a file cannot be written.
void write_outputs(const RunFacts& facts, const std::vector<Event>& events, const OutputOptions& options);

/// The end of a run on the screen: at most 15 lines.
void print_summary(std::ostream& out, const RunFacts& facts, const std::vector<Event>& events,
                   const std::filesystem::path& folder);

}  // namespace dipaco
