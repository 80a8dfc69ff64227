#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dipaco {

/// Where `text` first leaves UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), in bytes.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Code points of valid UTF-8.
std::size_t count_characters(std::string_view text);

}  // namespace dipaco
