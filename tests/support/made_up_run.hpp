#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "core/config/run_config.hpp"
#include "core/plan/plan.hpp"
#include "core/prepare/prepared.hpp"

namespace dipaco {

/// A run of a few hundred parameters on made-up documents, in a folder that goes with the object.
class MadeUpRun {
 public:
  /// @param levels  [topology] levels; `specific` its path_specific. The model has 4 blocks.
  explicit MadeUpRun(const std::string& levels, const std::string& specific = "", std::size_t documents = 90);
  ~MadeUpRun();
  MadeUpRun(const MadeUpRun&) = delete;
  MadeUpRun& operator=(const MadeUpRun&) = delete;

  /// Change it before plan() is called.
  RunConfig config;
  std::shared_ptr<const Trainer> trainer;
  /// Shards of unequal size, by place; a start of drawn parameters.
  std::shared_ptr<const Prepared> prepared() const;
  RunPlan plan() const { return make_plan(config, prepared(), trainer); }
  /// The plan of a run that learns nothing.
  RunPlan plan_of_costs() const { return make_plan(config, nullptr, nullptr); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::shared_ptr<const TokenFile> tokens_;
};

}  // namespace dipaco
