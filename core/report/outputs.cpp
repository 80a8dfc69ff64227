#include <filesystem>
#include <system_error>

#include "core/base/file.hpp"
#include "core/report/csv_files.hpp"
#include "core/report/json_text.hpp"
#include "core/report/line_rates.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"
#include "core/report/trace.hpp"

namespace dipaco {
namespace {

/// A file that an earlier run left here does not belong to this one.
template <class MakeText>
void write_or_remove(const std::filesystem::path& file, bool wanted, MakeText make_text) {
  if (wanted) return write_file(file, make_text());
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
}

}  // namespace

void write_outputs(const RunFacts& facts, const std::vector<Event>& events, const OutputOptions& options) {
  const Account account = make_account(facts, events);
  write_file(options.folder / "outer_steps.csv", outer_steps_csv(account));
  write_file(options.folder / "workers.csv", workers_csv(facts, account));
  write_file(options.folder / "links.csv", links_csv(facts, account, line_rates(facts, events)));
  write_file(options.folder / "tasks.csv", tasks_csv(facts, account));
  write_file(options.folder / "critical_path.csv", critical_path_csv(facts, account));
  write_file(options.folder / "module_steps.csv", module_steps_csv(facts, account));
  write_file(options.folder / "trace.json", trace_json(facts, events, account, options.trace_slices));
  write_or_remove(options.folder / "machines.csv", !account.bill.machines.empty(),
                  [&] { return machines_csv(facts, account); });
  write_or_remove(options.folder / "egress.csv", account.bill.egress_usd.has_value(),
                  [&] { return egress_csv(facts, account); });
  write_or_remove(options.folder / "links_over_time.csv", !facts.links.empty(),
                  [&] { return links_over_time_csv(facts); });
  write_or_remove(options.folder / "events.csv", options.events, [&] { return events_csv(events); });
  // Last: where it is, the others are.
  write_file(options.folder / "summary.json", json_object(summarize(facts, account)));
  if (options.screen != nullptr) print_summary(*options.screen, facts, account, options.folder);
}

}  // namespace dipaco
