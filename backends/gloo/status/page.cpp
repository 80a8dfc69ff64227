#include "backends/gloo/status/page.hpp"

#include <algorithm>

#include "backends/gloo/status/status.hpp"
#include "core/base/text.hpp"

namespace dipaco {

std::string count(std::uint64_t number) { return human_count(static_cast<std::int64_t>(number)); }

std::string percent(double part, double whole) {
  if (whole <= 0) return "";
  const double share = 100 * part / whole;
  if (share > 0 && share < 0.1) return "< 0.1 %";
  return format_fixed(share, share < 10 ? 1 : 0) + " %";
}

Page& Page::text(std::string_view words) {
  for (const char letter : as_utf8(words)) {
    switch (letter) {
      case '&':
        html_ += "&amp;";
        break;
      case '<':
        html_ += "&lt;";
        break;
      case '>':
        html_ += "&gt;";
        break;
      case '"':
        html_ += "&quot;";
        break;
      case '\'':
        html_ += "&#39;";
        break;
      default:
        html_ += letter;
    }
  }
  return *this;
}

Page& Page::fact(const char* name, std::string_view value, std::string_view more) {
  markup("<div><dt>").text(name).markup("</dt><dd>").text(value);
  if (!more.empty()) markup(" <small>").text(more).markup("</small>");
  return markup("</dd></div>\n");
}

Page& Page::bar(double part, double whole) {
  return markup("<progress max=\"1000\" value=\"")
      .text(std::to_string(whole > 0 ? static_cast<int>(1000 * std::clamp(part / whole, 0.0, 1.0)) : 0))
      .markup("\">")
      .text(percent(part, whole))
      .markup("</progress>");
}

}  // namespace dipaco
