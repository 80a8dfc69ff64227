#include "backends/sim/timeline/capacity.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// So many machines at most in a stretch of time.
struct CapacityStretch {
  std::string text;
  std::int64_t machines = 0;
  TimeStretch when;
};

[[noreturn]] void refuse_capacity(const std::string& what) { throw std::invalid_argument(what); }

Seconds read_time(const std::string& part, const std::string& word) {
  const auto time = parse_seconds(word);
  if (!time || *time < Seconds(0)) {
    refuse_capacity("has the part \"" + part + "\", in which \"" + word + "\" is no time with a unit, such as 2h");
  }
  return *time;
}

/// @param words    of the part, with the word "from" behind `before` others
/// @param example  of what to write
TimeStretch read_when(const std::string& part, const std::vector<std::string>& words, std::size_t before,
                      const std::string& example) {
  const bool ends = words.size() == before + 4 && words[before + 2] == "to";
  if ((words.size() != before + 2 && !ends) || words[before] != "from") {
    refuse_capacity("has the part \"" + part + "\"; write " + example);
  }
  TimeStretch when{.from = read_time(part, words[before + 1]), .to = {}};
  if (ends) when.to = read_time(part, words[before + 3]);
  if (ends && *when.to <= when.from) refuse_capacity("has the part \"" + part + "\", which ends before it begins");
  return when;
}

std::vector<std::string> words_in(const std::string& part) {
  auto words = split(part, ' ');
  std::erase(words, "");
  return words;
}

CapacityStretch read_stretch(const std::string& text, std::int64_t machines) {
  const auto words = words_in(text);
  const std::string example = "how many machines and when, as in \"3 from 2h to 4h, 0 from 10h\"";
  CapacityStretch stretch{.text = text, .machines = 0, .when = read_when(text, words, 1, example)};
  const auto count = parse_integer(words[0]);
  if (!count || *count < 0) refuse_capacity("has the part \"" + text + "\", which begins with no whole number from 0");
  if (*count > machines) {
    refuse_capacity("has the part \"" + text + "\", and the zone has " + std::to_string(machines) +
                    " machines that only work; write at most as many");
  }
  stretch.machines = *count;
  return stretch;
}

/// Sorts them. @throws std::invalid_argument where two overlap
void put_in_order(std::vector<CapacityStretch>& stretches) {
  std::ranges::stable_sort(stretches, {}, [](const CapacityStretch& stretch) { return stretch.when.from; });
  for (std::size_t k = 0; k + 1 < stretches.size(); ++k) {
    const CapacityStretch& stretch = stretches[k];
    if (stretch.when.to && *stretch.when.to <= stretches[k + 1].when.from) continue;
    refuse_capacity("has \"" + stretch.text + "\" and \"" + stretches[k + 1].text +
                    "\", which overlap; end one before the other");
  }
}

}  // namespace

std::vector<AvailabilityStep> parse_capacity(std::string_view text, std::int64_t machines) {
  std::vector<CapacityStretch> stretches;
  for (const std::string& part : split(text, ',')) stretches.push_back(read_stretch(part, machines));
  if (stretches.empty()) refuse_capacity("says nothing; write it like \"3 from 2h to 4h\"");
  put_in_order(stretches);
  std::vector<AvailabilityStep> steps{{Seconds(0), machines}};
  for (const CapacityStretch& stretch : stretches) {
    if (steps.back().time == stretch.when.from) steps.pop_back();
    steps.push_back({stretch.when.from, stretch.machines});
    if (stretch.when.to) steps.push_back({*stretch.when.to, machines});
  }
  return steps;
}

std::vector<TimeStretch> parse_stretches(std::string_view text) {
  std::vector<CapacityStretch> stretches;
  for (const std::string& part : split(text, ',')) {
    const TimeStretch when = read_when(part, words_in(part), 0, "when, as in \"from 2h to 4h, from 10h\"");
    stretches.push_back({.text = part, .machines = 0, .when = when});
  }
  if (stretches.empty()) refuse_capacity("says nothing; write it like \"from 2h to 4h\"");
  put_in_order(stretches);
  std::vector<TimeStretch> times;
  for (const CapacityStretch& stretch : stretches) {
    if (!times.empty() && times.back().to == stretch.when.from) {
      times.back().to = stretch.when.to;
    } else {
      times.push_back(stretch.when);
    }
  }
  return times;
}

}  // namespace dipaco
