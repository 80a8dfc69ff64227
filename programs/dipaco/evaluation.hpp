#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/routed.hpp"
#include "core/eval/score.hpp"

namespace dipaco {

/// What switching paths within documents came to.
struct Switching {
  std::int64_t window = 0;      ///< W, tokens
  std::int64_t switches = 0;    ///< boundaries at which the path changed
  std::int64_t recomputed = 0;  ///< positions of context run again
  std::int64_t positions = 0;   ///< run once
  std::int64_t routed = 0;      ///< positions that the transformer router runs, beside

  /// Of all positions that paths run. 0 where none was
  double recomputed_share() const;
};

/// What `dipaco evaluate` found.
struct Evaluation {
  Score score;
  Score dense_start;                        ///< of the same documents under the model that every path started from
  std::optional<double> dense_equal_steps;  ///< perplexity that the run had of them after dense training, where there
                                            ///< was one and they are the run's own, in its own rows
  std::int64_t dropped = 0;                 ///< documents with no token behind the prefix
  RouteShares shares;                       ///< by the document router: the paths that documents begin on
  std::optional<Switching> switching;       ///< absent with window=sequence
  std::map<std::string, Score> domains;     ///< empty where no document names one; "" for those that do not
};

/// "12.34, 1.875 bits per byte"; without the bits where there are none.
std::string score_text(const Score& score);

void print_text(std::ostream& out, const Evaluation& evaluation);
/// The same numbers as one object of JSON; docs/evaluate.md has its keys.
void print_json(std::ostream& out, const Evaluation& evaluation);

}  // namespace dipaco
