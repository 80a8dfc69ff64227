#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "tests/gloo/spawned.hpp"
#include "tests/gloo/toy_run.hpp"

namespace dipaco::testing {

/// One process of a toy run.
struct ToyProcess {
  std::string roles;                 ///< "coordinator,store"
  std::vector<std::string> first{};  ///< words for dipaco_toy_node, at its first start alone
  std::vector<std::string> words{};  ///< at each start
};

/// A run's processes, and what all of them are told.
struct ToySetting {
  std::vector<ToyProcess> processes;
  std::string expect;  ///< executors,stores,evaluators
  ToyKind kind = ToyKind::whole;
  std::vector<std::string> words{};  ///< without a rendezvous among them they meet at a port of loopback
};

/// The processes of one toy run, in a folder of their own. Whoever is killed, or ends asking to be started again, is
/// started again; who is stopped goes on after twice the liveness limit.
class ToyProcesses {
 public:
  explicit ToyProcesses(ToySetting setting);
  ~ToyProcesses();
  ToyProcesses(const ToyProcesses&) = delete;
  ToyProcesses& operator=(const ToyProcesses&) = delete;

  /// One more, now.
  void add(const ToyProcess& process);
  /// Looks after those that are running; false once all are over.
  bool tend();
  /// What the coordinator said at its end, or what went wrong. REQUIRES that all are over
  std::string answer() const;
  /// Signals that processes died or were stopped by, in order.
  const std::vector<int>& signals() const { return signals_; }
  /// Those that are there now.
  std::vector<pid_t> pids() const;
  std::size_t size() const { return all_.size(); }
  void signal(std::size_t process, int number) const { all_.at(process).process->signal(number); }
  std::string log_of(std::size_t process) const { return all_.at(process).process->log(); }
  /// Nodes whose state is still there. Each takes its own away once its part of the model is in the run's folder.
  std::ptrdiff_t states_left() const;
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

  ToySetting setting_;
  std::deque<Running> all_;
  std::filesystem::path folder_;
  std::vector<int> signals_;
};

/// How often a test of drawn moments is repeated: `usual`, or as scripts/torture.sh says by DIPACO_KILLS.
int repetitions(int usual);
/// Draws from 0 to `below`, from the seed that scripts/torture.sh says by DIPACO_TORTURE_SEED.
class Moments {
 public:
  Moments();
  double below(double limit);

 private:
  std::mt19937_64 draw_;
};

/// Waits until all processes of all runs have ended, at most so long. @returns their answers
std::vector<std::string> run_all(std::deque<ToyProcesses>& runs, Seconds limit);
/// @param meanwhile  called all the time
std::string run(ToyProcesses& processes, Seconds limit, const std::function<void()>& meanwhile = {});

}  // namespace dipaco::testing
