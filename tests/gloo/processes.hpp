#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "tests/gloo/spawned.hpp"
#include "tests/gloo/toy_run.hpp"

namespace dipaco::testing {

/// One process of a toy run.
struct ToyProcess {
  std::string roles;                 ///< "coordinator,store"
  std::vector<std::string> fault{};  ///< SIGNAL STAGE OUTER_STEP, of its first start
};

/// The processes of one toy run, in a folder of their own. Whoever is killed, or ends asking to be started again, is
/// started again; who is stopped goes on after twice the liveness limit.
class ToyProcesses {
 public:
  /// @param expect  executors,stores,evaluators
  ToyProcesses(const std::vector<ToyProcess>& processes, std::string expect, ToyKind kind = ToyKind::whole);
  ~ToyProcesses();
  ToyProcesses(const ToyProcesses&) = delete;
  ToyProcesses& operator=(const ToyProcesses&) = delete;

  /// Looks after those that are running; false once all are over.
  bool tend();
  /// What the coordinator said at its end, or what went wrong. REQUIRES that all are over
  std::string answer() const;
  /// Signals that processes died or were stopped by, in order.
  const std::vector<int>& signals() const { return signals_; }
  /// What all wrote to stderr.
  std::string logs() const;

 private:
  struct Running {
    ToyProcess what;
    std::optional<Spawned> process{};
    int starts = 0;
    double frozen_until = 0;  ///< 0: it is not
  };
  void start(std::size_t k);
  void over(std::size_t k);

  std::deque<Running> all_;
  std::string expect_;
  ToyKind kind_;
  std::filesystem::path folder_;
  std::uint16_t port_;
  std::vector<int> signals_;
};

/// Waits until all processes of all runs have ended, at most so long. @returns their answers
std::vector<std::string> run_all(std::deque<ToyProcesses>& runs, Seconds limit);
std::string run(ToyProcesses& processes, Seconds limit);

}  // namespace dipaco::testing
