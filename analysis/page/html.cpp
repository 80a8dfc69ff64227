#include "analysis/page/html.hpp"

#include <optional>

#include "analysis/page/charts.hpp"
#include "core/base/text.hpp"
#include "core/base/xml_text.hpp"

namespace dipaco::analysis {
namespace {

std::string cell(const Value& value, bool heads_row) {
  const auto number = value.unit == Unit::text ? quantity_of(value.words) : value.number;
  std::string out = heads_row ? "<th scope=row" : "<td";
  if (value.unit != Unit::text) out += " class=n";
  if (number) out += " data-n=" + format_number(rounded(*number));
  return out + ">" + xml_escaped(for_person(value));
}

}  // namespace

std::string script_json(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string as_html(const Table& table) {
  const std::string id = "table-" + xml_escaped(table.key);
  std::string out = "<h3 id=\"" + id + "-title\">" + xml_escaped(table.title) + "</h3>\n<div class=table><table id=\"" +
                    id + "\" aria-labelledby=\"" + id + "-title\">\n<thead><tr>";
  for (const auto& column : table.columns) out += "<th scope=col>" + xml_escaped(column.heading) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) out += cell(row[k], k == 0);
    out += '\n';
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace dipaco::analysis
