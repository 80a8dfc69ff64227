#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// `text` in lines of at most `width` bytes: parted at spaces, and within a word that is longer than a line, but never
/// within a character of UTF-8. Nothing is left out but the spaces at which it is parted. At least one line.
/// REQUIRES width >= 4: that a character fits.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The first `most` parts of a list "a, b, c", and how many more there are.
std::string first_of_list(std::string_view list, std::size_t most);

}  // namespace dipaco
