#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace dipaco {

/// "1,234".
std::string count(std::uint64_t number);
/// "12 %"; empty where the whole is nothing.
std::string percent(double part, double whole);

/// A page as it grows. What comes from outside goes in by text() alone.
class Page {
 public:
  Page& markup(const char* as_it_is) {
    html_ += as_it_is;
    return *this;
  }
  Page& text(std::string_view words);
  /// A named value, and in small letters what belongs to it.
  Page& fact(const char* name, std::string_view value, std::string_view more = "");
  Page& bar(double part, double whole);
  std::string take() { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace dipaco
