#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

/// A run of dipaco-run on 60 made-up documents of three domains, which takes a second, and its folder.
class FinishedTestRun {
 public:
  /// @param set  keys of the run file, "section.key=value"
  explicit FinishedTestRun(const std::vector<std::string>& set = {});

  std::string folder() const { return (files_.path() / "run").string(); }
  std::filesystem::path file(const std::string& name) const { return files_.path() / name; }
  std::filesystem::path model(const std::string& name) const { return files_.path() / "run" / "model" / name; }

  /// `dipaco COMMAND... FOLDER MORE...`, without progress.
  Outcome dipaco(std::vector<std::string> command, const std::vector<std::string>& more = {}) const;

 private:
  TemporaryFolder files_;
};

/// What `dipaco evaluate --format json` says of the run. REQUIREs that it can.
nlohmann::json evaluated(const FinishedTestRun& run, std::vector<std::string> more = {});

/// CHECKs that `dipaco evaluate` ends with this status, says why, and prints nothing else.
void check_evaluation_fails(const FinishedTestRun& run, int status, const std::string& why,
                            const std::vector<std::string>& more = {});

}  // namespace dipaco::testing
