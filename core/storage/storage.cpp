#include "core/storage/storage.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

void check_key(const std::string& key) {
  constexpr auto kIsLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= '9') || c == '_';  // with . and /
  };
  bool fits = std::ranges::all_of(key, kIsLetter) && !key.ends_with(".part");
  std::string_view rest = key;
  for (bool last = false; !last;) {
    const auto end = rest.find('/');
    const auto part = rest.substr(0, end);
    fits = fits && !part.empty() && part != "." && part != "..";
    last = end == std::string_view::npos;
    if (!last) rest.remove_prefix(end + 1);
  }
  if (!fits) check(false, "\"" + key + "\" is a key of a storage");
}

}  // namespace dipaco
