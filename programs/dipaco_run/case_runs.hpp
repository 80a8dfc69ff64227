#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/fidelity/comparison.hpp"
#include "backends/gloo/shaped/child_process.hpp"
#include "backends/gloo/shaped/validation_case.hpp"

namespace dipaco {

/// The runs of one case, real and simulated, in a folder of its own. What was done in it before is not done again.
class CaseRuns {
 public:
  struct Options {
    std::filesystem::path folder;
    int repeat = 3;                 ///< real runs
    int simulations = 21;           ///< with seeds from 1 on
    const std::atomic<bool>& stop;  ///< ends what runs, by Interrupted
    std::function<void(const std::string&)> note;
  };

  /// REQUIRES that the case outlives this. @throws ConfigError where the folder has another case's runs
  CaseRuns(const ValidationCase& one, Options options);

  /// Real runs that are still to be done.
  int missing() const;
  /// Does them, and simulates. @throws RunError where a process fails, with what it said
  analysis::ComparedCase compare();

 private:
  using Words = std::vector<std::string>;

  std::filesystem::path real_folder(int number) const;
  void measure_lines();
  void run_for_real(int number);
  void start(const ShapedSites& sites, const std::string& log, const std::function<Words(std::size_t)>& words);
  void strike(ShapedSites& sites);
  void wait_for_all(const std::optional<CaseLoss>& killed);
  void pause(Seconds time) const;
  void run_tool(const Words& words, const std::string& log);
  Words run_words(std::size_t process, int number) const;
  Words preflight_words(std::size_t process) const;
  std::filesystem::path scenario();
  Words losses(const analysis::Run& real) const;
  std::vector<analysis::Phases> simulate(const std::vector<analysis::Run>& real);

  const ValidationCase& case_;
  Options options_;
  std::vector<ChildProcess> started_;
};

}  // namespace dipaco
