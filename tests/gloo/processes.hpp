#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco::testing {

/// One process of a run, and how often it was started.
struct ToyProcess {
  std::string roles;                 ///< "coordinator,store"
  std::vector<std::string> fault{};  ///< SIGNAL STAGE OUTER_STEP, of its first start
  pid_t pid = -1;
  bool over = false;
  int status = -1;  ///< exit status, once over
  int starts = 0;
};

/// The processes of one toy run, in a folder of their own. Whoever is killed, or ends asking to be started again, is
/// started again; who is stopped goes on after twice the liveness limit.
class ToyProcesses {
 public:
  /// @param expect  executors,stores,evaluators
  ToyProcesses(std::vector<ToyProcess> processes, std::string expect);
  ~ToyProcesses();
  ToyProcesses(const ToyProcesses&) = delete;
  ToyProcesses& operator=(const ToyProcesses&) = delete;

  /// Looks after those that are running; false once all are over.
  bool tend();
  /// What the coordinator said at its end, or what went wrong. REQUIRES that all are over
  std::string answer() const;
  /// Signals that processes died or were stopped by, in order.
  const std::vector<int>& signals() const { return signals_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// What process `k` wrote to stderr.
  std::string log(std::size_t k) const;

 private:
  struct Frozen {
    pid_t pid;
    double until;
  };
  void start(ToyProcess& process);
  void changed(ToyProcess& process, int status);

  std::vector<ToyProcess> processes_;
  std::string expect_;
  std::filesystem::path folder_;
  std::uint16_t port_;
  std::vector<int> signals_;
  std::vector<Frozen> frozen_;
};

/// Waits until all processes of all runs have ended, at most so long. @returns their answers
std::vector<std::string> run_all(std::deque<ToyProcesses>& runs, Seconds limit);
std::string run(ToyProcesses& processes, Seconds limit);

}  // namespace dipaco::testing
