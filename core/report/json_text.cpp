#include "core/report/json_text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/csv_writer.hpp"

namespace dipaco {
namespace {

void append_fact(std::string& text, const Fact& fact) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) {
          text += value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
          append_json(text, value);
        } else {
          append_number(text, value);
        }
      },
      fact);
}

bool has_value(const Fact& fact) {
  const double* number = std::get_if<double>(&fact);
  return number == nullptr || std::isfinite(*number);
}

}  // namespace

void append_json(std::string& text, std::string_view value) {
  text += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_object(const std::map<std::string, Fact>& facts) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, fact] : facts) {
    if (!has_value(fact)) continue;
    text += separator;
    text += "  ";
    append_json(text, key);
    text += ": ";
    append_fact(text, fact);
    separator = ",\n";
  }
  return text + "\n}\n";
}

}  // namespace dipaco
