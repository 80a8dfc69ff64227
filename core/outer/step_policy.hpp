#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// What a step policy sees of a part: a module, under one executor.
struct PartView {
  Version version{};
  std::int32_t members = 0;       ///< paths through it; in rounds those that are drawn for this version's step
  std::int32_t paths = 0;         ///< of these, those that still give: those in hand, where all paths wait
  std::int32_t in_hand = 0;       ///< contributions that will be in the next version
  double share = 0;               ///< of these: the sum of their shares
  Seconds now{};                  ///< by the executor's clock
  std::optional<Seconds> made{};  ///< when the version was made, or came here, by the same clock; nullopt: not known
  std::span<const Seconds> arrived{};  ///< when those in hand came, by the same clock, in that order
};

/// A contribution that has arrived.
struct ContributionView {
  PathId path{};
  OuterStep outer_step{};  ///< of its task
  Version base{};          ///< of the part, that the task began with
  InnerSteps inner_steps;  ///< of its task
  double share = 0;        ///< alpha of Eq. 2-3: those of all paths that may give to one step add up to 1
};

/// The contribution goes into the next version: weight x values are added, in whatever order contributions come.
struct Add {
  double weight = 0;  ///< at most 1: the sum is in fixed point; |weight x value| of 1024 or more is a DataError
};
/// It goes into no version.
struct Drop {
  std::string why;  ///< for a person
};
using Verdict = std::variant<Add, Drop>;

/// A step that is due: the sum of what is in hand, times this and the factor of outer.rescale, is the direction.
struct StepNow {
  double scale = 1;
};

/// When a part steps, and with what (Alg. 1 lines 11-14 are one answer). Pure: no clock, message or file. An executor
/// asks at each arrival, and when wake() says; what it decides for a path's contributions is decided in the order of
/// the path's tasks.
class StepPolicy {
 public:
  virtual ~StepPolicy() = default;
  /// What becomes of a contribution that has just arrived.
  virtual Verdict arrived(const PartView& part, const ContributionView& contribution) const = 0;
  /// After each arrival: nullopt waits for more.
  virtual std::optional<StepNow> step(const PartView& part) const = 0;
  /// Where step() waits: the time by the executor's clock at which to ask it again if nothing has come before. nullopt:
  /// only an arrival changes its answer.
  virtual std::optional<Seconds> wake(const PartView& /*part*/) const { return std::nullopt; }
};

/// What a start policy sees of a path and one of its shared modules.
struct StartView {
  OuterStep next_outer_step{};  ///< of the path's next task
  OuterStep done{};             ///< the path's newest state is that after the outer steps before this one
  Version version{};            ///< of the module: the newest that is out
  OuterStep settled{};          ///< the path's contributions of outer steps before this one are applied or dropped
};

/// When a path may begin its next task. Pure. Without rounds it never begins before its last contribution is settled.
class StartPolicy {
 public:
  virtual ~StartPolicy() = default;
  /// Whether it may as far as this module is concerned. It may begin once that holds for all its shared modules.
  virtual bool may_begin(const StartView& view) const = 0;
  /// How long a path that may begin waits for others, so that they begin with the same versions: from when the first of
  /// them could. Nobody waits once all others have begun their last task. Asked once a run; 0: no path waits.
  /// REQUIRES 0 of a policy without rounds that gathers: paths would wait for those whose modules wait for them.
  virtual Seconds grace() const { return Seconds(0); }
};

}  // namespace dipaco
