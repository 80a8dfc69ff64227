#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace dipaco::analysis {

/// How good a choice of values is; the least is the best.
struct Standing {
  double misses = 0;     ///< by how much it misses what is asked; 0: by nothing; infinite: a run did not end
  double objective = 0;  ///< what is to be small
  friend auto operator<=>(const Standing&, const Standing&) = default;
};

/// Looks for the best point of a grid with few runs. Points spread over the grid come first, with one seed each; then
/// all that differ from the best in one value, and the neighbours of the next best, until these are the best of
/// theirs; then others, spread over the grid again. At last the best few are run with all seeds. What comes next
/// follows from what was found alone, so runs may be done in any order and number at a time.
class Search {
 public:
  /// @param sizes      how many values each axis has, as grid() takes them: the last one changes first
  /// @param seeds      a point's runs, where it counts
  /// @param most_runs  in all. REQUIRES at least `seeds`
  Search(std::vector<std::size_t> sizes, std::size_t seeds, std::size_t most_runs);

  struct Trial {
    std::size_t point = 0;
    std::size_t seeds = 0;  ///< the first so many of them
    friend auto operator<=>(const Trial&, const Trial&) = default;
  };
  /// What to run next; empty: the search is over.
  std::vector<Trial> next();
  void tried(const Trial& trial, const Standing& standing);

  /// Those that were run with all seeds, the best first. REQUIRES that the search is over
  std::vector<std::size_t> finalists() const;
  std::size_t best() const { return finalists().front(); }
  /// All that were tried, the best by their first seed first.
  std::vector<std::size_t> ranked() const;
  /// Runs that were asked for.
  std::size_t runs() const { return runs_; }

 private:
  enum class Stage : unsigned char { spread, climb, final, over };
  std::vector<std::size_t> spread(std::size_t count);
  std::vector<std::size_t> beside_the_best() const;
  void add_beside(std::size_t point, bool any_value, std::vector<std::size_t>& found) const;
  std::vector<Trial> ask(const std::vector<std::size_t>& points, std::size_t seeds);
  std::size_t left() const;

  std::vector<std::size_t> sizes_;
  std::size_t points_ = 1;
  std::size_t seeds_;
  std::size_t most_;
  std::size_t finalists_;
  std::size_t runs_ = 0;
  std::size_t spread_ = 0;  ///< how many of the sequence of spread points were looked at
  Stage stage_ = Stage::spread;
  std::map<std::size_t, Standing> once_;   ///< with one seed
  std::map<std::size_t, Standing> whole_;  ///< with all
};

}  // namespace dipaco::analysis
