#include "programs/shared/stage_rate.hpp"

#include <cmath>

#include "core/base/text.hpp"

namespace dipaco {

std::string StageRate::text(std::string_view stage, std::int64_t done, Clock::time_point now) {
  if (stage != stage_) {
    stage_ = stage;
    first_done_ = done;
    began_ = now;
  }
  const double lasted = std::chrono::duration<double>(now - began_).count();
  if (lasted < 1 || done <= first_done_) return "";
  const double rate = static_cast<double>(done - first_done_) / lasted;
  return (rate < 100 ? format_fixed(rate, rate < 10 ? 2 : 1) : human_count(std::llround(rate))) + " a second";
}

}  // namespace dipaco
