#include "backends/sim/timeline/time_law.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr double kLeastShape = 0.1;  // below, most times are nothing and the few others for ever
constexpr double kMostShape = 100;

[[noreturn]] void refuse_law(const std::string& what) { throw std::invalid_argument(what); }

Seconds read_scale(const std::string& text) {
  const auto scale = parse_seconds(text);
  if (!scale || *scale <= Seconds(0))
    refuse_law("has \"" + text + "\", which is no time above 0 with a unit, such as 6h");
  return *scale;
}

}  // namespace

TimeLaw parse_time_law(std::string_view text) {
  constexpr const char* kForms = "write 5min, exponential 6h (the mean), or weibull 10h 0.7 (scale and shape)";
  auto words = split(text, ' ');
  std::erase(words, "");
  if (words.size() == 1 && parse_seconds(words[0])) return {TimeLaw::Kind::fixed, read_scale(words[0])};
  if (words.size() == 2 && parse_seconds(words[0] + words[1]))
    refuse_law(std::string("has a space in its time; ") + kForms);
  if (words.empty()) refuse_law(std::string("says nothing; ") + kForms);
  if (words[0] == "exponential" && words.size() == 2) return {TimeLaw::Kind::exponential, read_scale(words[1])};
  if (words[0] == "weibull" && words.size() == 3) {
    const auto shape = parse_number(words[2]);
    if (!shape || *shape < kLeastShape || *shape > kMostShape) {
      refuse_law("has the shape \"" + words[2] + "\", which is no number from 0.1 to 100, such as 0.7");
    }
    return {TimeLaw::Kind::weibull, read_scale(words[1]), *shape};
  }
  const std::array<std::string, 2> known{"exponential", "weibull"};
  const bool named = words[0] == known[0] || words[0] == known[1];
  refuse_law(std::string("is no law of times; ") + kForms + (named ? "" : did_you_mean(words[0], known)));
}

Seconds drawn(const TimeLaw& law, double uniform) {
  if (law.kind == TimeLaw::Kind::fixed) return law.scale;
  const double exponential = -std::log1p(-uniform);
  return (law.shape == 1 ? exponential : std::pow(exponential, 1 / law.shape)) * law.scale;
}

}  // namespace dipaco
