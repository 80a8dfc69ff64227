#include <filesystem>
#include <system_error>

#include "core/base/file.hpp"
#include "core/report/csv_files.hpp"
#include "core/report/json_text.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"
#include "core/report/trace.hpp"

namespace dipaco {

void write_outputs(const RunFacts& facts, const std::vector<Event>& events, const OutputOptions& options) {
  const Account account = make_account(facts, events);
  write_file(options.folder / "outer_steps.csv", outer_steps_csv(account));
  write_file(options.folder / "workers.csv", workers_csv(facts, account));
  write_file(options.folder / "links.csv", links_csv(facts, account));
  write_file(options.folder / "tasks.csv", tasks_csv(facts, account));
  write_file(options.folder / "critical_path.csv", critical_path_csv(facts, account));
  write_file(options.folder / "module_steps.csv", module_steps_csv(facts, account));
  write_file(options.folder / "trace.json", trace_json(facts, events, account, options.trace_slices));
  if (options.events) {
    write_file(options.folder / "events.csv", events_csv(events));
  } else {
    std::error_code ignored;  // one that an earlier run left here does not belong to this one
    std::filesystem::remove(options.folder / "events.csv", ignored);
  }
  // Last: where it is, the others are.
  write_file(options.folder / "summary.json", json_object(summarize(facts, account)));
  if (options.screen != nullptr) print_summary(*options.screen, facts, account, options.folder);
}

}  // namespace dipaco
