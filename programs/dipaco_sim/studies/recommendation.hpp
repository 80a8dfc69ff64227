#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/condition.hpp"
#include "analysis/study/search.hpp"
#include "analysis/table.hpp"
#include "programs/dipaco_sim/studies/sweep_runs.hpp"

namespace dipaco {

/// What a choice of values is to be good at.
struct Wish {
  std::string objective;                        ///< a figure of summary.json
  bool most = false;                            ///< it is to be large
  std::vector<analysis::Condition> conditions;  ///< and these are to hold
};

/// @param objective  a figure, with "-" before it where it is to be large; hours: the run's duration
/// @throws ConfigError
Wish parse_wish(const std::string& objective, const std::vector<std::string>& conditions);

/// A search for the choice that meets a wish best, with the runs that a folder has or gets.
class Recommendation {
 public:
  /// @param jobs  of all points, as jobs_of() has them
  Recommendation(const SweepQuestion& question, Wish wish, const SweepFolder& folder, const std::vector<SweepJob>& jobs,
                 std::size_t most_runs);

  /// @throws Interrupted; ConfigError where no run has a figure that is wished for
  void go(const StopSignal& stop);

  std::size_t runs() const { return search_.runs(); }
  /// The best one's settings, as "key=value".
  const std::vector<std::string>& best_settings() const { return jobs_[search_.best() * seeds()].settings; }
  /// Why the best's run did not end, where no run has.
  std::optional<std::string> why_none_ended() const;
  /// The conditions that the best one misses, with what it comes to: empty where it meets all, and its runs end.
  std::vector<std::string> missed() const;
  /// The best ones, with the figures of the wish, the duration and the cost.
  analysis::Table best_table() const;
  /// The front of duration and cost (or bytes between sites where there are no prices) of all that meet the conditions,
  /// by the first seed, which all have.
  analysis::Table front_table() const;

 private:
  std::size_t seeds() const { return static_cast<std::size_t>(question_.repeat); }
  std::vector<SweepJob> jobs_at(std::size_t point, std::size_t seeds) const;
  std::vector<analysis::SweptRun> runs_at(std::size_t point) const;
  analysis::Standing standing(const std::vector<analysis::SweptRun>& runs) const;
  std::optional<double> median(const std::string& figure, const std::vector<analysis::SweptRun>& runs) const;

  const SweepQuestion& question_;
  Wish wish_;
  const SweepFolder& folder_;
  const std::vector<SweepJob>& jobs_;
  analysis::Search search_;
};

}  // namespace dipaco
