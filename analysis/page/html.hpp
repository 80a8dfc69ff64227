#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "analysis/table.hpp"

namespace dipaco::analysis {

/// JSON for a script element: no `<`, so that nothing in it ends the element.
std::string script_json(const nlohmann::ordered_json& json);

/// A heading and a table. Each cell that is a quantity has its number in data-n, by which the page's script sorts.
std::string as_html(const Table& table);

}  // namespace dipaco::analysis
