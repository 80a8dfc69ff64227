#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dipaco::style {

/// One word, number, literal or sign of a C++ source.
struct Token {
  std::string text;  ///< of a literal: "\"\"", whatever stands in it
  int line = 0;      ///< from 1: where it begins
};

/// The tokens of `source`, without comments and preprocessor lines. "::", "->", and the "[[" and "]]" of an attribute
/// are one token each; every other sign is one character, so that ">>" is two.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace dipaco::style
