#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// The parts of `text` between `separator`s, each trimmed. Blank text has no parts; a part may be empty.
std::vector<std::string> split(std::string_view text, char separator);
/// `text` without spaces, tabs and carriage returns at both ends: a view into it.
std::string_view trim(std::string_view text);

/// The whole of `text` as a number, or nullopt (empty, trailing characters, out of range, not finite).
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

/// "90s", "50ms", "2min" or "2m", "1.5h", "3d", also us and ns. The number may be negative.
/// Nullopt where the unit is missing or unknown.
std::optional<Seconds> parse_seconds(std::string_view text);
/// "2GiB", "64KiB" (powers of 1024), "10MB", "10kB" (powers of 1000), "5B". Cuts off a fraction of a byte.
/// Nullopt where the unit is missing or unknown, or the number negative or above 2^63 bytes.
std::optional<Bytes> parse_bytes(std::string_view text);

/// "300Mbps" (bits), "2GBps" (bytes), with k, M, G, T or none, or Ki, Mi, Gi, Ti. Nullopt where the unit is missing or
/// unknown, or the rate is not above 0.
std::optional<BytesPerSecond> parse_byte_rate(std::string_view text);

/// Shortest decimal form that reads back to the same double, the same on every run ("0.1", "1e-05").
std::string format_number(double value);
/// With a fixed number of digits after the point.
std::string format_fixed(double value, int digits);
/// For a person, three digits or two units, not below 0: "350 ms", "12.3 s", "4 min 05 s", "2 h 14 min", "3 d 04 h".
std::string human_seconds(Seconds seconds);
/// For a person, three digits, powers of 1000: "512 B", "1.23 MB", "45.6 GB".
std::string human_bytes(Bytes bytes);
/// With a comma between each three digits: "1,234,567".
std::string human_count(std::int64_t count);

/// For a person's screen: each control character of ASCII is a space.
std::string on_one_line(std::string_view text);

/// "a, b or c".
std::string alternatives(std::span<const std::string> names);
/// The known name with the fewest edits from `name` (letters put in, left out or replaced), the first of several.
/// "" where all need more than half as many edits as `name` has letters, and more than two.
std::string nearest_name(std::string_view name, std::span<const std::string> known);
/// `; did you mean "X"?` or "" : the tail of an error about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace dipaco
