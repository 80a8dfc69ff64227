#pragma once

#include "core/base/units.hpp"

namespace dipaco {

// How often a job that must begin again after each failure should write a checkpoint. d: seconds that one takes to
// write; M: mean time between failures of the job, exponential; R: from a failure to going on; tau: work between two.

/// sqrt(2 d M). Young, Communications of the ACM 17, 1974.
Seconds young_interval(Seconds write, Seconds mean_time_between_failures);

/// sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d for d < 2 M, else M. Daly, Future Generation Computer Systems
/// 22, 2006, doi 10.1016/j.future.2004.11.016, Eq. 37.
Seconds daly_interval(Seconds write, Seconds mean_time_between_failures);

/// M e^(R/M) (e^((tau + d)/M) - 1) work / tau: what so much work is expected to take (Daly, Eq. 20).
Seconds expected_time(Seconds work, Seconds interval, Seconds write, Seconds restart,
                      Seconds mean_time_between_failures);

}  // namespace dipaco
