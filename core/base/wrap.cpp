#include "core/base/wrap.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

bool inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Where the first line of `text`, which is longer than `width`, ends.
std::size_t line_end(std::string_view text, std::size_t width) {
  const std::size_t space = text.rfind(' ', width);
  if (space != std::string_view::npos && text.find_first_not_of(' ') < space) return space;
  std::size_t end = width;
  while (end > 1 && inside_character(text[end])) --end;
  return end;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  check(width >= 4, "a character fits into a line");
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t end = line_end(text, width);
    const std::string_view line = text.substr(0, end);
    lines.emplace_back(line.substr(0, line.find_last_not_of(' ') + 1));
    text = text.substr(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  if (lines.empty() || !text.empty()) lines.emplace_back(text);
  return lines;
}

std::string first_of_list(std::string_view list, std::size_t most) {
  const std::vector<std::string> parts = split(list, ',');
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) text += (i > 0 ? ", " : "") + parts[i];
  return parts.size() > most ? text + " and " + std::to_string(parts.size() - most) + " more" : text;
}

}  // namespace dipaco
