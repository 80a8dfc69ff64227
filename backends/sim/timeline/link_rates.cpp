#include "backends/sim/timeline/link_rates.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "backends/sim/timeline/step_file.hpp"
#include "core/base/text.hpp"

namespace dipaco {

std::vector<LinkRateStep> read_link_rates(const std::filesystem::path& csv) {
  std::vector<LinkRateStep> steps;
  read_steps({.csv = csv,
              .name = "bandwidth",
              .row = "600,200Mbps",
              .empty = "a rate with a unit, such as 200Mbps",
              .row_means = "a time in seconds and a rate: 0,1Gbps"},
             [&](Seconds time, const std::string& cell) -> std::string {
               const auto rate = parse_byte_rate(cell);
               if (!rate) {
                 return "the bandwidth \"" + cell +
                        "\" is no rate above 0 with a unit, such as 200Mbps; a link that is down has a state_file";
               }
               steps.push_back({time, *rate});
               return "";
             });
  return steps;
}

BytesPerSecond mean_rate(const std::vector<LinkRateStep>& steps, Seconds end) {
  double bytes = 0;
  for (std::size_t k = 0; k < steps.size() && steps[k].time < end; ++k) {
    const Seconds until = k + 1 < steps.size() ? std::min(steps[k + 1].time, end) : end;
    bytes += steps[k].bandwidth.value * (until - steps[k].time).count();
  }
  return {bytes / end.count()};
}

}  // namespace dipaco
