#include "core/config/keys.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// Of [model] and [inner], what changes operations or bytes.
constexpr std::pair<std::string_view, std::string_view> kCharged[] = {
    {"model", "blocks"},    {"model", "hidden"}, {"model", "heads"},      {"model", "key_value_heads"},
    {"model", "head_size"}, {"model", "mlp"},    {"model", "vocabulary"}, {"model", "sequence"},
    {"inner", "steps"},     {"inner", "batch"},
};

bool is_charged(const RunKey& key) {
  return std::ranges::find(kCharged, std::pair(key.section, key.name)) != std::end(kCharged);
}

template <class T>
constexpr bool kIsInteger = std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;

std::string bound(double value, std::string_view unit) { return format_number(value) + std::string(unit); }

/// " of at least 1", " above 0s", " from 0 to below 1", or "".
std::string range_text(const Allowed& allowed, std::string_view unit) {
  const bool low = allowed.low > -std::numeric_limits<double>::infinity();
  const bool high = allowed.high < std::numeric_limits<double>::infinity();
  if (low && high) {
    return (allowed.above_low ? " above " : " from ") + bound(allowed.low, unit) +
           (allowed.below_high ? " to below " : " to ") + bound(allowed.high, unit);
  }
  if (low) return (allowed.above_low ? " above " : " of at least ") + bound(allowed.low, unit);
  return "";
}

template <class T>
std::string describe(const RunKey& key, const NamedParts& parts) {
  const Allowed& allowed = key.allowed;
  if constexpr (std::is_same_v<T, bool>) return "on or off";
  if constexpr (std::is_same_v<T, Seconds>)
    return "a time with its unit" + range_text(allowed, "s") + ", as 90s or 5min";
  if constexpr (std::is_same_v<T, std::string>) {
    const auto choices = choices_of(key, parts);
    if (!choices.empty()) return alternatives(choices);
    return allowed.file ? "file names" : "text";
  }
  return (allowed.automatic ? "auto or " : "") + std::string(kIsInteger<T> ? "an integer" : "a number") +
         range_text(allowed, "");
}

/// The value that `text` stands for, or nullopt. @param choices  of a text; empty: any
template <class T>
std::optional<T> read_as(std::string_view text, const std::vector<std::string>& choices) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "on" || text == "off") return text == "on";
    return std::nullopt;
  } else if constexpr (std::is_same_v<T, Seconds>) {
    return parse_seconds(text);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const bool fits = choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
    return fits ? std::optional(std::string(text)) : std::nullopt;
  } else if constexpr (std::is_same_v<T, double>) {
    return parse_number(text);
  } else {
    const auto integer = parse_integer(text);
    return integer ? std::optional(static_cast<T>(*integer)) : std::nullopt;
  }
}

bool in_range(double value, const Allowed& allowed) {
  const bool low = allowed.above_low ? value > allowed.low : value >= allowed.low;
  const bool high = allowed.below_high ? value < allowed.high : value <= allowed.high;
  return low && high;
}

/// Why read_as gave nothing.
template <class T>
std::string misfit(std::string_view text) {
  if constexpr (std::is_same_v<T, Seconds>) return parse_number(text) ? "has no unit" : "is no time";
  if constexpr (kIsInteger<T>) return "is no integer";
  if constexpr (std::is_same_v<T, double>) return "is no number";
  return "is not allowed";
}

template <class T>
bool value_in_range(const T& value, std::string_view text, const Allowed& allowed) {
  if constexpr (std::is_same_v<T, Seconds>) return in_range(value.count(), allowed);
  if constexpr (std::is_same_v<T, double>) return in_range(value, allowed);
  // Read again: a negative seed is none, though its bits are a large unsigned number.
  if constexpr (kIsInteger<T>) return in_range(static_cast<double>(parse_integer(text).value_or(0)), allowed);
  return true;
}

template <class T>
std::string write_as(const T& value, const Allowed& allowed) {
  if constexpr (std::is_same_v<T, bool>) return value ? "on" : "off";
  if constexpr (std::is_same_v<T, Seconds>) return format_number(value.count()) + "s";
  if constexpr (std::is_same_v<T, std::string>) return value;
  if constexpr (std::is_same_v<T, double>) return format_number(value);
  if constexpr (kIsInteger<T>) return allowed.automatic && value == 0 ? "auto" : std::to_string(value);
}

}  // namespace

std::vector<const RunKey*> all_keys(const NamedParts& parts) {
  std::vector<const RunKey*> keys;
  for (const RunKey& key : run_keys()) keys.push_back(&key);
  for (const RunKey& key : parts.keys) keys.push_back(&key);
  return keys;
}

std::vector<std::string> section_names(const NamedParts& parts) {
  std::vector<std::string> names;
  for (const RunKey* key : all_keys(parts)) {
    if (names.empty() || names.back() != key->section) names.emplace_back(key->section);
  }
  names.emplace_back("charge");
  return names;
}

std::vector<const RunKey*> keys_of(std::string_view section, const NamedParts& parts) {
  std::vector<const RunKey*> keys;
  for (const RunKey* key : all_keys(parts)) {
    if (key->section == section || (section == "charge" && is_charged(*key))) keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> choices_of(const RunKey& key, const NamedParts& parts) {
  return key.allowed.names != nullptr ? key.allowed.names(parts) : split(key.allowed.choices, '|');
}

std::optional<std::string> set_value(const RunKey& key, RunConfig& config, std::string_view text) {
  return std::visit(
      [&](auto* slot) -> std::optional<std::string> {
        using T = std::remove_pointer_t<decltype(slot)>;
        const std::string remedy = "; write " + allowed_text(key, *config.parts);
        if constexpr (kIsInteger<T>) {
          if (key.allowed.automatic && text == "auto") {
            *slot = 0;
            return std::nullopt;
          }
        }
        const auto choices = choices_of(key, *config.parts);
        const auto value = read_as<T>(text, choices);
        if (!value) return misfit<T>(text) + did_you_mean(text, choices) + remedy;
        if (!value_in_range(*value, text, key.allowed)) return "is out of range" + remedy;
        *slot = *value;
        return std::nullopt;
      },
      key.slot(config));
}

std::string value_text(const RunKey& key, const RunConfig& config) {
  RunConfig copy = config;  // a slot is for writing, too
  return std::visit([&](const auto* slot) { return write_as(*slot, key.allowed); }, key.slot(copy));
}

std::string allowed_text(const RunKey& key, const NamedParts& parts) {
  RunConfig any;
  return std::visit([&](auto* slot) { return describe<std::remove_pointer_t<decltype(slot)>>(key, parts); },
                    key.slot(any));
}

RunConfig charged_view(const RunConfig& config) {
  RunConfig charged = config;
  if (config.charge) {
    charged.model = config.charge->model;
    charged.inner = config.charge->inner;
  }
  return charged;
}

}  // namespace dipaco
