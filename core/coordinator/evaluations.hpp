#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/coordinator/known/regional_parts.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Wants what is to be evaluated, adds scores up, knows each path's best version, and says what need not be kept.
class Evaluations {
 public:
  explicit Evaluations(RunState& run) : run_(run), parts_(run) {}

  /// Notes how often paths are evaluated on the way. Where an earlier incarnation did it at other times, what it has
  /// not kept is given up.
  void note_every();
  /// Goes on where the journal ends.
  void restore();
  /// The path's modules are all at this version: what is due with it can be done, once there are shards to do it on.
  /// Modules that no drawn path goes through reach versions of a phase whose shards are still being made.
  void want(PathId path, std::int32_t version);
  /// Wants what is due with the versions that all the path's modules have reached since its newest state.
  void want_reached(PathId path);
  /// Takes a path's score, other than that of a router's documents.
  void scored(const Evaluated& message);
  /// Notes that training has ended, if it has, and wants the results, if nothing else is to come first.
  void note_end();
  /// Says what is not kept any more: versions up to the last evaluation of those that are all closed.
  void release_closed();

  /// What ends with training.
  RegionalParts& parts() { return parts_; }
  /// Whether training has ended.
  bool trained() const { return trained_; }
  /// The lowest loss on each path's hold-out so far.
  const std::map<PathId, Evaluated>& best() const { return best_; }
  /// The path's best version, or the last one.
  std::int32_t best_version(PathId path) const;
  /// Of the final evaluation.
  const std::map<PathId, Score>& results() const { return results_; }

 private:
  void close_whole();
  void give_up();
  void want_results();
  bool closed(std::int32_t version, Purpose purpose) const;
  bool all_closed(std::int32_t version) const;
  void close(std::int32_t version, Purpose purpose);

  RunState& run_;
  RegionalParts parts_;
  std::map<Due, std::map<PathId, Score>> scores_;  ///< of evaluations that are not closed
  std::set<Due> closed_;                           ///< evaluations of which all paths' scores are in
  std::map<PathId, Evaluated> best_;
  std::map<PathId, Score> results_;
  bool trained_ = false;
};

}  // namespace dipaco
