#include "backends/sim/device_fit.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "core/config/step_fit.hpp"
#include "core/model/step_memory.hpp"

namespace dipaco {
namespace {

std::string gib(Bytes bytes) {
  constexpr double kGib = 1 << 30;
  return format_fixed(static_cast<double>(bytes.value) / kGib, 1) + " GiB";
}

/// Workers that have alike, in their order.
std::vector<std::vector<const PlacedNode*>> alike(const Placement& placement) {
  std::map<std::pair<std::int64_t, Bytes>, std::vector<const PlacedNode*>> groups;
  for (const PlacedNode& node : placement.nodes) {
    if (node.role == Role::worker && node.memory) groups[{node.memory->devices, node.memory->each}].push_back(&node);
  }
  std::vector<std::vector<const PlacedNode*>> all;
  for (auto& [memory, workers] : groups) all.push_back(std::move(workers));
  std::ranges::sort(all, {}, [](const auto& workers) { return workers.front()->id; });
  return all;
}

std::string named(const std::vector<const PlacedNode*>& workers) {
  const std::string first = workers.front()->host;
  return workers.size() == 1 ? first : first + " and " + std::to_string(workers.size() - 1) + " more";
}

class DeviceFit {
 public:
  explicit DeviceFit(const RunConfig& config) : config_(charged_view(config)) {
    if (!config.charge) return;
    config_.inner.precision = "bf16";  // as peaks of devices are; the run file has that of the model that learns
    config_.inner.micro_batch = 0;
  }

  /// @returns a note, or ""
  std::string check(const std::vector<const PlacedNode*>& workers, const std::string& where) const {
    const DeviceMemory& memory = *workers.front()->memory;
    const std::int64_t most = rows_of_device(rows_at_a_time(config_.inner), memory.devices);
    const StepMemory needs = step_memory(config_.model, form());
    const std::int64_t fit = std::min(needs.rows_in(memory.each), most);
    if (fit == most) return "";
    if (fit == 0 || config_.inner.micro_batch > 0) fail(workers, where, needs.with(fit == 0 ? 1 : most), fit);
    return named(workers) + ": a batch's " + std::to_string(most) + " rows a device would take " +
           gib(needs.with(most)) + ", and it has " + gib(memory.each) + ": it takes " + std::to_string(fit) +
           " at a time";
  }

 private:
  StepForm form() const { return {.bf16 = config_.inner.precision == "bf16", .recompute = config_.inner.recompute}; }
  static std::int64_t rows_of_device(std::int64_t rows, std::int64_t devices) { return (rows + devices - 1) / devices; }

  std::string remedy(const DeviceMemory& memory, std::int64_t fit) const {
    if (fit == 0) return remedy_for_a_row(config_.model, form(), memory.each);
    return "write inner.micro_batch=" + std::to_string(fit * memory.devices);
  }

  [[noreturn]] void fail(const std::vector<const PlacedNode*>& workers, const std::string& where, Bytes needed,
                         std::int64_t fit) const {
    const DeviceMemory& memory = *workers.front()->memory;
    const std::string rows =
        fit == 0 ? "one row" : std::to_string(rows_of_device(rows_at_a_time(config_.inner), memory.devices)) + " rows";
    throw ConfigError(where + ":" + std::to_string(memory.line) + ": the path does not fit " + named(workers) +
                      ": with " + rows + " at a time in " + config_.inner.precision + " it takes " + gib(needed) +
                      " of a device's memory, which has " + gib(memory.each) + "; " + remedy(memory, fit) +
                      " (docs/cost-model.md)");
  }

  RunConfig config_;  ///< of the charged path
};

}  // namespace

std::vector<std::string> check_device_memory(const RunConfig& config, const Placement& placement,
                                             const std::string& scenario) {
  const DeviceFit fit(config);
  std::vector<std::string> notes;
  for (const auto& workers : alike(placement)) {
    if (std::string note = fit.check(workers, scenario); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace dipaco
