#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/style/tokens.hpp"

namespace dipaco::style {

using Tokens = std::vector<Token>;

/// Stands in a head for what was between two braces.
inline constexpr const char* kBraces = "{}";

// A head is what stands before the ';' of a declaration or the '{' of a definition. Those below are plain ones.

/// The head without attributes, template parameters and arguments, and without what `decltype`, `alignas`, `explicit`
/// and `requires` have in parentheses.
Tokens plain(const Tokens& head);

bool is_name(const std::string& text);
bool has(const Tokens& head, const std::string& text);

/// Where the first parenthesis of a function is, that of `operator()` too; the head's size where it is none of a
/// function's.
std::size_t parameters_at(const Tokens& head);
inline bool is_function(const Tokens& head) { return parameters_at(head) < head.size(); }
/// "Coordinator::receive"; "X::operator" of every operator.
std::string function_name(const Tokens& head);
/// Whether the '{' that follows initialises a member in a constructor's list, rather than begins its body.
bool in_initialiser_list(const Tokens& head);

bool is_class(const Tokens& head);
/// Whether the head is all of a declaration without a definition: "class Coordinator".
bool only_names_class(const Tokens& head);
/// "Ownership::Entry".
std::string class_name(const Tokens& head);

/// How many data members the head of a declaration that is no function's declares.
int declarators(const Tokens& head);

}  // namespace dipaco::style
