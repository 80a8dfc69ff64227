#pragma once

#include <set>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Says at which sites shared modules should have their owners (run.place), and tells the schedule where they have
/// them.
class OwnerPlaces {
 public:
  explicit OwnerPlaces(RunState& run) : run_(run) {}

  /// Before modules get owners: their sites are chosen once, by what is known of workers and lines then.
  void prefer();
  /// After some have got others.
  void note() const;

 private:
  std::set<SiteId> choose() const;

  RunState& run_;
  std::set<SiteId> sites_;  ///< empty: not chosen yet
};

}  // namespace dipaco
