#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/config/run_config.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"

namespace dipaco {

/// The folder that a finished run left (docs/evaluate.md, "The model folder"): what it was, and its modules.
class FinishedRun {
 public:
  /// Reads run.cfg, summary.json and model/paths; modules are looked for and not read. run.cfg may name a policy and an
  /// outer optimizer that another program brought.
  /// @throws ConfigError where it is no folder of a run, the run has not finished, or nothing was learned; DataError
  ///         where a file of it is damaged or missing
  explicit FinishedRun(std::filesystem::path folder);

  const RunConfig& config() const { return config_; }
  const Topology& topology() const { return topology_; }
  const PathLayout& layout() const { return layout_; }
  std::filesystem::path model() const { return folder_ / "model"; }
  /// The dense model that every path started from; pretrain.from reads it.
  std::filesystem::path start_file() const { return model() / "start"; }
  // "" where summary.json does not have it.
  const std::string& parameters_hash() const { return parameters_hash_; }
  const std::string& tokens_hash() const { return tokens_hash_; }
  /// The version that counts for a path: its best (§2.7) or the last one.
  std::int32_t version(PathId path) const { return versions_[static_cast<std::size_t>(index(path))]; }
  std::int32_t last_version() const { return static_cast<std::int32_t>(dipaco::last_version(config_)); }

  /// A path's modules, put together: [n]. @throws DataError as module()
  std::vector<float> parameters(PathId path) const;
  /// @throws DataError where the file is missing, damaged, another module's or version's, of another size, or holds a
  ///         number that is not finite
  std::vector<float> module(ModuleId module, std::int32_t version) const;
  /// Of the bytes of all modules of all paths, at the versions that count.
  std::string modules_hash() const;
  /// The start, or the router and the shards, that fit this run, are its own. @throws DataError where another run left
  /// them
  void require_own_start() const;
  void require_own_routing() const;

 private:
  bool without_rounds(const Checkpoint& checkpoint, ModuleId module, const std::string& source) const;
  std::filesystem::path module_file(ModuleId module, std::int32_t version) const;
  /// Those that count for some path.
  std::set<std::filesystem::path> module_files() const;
  void read_summary();
  void read_versions();

  std::filesystem::path folder_;
  RunConfig config_;
  Topology topology_;
  PathLayout layout_;
  std::string parameters_hash_;
  std::string tokens_hash_;
  std::string prepared_hash_;
  std::string start_hash_;
  std::string routing_hash_;
  std::vector<std::int32_t> versions_;  ///< [P]
};

/// Of the run that left this folder, by its summary.json: perplexity of its validation documents after dense training
/// for as many steps as a path; nullopt where there was none. @throws DataError where the file is damaged
std::optional<double> dense_equal_steps_of(const std::filesystem::path& folder);

}  // namespace dipaco
