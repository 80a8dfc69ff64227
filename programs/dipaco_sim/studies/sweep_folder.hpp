#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/study/sweep_tables.hpp"
#include "programs/dipaco_sim/studies/sweep_inputs.hpp"

namespace dipaco {

/// One run of a sweep, before it is done.
struct SweepJob {
  std::vector<std::string> point;     ///< a value of each axis
  std::vector<std::string> settings;  ///< the same as "key=value"
  std::uint64_t seed = 0;
};

/// What a sweep keeps: a file a run, so that it can go on, and tables of all.
class SweepFolder {
 public:
  /// @throws ConfigError where the folder's runs were made of something else, saying of what; DataError where it cannot
  /// be written
  SweepFolder(std::filesystem::path folder, const SweepInputs& inputs);

  const std::filesystem::path& path() const { return path_; }
  bool has(const SweepJob& job) const;
  /// @param summary  JSON; "" where the run did not end
  void keep(const SweepJob& job, const std::string& summary, const std::string& error) const;
  /// A file of the folder, whole or not at all, whoever else writes it.
  void write(const std::string& name, const std::string& text) const;
  /// The runs of these jobs that are there, in their order.
  std::vector<analysis::SweptRun> read(const std::vector<SweepJob>& jobs) const;

 private:
  std::filesystem::path file_of(const SweepJob& job) const;

  std::filesystem::path path_;
};

}  // namespace dipaco
