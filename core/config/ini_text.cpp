#include "core/config/ini_text.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

std::string shown(std::string_view text) { return '"' + std::string(text) + '"'; }

/// True where a value holds another `name=`, as in "12 hidden=896". Behind a separator it is a part of the value.
bool holds_pair(std::string_view value) {
  for (auto equals = value.find('='); equals != std::string_view::npos; equals = value.find('=', equals + 1)) {
    const auto before = trim(value.substr(0, equals));
    const auto start = before.find_last_not_of(kNameLetters);
    const bool named = start == std::string_view::npos || start + 1 < before.size();
    if (!named || start == std::string_view::npos || (before[start] != ' ' && before[start] != '\t')) continue;
    const auto ahead = trim(before.substr(0, start));
    if (!ahead.empty() && std::string_view(",;@").find(ahead.back()) == std::string_view::npos) return true;
  }
  return false;
}

void check_value(std::string_view name, std::string_view value, const std::string& place) {
  if (value.find('#') != std::string_view::npos) {
    throw ConfigError(place + ": # inside the value of " + shown(name) +
                      "; a comment has a line of its own, and a value has no #");
  }
  if (holds_pair(value)) {
    throw ConfigError(place + ": two pairs on one line (" + shown(std::string(name) + "=" + std::string(value)) +
                      "); write one key=value a line");
  }
}

std::string read_section(std::string_view line, const std::string& place) {
  if (line.back() != ']') {
    throw ConfigError(place + ": " + shown(line) + " is no section; write [section] on a line of its own");
  }
  return std::string(trim(line.substr(1, line.size() - 2)));
}

}  // namespace

IniPair read_ini_pair(std::string_view line, std::string_view section, const std::string& place) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) {
    throw ConfigError(place + ": " + shown(line) + " has no value; write key=value, or # before a comment");
  }
  const auto name = trim(line.substr(0, equals));
  const auto value = trim(line.substr(equals + 1));
  if (section.empty()) {
    throw ConfigError(place + ": " + shown(name) + " stands before the first section; write [section] above it");
  }
  check_value(name, value, place);
  return {section, name, value, place};
}

void read_ini(std::string_view text, const std::string& file, const IniTaker& take) {
  std::string section;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const auto line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::string place = file + ":" + std::to_string(number);
    if (line.front() == '[') {
      section = read_section(line, place);
      take.section({section, place, number});
      continue;
    }
    IniPair pair = read_ini_pair(line, section, place);
    pair.line = number;
    take.pair(pair);
  }
}

}  // namespace dipaco
