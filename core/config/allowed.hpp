#pragma once

#include <string_view>

#include "core/base/named.hpp"
#include "core/config/key.hpp"
#include "core/config/named_parts.hpp"
#include "core/outer/gradient_format.hpp"

namespace dipaco {

// What values of keys are allowed, for rows of the key table.

constexpr Allowed at_least(double low) { return {.low = low}; }
constexpr Allowed from_0_to(double high) { return {.low = 0, .high = high}; }
constexpr Allowed auto_or_at_least(double low) { return {.low = low, .automatic = true}; }
constexpr Allowed above(double low) { return {.low = low, .above_low = true}; }
constexpr Allowed from_0_to_below_1() { return {.low = 0, .high = 1, .below_high = true}; }
constexpr Allowed above_0_to_1() { return {.low = 0, .high = 1, .above_low = true}; }
constexpr Allowed one_of(std::string_view choices) { return {.choices = choices}; }
/// Those of this project, and the program's own.
constexpr Allowed policy_names() {
  return {.names = [](const NamedParts& parts) { return names_of(parts.policies); }};
}
constexpr Allowed optimizer_names() {
  return {.names = [](const NamedParts& parts) {
    auto names = names_of(parts.optimizers);
    names.insert(names.begin(), "auto");
    return names;
  }};
}
constexpr Allowed method_names() {
  return {.names = [](const NamedParts& parts) { return fitted_methods(parts.routers); }};
}
constexpr Allowed schedule_names() {
  return {.names = [](const NamedParts& parts) { return names_of(parts.schedules); }};
}
constexpr Allowed format_names() {
  return {.names = [](const NamedParts& /*parts*/) { return gradient_format_names(); }};
}
constexpr Allowed files() { return {.file = true}; }

}  // namespace dipaco
