#include "backends/sim/timeline/capacity.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// So many machines at most from one time to another, or for ever.
struct CapacityStretch {
  std::string text;
  std::int64_t machines = 0;
  Seconds from{};
  std::optional<Seconds> to;
};

[[noreturn]] void refuse_capacity(const std::string& what) { throw std::invalid_argument(what); }

Seconds read_time(const CapacityStretch& stretch, const std::string& word) {
  const auto time = parse_seconds(word);
  if (!time || *time < Seconds(0)) {
    refuse_capacity("has the part \"" + stretch.text + "\", in which \"" + word +
                    "\" is no time with a unit, such as 2h");
  }
  return *time;
}

CapacityStretch read_stretch(const std::string& text, std::int64_t machines) {
  CapacityStretch stretch{.text = text};
  auto words = split(text, ' ');
  std::erase(words, "");
  const bool ends = words.size() == 5 && words[3] == "to";
  if ((words.size() != 3 && !ends) || words[1] != "from") {
    refuse_capacity("has the part \"" + text +
                    "\"; write how many machines and when, as in \"3 from 2h to 4h, 0 from 10h\"");
  }
  const auto count = parse_integer(words[0]);
  if (!count || *count < 0) refuse_capacity("has the part \"" + text + "\", which begins with no whole number from 0");
  if (*count > machines) {
    refuse_capacity("has the part \"" + text + "\", and the zone has " + std::to_string(machines) +
                    " machines that only work; write at most as many");
  }
  stretch.machines = *count;
  stretch.from = read_time(stretch, words[2]);
  if (ends) stretch.to = read_time(stretch, words[4]);
  if (ends && *stretch.to <= stretch.from)
    refuse_capacity("has the part \"" + text + "\", which ends before it begins");
  return stretch;
}

}  // namespace

std::vector<AvailabilityStep> parse_capacity(std::string_view text, std::int64_t machines) {
  std::vector<CapacityStretch> stretches;
  for (const std::string& part : split(text, ',')) stretches.push_back(read_stretch(part, machines));
  if (stretches.empty()) refuse_capacity("says nothing; write it like \"3 from 2h to 4h\"");
  std::ranges::stable_sort(stretches, {}, &CapacityStretch::from);
  std::vector<AvailabilityStep> steps{{Seconds(0), machines}};
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    const CapacityStretch& stretch = stretches[k];
    if (k + 1 < stretches.size() && (!stretch.to || *stretch.to > stretches[k + 1].from)) {
      refuse_capacity("has \"" + stretch.text + "\" and \"" + stretches[k + 1].text +
                      "\", which overlap; end one before the other");
    }
    if (steps.back().time == stretch.from) steps.pop_back();
    steps.push_back({stretch.from, stretch.machines});
    if (stretch.to) steps.push_back({*stretch.to, machines});
  }
  return steps;
}

}  // namespace dipaco
