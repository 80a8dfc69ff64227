#include "backends/gloo/shaped/validation_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/ini_text.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kDefaults = "default";
constexpr std::string_view kCase = "case ";
constexpr std::array<Role, 5> kCaseRoles{Role::coordinator, Role::worker, Role::executor, Role::store, Role::evaluator};
constexpr std::size_t kMostSites = 200;  // of one network's addresses

std::string in_quotes_of_case(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

bool read_switch(const IniPair& pair) {
  if (pair.value == "on" || pair.value == "off") return pair.value == "on";
  throw ConfigError(pair.place + ": " + std::string(pair.name) + "=" + std::string(pair.value) + "; write on or off");
}

ShapedLine read_line(const IniPair& pair) {
  const std::vector<std::string> words = words_of(pair.value);
  const auto rate = words.size() == 2 ? parse_byte_rate(words[1]) : std::nullopt;
  const bool is_word = !words.empty() && words[0].size() <= 12 && std::ranges::all_of(words[0], [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
  });
  if (rate && is_word) return {words[0], *rate};
  throw ConfigError(pair.place + ": line=" + std::string(pair.value) +
                    "; write a site's name, of at most 12 small letters and digits, and a rate: line=a 100Mbps");
}

std::optional<Role> role_named(const std::string& word) {
  for (const Role role : kCaseRoles) {
    if (word == name(role)) return role;
  }
  return std::nullopt;
}

CaseProcess read_process(const IniPair& pair) {
  const std::vector<std::string> words = words_of(pair.value);
  CaseProcess process;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto role = role_named(words[k]);
    const auto time = parse_seconds(words[k]);
    if (k == 0) {
      process.site = words[k];
    } else if (role) {
      process.roles.push_back(*role);
    } else if (time && *time > Seconds(0) && k + 1 == words.size()) {
      process.step_time = time;
    } else {
      throw ConfigError(pair.place + ": " + in_quotes_of_case(words[k]) +
                        " is no role and no time of an inner step; write process=SITE ROLE... [TIME], "
                        "such as process=a worker 50ms");
    }
  }
  if (process.roles.empty()) throw ConfigError(pair.place + ": a process has a role; write process=a worker 50ms");
  if (process.step_time && !process.has(Role::worker)) {
    throw ConfigError(pair.place + ": only a worker has a time of an inner step; leave it out");
  }
  return process;
}

/// Of a case whose processes have names.
CaseLoss read_loss(const ValidationCase& one, const IniPair& pair) {
  const std::vector<std::string> words = words_of(pair.value);
  const auto after = words.size() == 2 ? parse_seconds(words[1]) : std::nullopt;
  if (!after || *after <= Seconds(0)) {
    throw ConfigError(pair.place + ": " + std::string(pair.name) + "=" + std::string(pair.value) +
                      "; write a process and a time, such as b-0 20s");
  }
  const auto found = std::ranges::find(one.processes, words[0], &CaseProcess::name);
  if (found != one.processes.end() && found->roles == std::vector<Role>{Role::worker}) {
    return {static_cast<std::size_t>(found - one.processes.begin()), *after};
  }
  std::vector<std::string> workers;
  for (const CaseProcess& process : one.processes) {
    if (process.roles == std::vector<Role>{Role::worker}) workers.push_back(process.name);
  }
  throw ConfigError(pair.place + ": " + in_quotes_of_case(words[0]) + " is no process that only works; write " +
                    alternatives(workers));
}

/// As a site's capacity takes it in a simulation: the last one.
CaseLoss read_preemption(const ValidationCase& one, const IniPair& pair) {
  const CaseLoss loss = read_loss(one, pair);
  const CaseProcess& taken = one.processes[loss.process];
  for (std::size_t k = loss.process + 1; k < one.processes.size(); ++k) {
    const CaseProcess& other = one.processes[k];
    if (other.site != taken.site || other.roles != taken.roles) continue;
    throw ConfigError(pair.place + ": of a site's processes that only work the last is preempted; write " + other.name);
  }
  return loss;
}

/// A pair that is kept until its section is whole.
struct HeldPair {
  std::string key;
  std::string value;
  std::string place;

  IniPair pair() const { return {"", key, value, place}; }
};

struct HeldCase {
  std::string name;
  std::string place;
  std::vector<HeldPair> pairs;
};

class CasesReader {
 public:
  explicit CasesReader(std::filesystem::path file) : file_(std::move(file)) {}

  std::vector<ValidationCase> read() {
    read_ini(read_text(file_), file_.string(),
             {.section = [this](const IniSection& section) { begin(section); },
              .pair =
                  [this](const IniPair& pair) {
                    held_.back().pairs.push_back({std::string(pair.name), std::string(pair.value), pair.place});
                  }});
    std::vector<ValidationCase> cases;
    for (const HeldCase& held : held_) {
      if (held.name != kDefaults) cases.push_back(whole(held));
    }
    if (cases.empty()) throw ConfigError(file_.string() + ": no case; write a section [case NAME]");
    return cases;
  }

 private:
  void begin(const IniSection& section) {
    const bool is_default = section.name == kDefaults;
    if (!is_default && (!section.name.starts_with(kCase) || section.name.size() == kCase.size())) {
      throw ConfigError(section.place + ": unknown section [" + std::string(section.name) +
                        "]; write [default] or [case NAME]");
    }
    const std::string name(is_default ? section.name : trim(section.name.substr(kCase.size())));
    if (!is_default && (name == kDefaults || name.find_first_of("/ .") != std::string::npos)) {
      throw ConfigError(section.place + ": [case " + name + "]: a case's name is that of a folder; write one word " +
                        "without dots and slashes, and not \"default\"");
    }
    if (std::ranges::find(held_, name, &HeldCase::name) != held_.end()) {
      throw ConfigError(section.place + ": [" + std::string(section.name) + "] is there twice; write one");
    }
    held_.push_back({.name = name, .place = section.place, .pairs = {}});
  }

  /// Everything but losses, which name processes.
  void take(ValidationCase& one, const IniPair& pair) const {
    const std::vector<std::string> keys{"run",         "set",        "line", "process",  "learn",
                                        "known_lines", "kept_apart", "lost", "preempted"};
    if (pair.name == "run") one.run = file_.parent_path() / pair.value;
    if (pair.name == "set") one.set.emplace_back(pair.value);
    if (pair.name == "line") one.lines.push_back(read_line(pair));
    if (pair.name == "process") one.processes.push_back(read_process(pair));
    if (pair.name == "learn") one.learns = read_switch(pair);
    if (pair.name == "known_lines") one.known_lines = read_switch(pair);
    if (pair.name == "kept_apart") one.apart = read_switch(pair);
    if (std::ranges::find(keys, pair.name) != keys.end()) return;
    throw ConfigError(pair.place + ": unknown key " + in_quotes_of_case(pair.name) + did_you_mean(pair.name, keys));
  }

  static void name_processes(ValidationCase& one, const std::string& place) {
    for (CaseProcess& process : one.processes) {
      if (std::ranges::find(one.lines, process.site, &ShapedLine::site) == one.lines.end()) {
        throw ConfigError(place + ": there is no line of site " + in_quotes_of_case(process.site) +
                          "; write line=" + process.site + " 100Mbps");
      }
      const auto before = std::ranges::count_if(
          one.processes, [&](const CaseProcess& other) { return other.site == process.site && !other.name.empty(); });
      process.name = process.site + "-" + std::to_string(before);
    }
  }

  static void check_case(const ValidationCase& one, const std::string& place) {
    const auto some = [&](Role role) {
      return std::ranges::any_of(one.processes, [&](const CaseProcess& process) { return process.has(role); });
    };
    for (const Role role : {Role::coordinator, Role::worker, Role::executor, Role::store}) {
      if (!some(role)) {
        throw ConfigError(place + ": no process is the " + name(role) + "; write process=SITE " + name(role));
      }
    }
    const CaseProcess& first = one.processes.front();
    if (!first.has(Role::coordinator) || first.site != one.lines.front().site) {
      throw ConfigError(place + ": the first process coordinates, at the first line's site; write process=" +
                        one.lines.front().site + " coordinator store before the others");
    }
    if (one.lines.size() > kMostSites) throw ConfigError(place + ": at most " + std::to_string(kMostSites) + " lines");
    for (const CaseProcess& process : one.processes) {
      if (!process.has(Role::worker) || process.step_time.has_value() != one.learns) continue;
      throw ConfigError(place + ": " + process.name +
                        (one.learns ? " learns, so it takes what it takes; leave its time of an inner step out"
                                    : " needs the time of an inner step; write process=" + process.site +
                                          " worker 50ms, or learn=on"));
    }
    if (one.run.empty()) throw ConfigError(place + ": no run file; write run=FILE.cfg");
  }

  ValidationCase whole(const HeldCase& held) const {
    ValidationCase one{.name = held.name, .text = {}, .lines = {}, .processes = {}, .run = {}, .set = {}};
    std::vector<HeldPair> pairs;
    if (const auto all = std::ranges::find(held_, kDefaults, &HeldCase::name); all != held_.end()) pairs = all->pairs;
    pairs.insert(pairs.end(), held.pairs.begin(), held.pairs.end());
    for (const HeldPair& pair : pairs) {
      take(one, pair.pair());
      if (pair.key != "kept_apart") one.text += pair.key + "=" + pair.value + "\n";
    }
    name_processes(one, held.place);
    check_case(one, held.place);
    for (const HeldPair& pair : pairs) {
      if (pair.key == "lost") one.lost = read_loss(one, pair.pair());
      if (pair.key == "preempted") one.preempted = read_preemption(one, pair.pair());
    }
    return one;
  }

  std::filesystem::path file_;
  std::vector<HeldCase> held_;
};

std::string milliseconds(Seconds time) { return format_number(std::round(1e6 * time.count()) / 1e3); }

}  // namespace

bool CaseProcess::has(Role role) const { return std::ranges::find(roles, role) != roles.end(); }

std::vector<ValidationCase> read_validation_cases(const std::filesystem::path& file) {
  return CasesReader(file).read();
}

std::string described(const ValidationCase& one) {
  std::string text;
  for (const ShapedLine& line : one.lines) {
    text += (text.empty() ? "" : ", ") + line.site + " " + format_number(8e-6 * line.rate.value);
  }
  text += " Mbit/s; workers";
  std::string site;
  for (const CaseProcess& process : one.processes) {
    if (!process.has(Role::worker)) continue;
    text += (site.empty() ? " " : ", ") + (site == process.site ? "" : process.site + " ") +
            (process.step_time ? milliseconds(*process.step_time) : std::string("that learn"));
    site = process.site;
  }
  if (!one.learns) text += " ms";
  const auto add = [&](const std::optional<CaseLoss>& loss, const char* what) {
    if (loss) text += "; " + one.processes[loss->process].name + what + human_seconds(loss->after);
  };
  add(one.lost, " lost after ");
  add(one.preempted, " preempted after ");
  if (one.known_lines) text += "; lines known";
  return text;
}

}  // namespace dipaco
