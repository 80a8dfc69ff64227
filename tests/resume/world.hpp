#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/events/event.hpp"
#include "core/plan/plan.hpp"
#include "core/storage/storage.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

/// A run with shared modules and paths' own, machines that come and go with a notice, and nodes that freeze for so long
/// that others take over; in rounds also evaluations on the way, new shards twice, and early stopping at versions far
/// from the last. All of it in the simulator.
class World {
 public:
  enum class Rounds : bool { no, yes };
  explicit World(Rounds rounds = Rounds::yes);

  RunConfig& config() { return made_.config; }
  RunPlan plan() const;
  /// Its paths exchange gradients; a worker is lost as it sends them.
  void exchange_gradients();
  /// Modules step at each contribution, which is compensated for the versions that have come out meanwhile; paths that
  /// end within a second of the first go on together.
  /// REQUIRES Rounds::no
  void step_on_arrival();
  /// Under quorum with grace instead of half: a module waits two seconds after its first contribution.
  void step_at_quorum();
  /// Two regions that merge their parts of the second level's modules, one path in each. REQUIRES Rounds::no
  void merge_regions();
  /// Workers' speeds are one, one half, one third and one quarter of what they are, and tasks as long as these allow.
  /// REQUIRES Rounds::no
  void train_by_speed();
  /// What it is asked to compute was to be read.
  void forbid_computing();
  /// One result comes out with a value that is not a number: of a machine's fault, which does not come again.
  void spoil_once();
  void spoil_no_more();

  /// How often something happens in it.
  int count(EventKind kind) const;
  /// All that happens in it, hashed.
  /// @param archive  null: none
  std::string tell(std::unique_ptr<Storage> archive) const;

 private:
  Simulated simulate(const RunPlan& plan, Archive* archive, RunResult& result) const;

  MadeUpRun made_;
  Rounds rounds_;
  bool unequal_ = false;
};

std::unique_ptr<Storage> kept_in(const std::filesystem::path& folder);

}  // namespace dipaco::testing
