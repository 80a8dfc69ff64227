#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/outer/combine.hpp"
#include "core/outer/step_policy.hpp"

namespace dipaco {

/// What a path gives to its modules after a task.
enum class Exchange {
  parameters,  ///< before - after of its inner steps (Alg. 1 line 13)
  gradients,   ///< the gradient of its one inner step, which changes no parameter (§4.5)
};

/// How regional parts and their global part exchange (hierarchical.hpp).
struct MergeOptions {
  std::int64_t every = 0;  ///< K: versions of a regional part from a merge to its next difference
  double weight = 0;       ///< alpha: of the global parameters, in (0, 1]
};

/// A bundle of decisions that outer.policy names.
struct SyncPolicy {
  std::string name;
  Exchange exchange{};    ///< gradients: REQUIRES inner.steps=1
  std::string optimizer;  ///< what outer.optimizer=auto stands for
  /// All paths that are drawn for an outer step give to the same version of a module, which is that outer step's
  /// number. Without rounds each module counts for itself, and a path takes the newest version that is out.
  bool rounds = true;
  /// A module may wait for contributions of several paths. Without rounds these may wait for each other's modules: the
  /// coordinator looks after that (docs/decisions/0024). False: it steps at each.
  bool gathers = true;
  /// Each contribution is added with its share, whatever else has come: several may be added before they arrive, and
  /// are not asked about. REQUIRES rounds, parameters, and no `combine`.
  bool adds_shares = false;
  std::shared_ptr<const StepPolicy> step;    ///< when modules step (Alg. 1 lines 11-14); never null
  std::shared_ptr<const StartPolicy> start;  ///< when paths begin their next task (§3.3); never null
  std::shared_ptr<const Combine> combine{};  ///< null: contributions are added as they came, and no base is read
  /// Regional parts merge with their global part: there are regions. nullopt: there are none. REQUIRES that the policy
  /// has no rounds, and steps at each contribution.
  std::optional<MergeOptions> merge{};
};

/// A module steps once all paths through it have given to its version (§3.3); their shares are the weights.
class StepTogether : public StepPolicy {
 public:
  /// Adds it with its share. @throws std::logic_error where it is for another version than the part's
  Verdict arrived(const PartView& part, const ContributionView& contribution) const override;
  std::optional<StepNow> step(const PartView& part) const override;
};

/// A path begins outer step t once its modules are at version t.
class StartInRounds : public StartPolicy {
 public:
  bool may_begin(const StartView& view) const override { return number(view.version) >= number(view.next_outer_step); }
};

/// A path begins its next task once its last contribution is settled, applied or dropped. One that is in hand is
/// settled with the module's next step: a step policy must step where all `PartView::paths` have given.
class StartWhenSettled : public StartPolicy {
 public:
  explicit StartWhenSettled(Seconds grace = Seconds(0)) : grace_(grace) {}
  bool may_begin(const StartView& view) const override { return view.settled >= view.done; }
  Seconds grace() const override { return grace_; }

 private:
  Seconds grace_;
};

/// The policies of this project that have no options; the first is the default.
const std::vector<SyncPolicy>& sync_policies();

/// This project's policy of that name. @throws std::logic_error where there is none
const SyncPolicy& sync_policy(std::string_view name);

}  // namespace dipaco
