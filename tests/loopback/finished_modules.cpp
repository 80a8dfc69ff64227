#include "tests/loopback/finished_modules.hpp"

#include "backends/loopback/run.hpp"
#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"

namespace dipaco {

std::map<std::string, std::vector<float>> modules_in(const std::filesystem::path& state) {
  std::map<std::string, std::vector<float>> modules;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(state)) {
    if (!entry.is_regular_file() || entry.path().parent_path().filename() != "model") continue;
    const auto name = entry.path().filename().string();
    if (!name.starts_with("module-")) continue;
    modules[name] = decode_checkpoint(read_file(entry.path()), name).array("parameters", name);
  }
  return modules;
}

std::map<std::string, std::vector<float>> modules_of(const MadeUpRun& run, const RunPlan& plan) {
  const auto state = run.folder() / "state";
  run_loopback(plan, {.workers = 2, .state = state});
  auto modules = modules_in(state);
  std::filesystem::remove_all(state);
  return modules;
}

}  // namespace dipaco
