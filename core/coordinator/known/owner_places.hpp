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
  /// Where the owners are now. One that is away counts as being where it was, and so does one that an executor of
  /// another site stands in for as long as there is no version: both are expected back.
  void note() const;

 private:
  /// Of modules that have their first owners still; nullopt where one of these is not there. Empty: nothing was chosen.
  std::optional<std::set<SiteId>> chosen_before() const;
  void choose();
  void choose_homes(const ExchangeTimes::TasksAt& tasks);

  RunState& run_;
  std::optional<std::set<SiteId>> sites_;  ///< chosen; empty: all will do, also those of executors to come
  OwnerChoice choice_;
};

}  // namespace dipaco
