#include "analysis/study/condition.hpp"

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

std::optional<double> read_bound(const std::string& text) {
  if (const auto number = parse_number(text)) return number;
  if (const auto time = parse_seconds(text)) return time->count();
  if (const auto size = parse_bytes(text)) return static_cast<double>(size->value);
  return std::nullopt;
}

}  // namespace

bool Condition::holds(double value) const {
  if (sign == "<") return value < bound;
  if (sign == "<=") return value <= bound;
  return sign == ">" ? value > bound : value >= bound;
}

std::string figure_named(const std::string& name) { return name == "hours" ? "simulated_s" : name; }

Condition parse_condition(const std::string& text) {
  const std::size_t begin = text.find_first_of("<>");
  const std::size_t end = begin == std::string::npos ? begin : text.find_first_not_of("<>=", begin);
  const auto refuse = [&] {
    return ConfigError("\"" + text + "\" is no condition; write FIGURE>=BOUND, such as goodput>=0.9 or simulated_s<2h");
  };
  if (begin == std::string::npos || end == std::string::npos) throw refuse();
  Condition condition{
      .text = text, .figure = std::string(trim(text.substr(0, begin))), .sign = text.substr(begin, end - begin)};
  const auto bound = read_bound(std::string(trim(text.substr(end))));
  const bool known = condition.sign == "<" || condition.sign == "<=" || condition.sign == ">" || condition.sign == ">=";
  if (!known || !bound || condition.figure.empty() || condition.figure.find('=') != std::string::npos) throw refuse();
  if (condition.figure == "hours") throw ConfigError("\"" + text + "\": write it as simulated_s<2h");
  condition.bound = *bound;
  return condition;
}

std::optional<std::vector<double>> values_of(const std::string& figure, const std::vector<SweptRun>& runs) {
  std::vector<double> values;
  for (const SweptRun& run : runs) {
    const auto found = run.summary.find(figure);
    if (found == run.summary.end() || !found->is_number()) return std::nullopt;
    values.push_back(found->get<double>());
  }
  return values.empty() ? std::nullopt : std::optional(std::move(values));
}

std::optional<double> median_of(const Condition& condition, const std::vector<SweptRun>& runs) {
  auto values = values_of(condition.figure, runs);
  return values ? std::optional(spread_of(std::move(*values)).median) : std::nullopt;
}

}  // namespace dipaco::analysis
