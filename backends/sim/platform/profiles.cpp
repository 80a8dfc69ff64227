#include "backends/sim/platform/profiles.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/sim/scenario/named_files.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// What a profile changes over time.
struct ProfileKind {
  std::string_view attribute;  ///< of a host or link
  std::string_view connected;  ///< `kind` of a trace_connect
  std::string_view value;      ///< what its values are
  std::string_view remedy;
  bool (*allowed)(double);
};

bool is_switch(double value) { return value == 0 || value == 1; }
bool is_above_zero(double value) { return value > 0; }
bool is_not_below_zero(double value) { return value >= 0; }

constexpr std::array<ProfileKind, 6> kProfiles{{
    {"state_file", "HOST_AVAIL", "a state", "write 1 for on and 0 for off", is_switch},
    {"state_file", "LINK_AVAIL", "a state", "write 1 for on and 0 for off", is_switch},
    {"bandwidth_file", "BANDWIDTH", "a bandwidth in bytes a second above 0",
     "a link that is down has a state_file that says so", is_above_zero},
    {"latency_file", "LATENCY", "a latency in seconds, at least 0", "write it without a unit", is_not_below_zero},
    {"speed_file", "SPEED", "a share of the speed above 0",
     "write 1 for the whole speed; a machine that is off has a state_file that says so", is_above_zero},
    {"availability_file", "", "a share of the speed above 0",
     "write 1 for the whole speed; a machine that is off has a state_file that says so", is_above_zero},
}};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::string& word : split(line, ' ')) {
    for (std::string& part : split(word, '\t')) {
      if (!part.empty()) words.push_back(std::move(part));
    }
  }
  return words;
}

class ProfileReader {
 public:
  /// @param kind   null: any value
  /// @param first  the number of the text's first line
  ProfileReader(std::string file, const ProfileKind* kind, int first)
      : file_(std::move(file)), kind_(kind), line_(first - 1) {}

  void read(std::string_view text) {
    while (!text.empty() && !stochastic_) {
      ++line_;
      const auto end = std::min(text.find('\n'), text.size());
      read_line(trim(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (stochastic_ || !period_ || *period_ >= last_time_) return;
    line_ = period_line_;
    fail("PERIODICITY " + format_number(*period_) + " is over before the last time, " + format_number(last_time_) +
         "; write a longer one");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(file_ + ":" + std::to_string(line_) + ": " + what);
  }

  void read_line(std::string_view line) {
    if (line.empty() || line.front() == '#' || line.front() == '%') return;
    const auto words = words_of(line);
    if (words.front() == "STOCHASTIC") {
      stochastic_ = true;
      return;
    }
    if (words.size() != 2) {
      fail("a line of a profile is a time in seconds and a value, as in 40 1; this has " +
           std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
    }
    if (words[0] == "PERIODICITY" || words[0] == "LOOPAFTER") return read_period(words);
    read_event(words);
  }

  void read_period(const std::vector<std::string>& words) {
    const auto seconds = parse_number(words[1]);
    if (!seconds || *seconds < 0) fail(words[0] + " " + words[1] + " is no number of seconds from 0");
    if (words[0] != "PERIODICITY" || *seconds == 0) return;
    period_ = seconds;
    period_line_ = line_;
  }

  void read_event(const std::vector<std::string>& words) {
    const auto time = parse_number(words[0]);
    if (!time || *time < 0)
      fail("the time \"" + words[0] + "\" is no number of seconds from 0; write it without a unit");
    if (*time < last_time_)
      fail("the time " + words[0] + " comes before " + format_number(last_time_) + "; times rise from line to line");
    last_time_ = *time;
    const auto value = parse_number(words[1]);
    if (!value) fail("the value \"" + words[1] + "\" is no number; write it without a unit");
    if (kind_ == nullptr || kind_->allowed(*value)) return;
    fail("the value " + words[1] + " is not " + std::string(kind_->value) + "; " + std::string(kind_->remedy));
  }

  std::string file_;
  const ProfileKind* kind_;
  int line_;
  double last_time_ = 0;
  std::optional<double> period_;
  int period_line_ = 0;
  bool stochastic_ = false;
};

void check_file(const ScenarioFile& file, const ScenarioElement& element, const std::string& attribute,
                const ProfileKind* kind) {
  const std::string name = element.attribute(attribute);
  if (name.empty()) return;
  const auto place = place_of_profile(file, name);
  if (!place) {
    throw ConfigError(file.at(element.line) + ": " + element.said(attribute) +
                      " names no file: " + (file.path().parent_path() / name).string() +
                      " is not there; the name is relative to the scenario");
  }
  ProfileReader(place->string(), kind, 1).read(read_text(*place));
}

/// What the trace is for; null where nothing says it.
const ProfileKind* kind_of(const ScenarioFile& file, const std::string& trace) {
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "trace_connect" || element.attribute("trace") != trace) continue;
    const std::string said = element.attribute("kind");
    const std::string kind = said.empty() ? "HOST_AVAIL" : said;
    const auto* const known = std::ranges::find(kProfiles, kind, &ProfileKind::connected);
    return known == kProfiles.end() ? nullptr : known;
  }
  return nullptr;
}

/// SimGrid has events for the whole of such a link and applies them to its halves, which do not know them: it aborts.
void check_may_go_off(const ScenarioFile& file, const ScenarioElement& link) {
  if (link.attribute("state_file").empty() || !link.attribute("sharing_policy").ends_with("DUPLEX")) return;
  throw ConfigError(file.at(link.line) + ": " + link.said("state_file") +
                    " cannot be: SimGrid does not turn a SPLITDUPLEX link off and on; write the prop outages of the " +
                    "link, as outages=\"from 10min to 20min\"");
}

}  // namespace

void check_profiles(const ScenarioFile& file) {
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind == "link") check_may_go_off(file, element);
    for (const auto& [name, value] : element.attributes) {
      const auto* const kind = std::ranges::find(kProfiles, name, &ProfileKind::attribute);
      if (kind != kProfiles.end()) check_file(file, element, name, kind);
    }
    if (element.kind != "trace") continue;
    const ProfileKind* const kind = kind_of(file, element.id());
    check_file(file, element, "file", kind);
    ProfileReader(file.path().string(), kind, element.line).read(element.text);
  }
}

}  // namespace dipaco
