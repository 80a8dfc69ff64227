#include "analysis/page/pages.hpp"

#include <algorithm>
#include <vector>

#include "analysis/page/run_page.hpp"
#include "analysis/page/sweep_page.hpp"
#include "analysis/report.hpp"
#include "core/base/error.hpp"

namespace dipaco::analysis {

bool is_sweep(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "sweep.csv") && !std::filesystem::exists(folder / "summary.json");
}

bool sweep_among(std::span<const std::string> folders) {
  const auto sweep = std::ranges::find_if(folders, [](const std::string& folder) { return is_sweep(folder); });
  if (sweep == folders.end()) return false;
  if (folders.size() > 1) throw ConfigError(*sweep + " is a sweep, which has a page of its own; name it alone");
  return true;
}

std::string page_of(std::span<const std::string> folders) {
  if (sweep_among(folders)) return sweep_page(folders.front(), read_sweep(folders.front()));
  std::vector<Run> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  const auto names = run_names(runs);
  std::vector<PageRun> shown;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    shown.push_back({names[k], std::move(runs[k]), read_trace(folders[k])});
  }
  return shown.size() == 1 ? run_page(shown.front()) : runs_page(shown);
}

}  // namespace dipaco::analysis
