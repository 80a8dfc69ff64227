#include "core/outer/staleness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/error.hpp"
#include "core/outer/buffer.hpp"

namespace dipaco {

Verdict weigh_staleness(const StalenessOptions& options, const PartView& part, const ContributionView& contribution) {
  check(contribution.base <= part.version, "no task begins with a version that is not out");
  const std::int64_t gather = std::max<std::int64_t>(gathered(options.buffer, part.members), 1);
  const std::int64_t staleness = number(part.version) / gather - number(contribution.base) / gather;
  if (options.max_staleness > 0 && staleness > options.max_staleness) {
    return Drop{"stale: its base is " + std::to_string(staleness) +
                (gather > 1 ? " steps behind" : " versions behind")};
  }
  const auto behind = static_cast<double>(staleness);
  return Add{options.polynomial ? contribution.share / std::sqrt(1.0 + behind) : contribution.share};
}

}  // namespace dipaco
