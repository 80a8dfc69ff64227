#pragma once

#include <optional>
#include <set>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Says at which sites shared modules should have their owners, and where paths should begin (run.place), and tells the
/// schedule where they have them.
class OwnerPlaces {
 public:
  explicit OwnerPlaces(RunState& run) : run_(run) {}

  /// Before modules get owners: all is chosen once, as soon as anything is known of workers.
  void prefer();
  /// Where the owners are now. One that is away counts as being where it was. An executor of another site that stands
  /// in while there is no version counts as being at a chosen site: it will give the module back.
  void note() const;
  /// The same of one module.
  void note(ModuleId module) const;

 private:
  /// By an earlier incarnation, as the journal tells: of modules that have their first owners still. Empty: nothing
  /// was.
  std::set<SiteId> chosen_before() const;
  void choose();
  void choose_homes(const ExchangeTimes::TasksAt& tasks);

  RunState& run_;
  std::optional<std::set<SiteId>> sites_;  ///< chosen; empty: all will do, also those of executors to come
  OwnerChoice choice_;
  bool told_ = false;  ///< it was passed on
};

}  // namespace dipaco
