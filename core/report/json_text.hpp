#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/report/report.hpp"

namespace dipaco {

/// `value` as a JSON string, at the end of `text`. Bytes that are not UTF-8 become U+FFFD: others' files name hosts.
void append_json(std::string& text, std::string_view value);

/// A flat object, a key a line, sorted; numbers in their shortest form. Values that are not finite are left out.
std::string json_object(const std::map<std::string, Fact>& facts);

}  // namespace dipaco
