#pragma once

#include <string>
#include <string_view>

namespace dipaco {

/// `text` as an attribute's value has it, between double or single quotes.
std::string xml_escaped(std::string_view text);
/// `text` as a part of a comment, which has no two dashes in a row and ends with none.
std::string xml_commented(std::string_view text);

}  // namespace dipaco
