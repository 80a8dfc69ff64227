#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "backends/gloo/meeting/registry.hpp"
#include "backends/gloo/reports.hpp"
#include "core/roles/roles.hpp"
#include "core/state/ledger.hpp"

namespace dipaco {

/// What the coordinator's node alone has, in its folder: it outlives its process.
struct CoordinatorBooks {
  explicit CoordinatorBooks(const std::filesystem::path& folder)
      : registry(folder / "registry"), reports(folder / "reports"), before(reports.roll()) {}

  /// Goes on where an earlier process has left the run, if one has. @param log  must outlive this
  void take_over(const RunPlan& plan, Storage& storage, EventLog& log,
                 std::function<std::int32_t(NodeId)> incarnation_of) {
    resumed_from = begun_until(Ledger(storage, plan).state(), plan);
    roll.emplace(before, log, std::move(incarnation_of));
  }

  Registry registry;
  ReportBook reports;
  const Roll before;                         ///< nobody's report has come to this process yet
  std::optional<RollCall> roll;              ///< once it has taken over
  std::optional<std::int32_t> resumed_from;  ///< outer steps that all paths had done then; nullopt: it begins the run
  std::optional<RunResult> result;           ///< once it has served
};

}  // namespace dipaco
