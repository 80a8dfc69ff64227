#include "core/storage/storage.hpp"

#include "core/base/error.hpp"

namespace dipaco {

void check_key(const std::string& key) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  bool fits = key.find_first_not_of(kLetters) == std::string::npos && !key.ends_with(".part");
  std::string_view rest = key;
  for (bool last = false; !last;) {
    const auto end = rest.find('/');
    const auto part = rest.substr(0, end);
    fits = fits && !part.empty() && part != "." && part != "..";
    last = end == std::string_view::npos;
    if (!last) rest.remove_prefix(end + 1);
  }
  check(fits, "\"" + key + "\" is a key of a storage");
}

}  // namespace dipaco
