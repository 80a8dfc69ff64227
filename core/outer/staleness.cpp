#include "core/outer/staleness.hpp"

#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace dipaco {

Verdict weigh_staleness(const StalenessOptions& options, const PartView& part, const ContributionView& contribution) {
  const std::int32_t staleness = number(part.version) - number(contribution.base);
  check(staleness >= 0, "no task begins with a version that is not out");
  if (options.max_staleness > 0 && staleness > options.max_staleness) {
    return Drop{"stale: its base is " + std::to_string(staleness) + " versions behind"};
  }
  return Add{options.polynomial ? contribution.share / std::sqrt(1.0 + staleness) : contribution.share};
}

}  // namespace dipaco
