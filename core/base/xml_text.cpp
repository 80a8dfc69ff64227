#include "core/base/xml_text.hpp"

namespace dipaco {

std::string xml_escaped(std::string_view text) {
  std::string all;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      case '\'':
        all += "&apos;";
        break;
      default:
        all += letter;
    }
  }
  return all;
}

std::string xml_commented(std::string_view text) {
  std::string all;
  for (const char letter : text) all += letter == '-' && all.ends_with('-') ? '_' : letter;
  if (all.ends_with('-')) all.back() = '_';
  return all;
}

}  // namespace dipaco
