#include "core/coordinator/standstill.hpp"

#include <array>
#include <cstddef>

namespace dipaco {
namespace {

/// When it asks, then asks again, and concludes, in parts of the deadline.
constexpr std::array kTimes{0.5, 0.75, 1.0};

}  // namespace

Seconds Standstill::due() const {
  return run_.progress_at + kTimes.at(static_cast<std::size_t>(asked())) * run_.plan.config.liveness.deadline;
}

void Standstill::look() {
  if (run_.now() < due()) return;
  asked_ = asked() + 1;
  since_ = run_.progress_at;
  if (asked_ < static_cast<int>(kTimes.size())) {
    for (const auto& [node, member] : run_.members.all()) run_.inquire(node);
    return;
  }
  if (!run_.inquiries.any_creeps(since_)) diagnosis_.no_progress();
  run_.made_progress();
}

}  // namespace dipaco
