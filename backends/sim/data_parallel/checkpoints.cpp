#include "backends/sim/data_parallel/checkpoints.hpp"

#include <cmath>

namespace dipaco {

Seconds young_interval(Seconds write, Seconds mean_time_between_failures) {
  return Seconds(std::sqrt(2 * write.count() * mean_time_between_failures.count()));
}

Seconds daly_interval(Seconds write, Seconds mean_time_between_failures) {
  if (write >= 2 * mean_time_between_failures) return mean_time_between_failures;
  const double part = write / (2 * mean_time_between_failures);
  return young_interval(write, mean_time_between_failures) * (1 + std::sqrt(part) / 3 + part / 9) - write;
}

Seconds expected_time(Seconds work, Seconds interval, Seconds write, Seconds restart,
                      Seconds mean_time_between_failures) {
  const Seconds mean = mean_time_between_failures;
  return mean * std::exp(restart / mean) * std::expm1((interval + write) / mean) * (work / interval);
}

}  // namespace dipaco
