#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Ends the run: has executors and stores keep and hash the model that it leaves, and says goodbye.
class ModelCollection {
 public:
  ModelCollection(RunState& run, const Evaluations& evaluations) : run_(run), evaluations_(evaluations) {}

  /// All is trained and evaluated: puts the result together and asks for the model, if there is one.
  void finish();
  /// Asks anew for what is lacking, if the run is at its end: an owner is another one, a node was lost or has come.
  void ask_again();
  /// Takes hashes of parts of the model. With the last one the run is over.
  void collect(const Finished& finished);

  /// Whether the run is at its end.
  bool finishing() const { return finishing_; }
  /// Whether all have been told that the run is over.
  bool over() const { return over_; }
  /// How many parts of the model are not known to be kept.
  std::size_t parts_lacking() const { return lacking().size(); }

 private:
  /// Versions of modules, with a path that each is of.
  using Parts = std::map<std::pair<ModuleId, std::int32_t>, PathId>;
  Parts lacking() const;
  std::int32_t last_of(ModuleId module, PathId path) const;
  std::optional<NodeId> holder(ModuleId module, std::int32_t version, PathId path) const;
  void say_goodbye();

  RunState& run_;
  const Evaluations& evaluations_;
  std::map<ModuleId, std::string> hashes_;                 ///< of last versions that are kept for the model
  std::set<std::pair<ModuleId, std::int32_t>> best_kept_;  ///< and earlier ones, some path's best
  bool finishing_ = false;
  bool over_ = false;
};

}  // namespace dipaco
