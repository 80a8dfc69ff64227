#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dipaco::style {

/// How large something is that has a limit.
struct Size {
  std::string what;   ///< "functions" or "members" of a class, "lines" of a function, "room": lines of a folder
  std::string name;   ///< "Coordinator", "Coordinator::receive", "core/runtime"; no namespaces
  int value = 0;      ///< how many
  std::string where;  ///< file:line, of a room the folder
  friend bool operator==(const Size&, const Size&) = default;
};

/// The sizes of each class that `source` defines, and of each function.
///
/// - functions: all that the class declares or defines, constructors, overloads and operators too. Not those that are
///   deleted or defaulted, and not its friends.
/// - members: data members that are not public, without static ones. A class whose data are public is a record: it has
///   as many fields as what it records.
/// - lines: from a function's opening brace to its closing one, 0 where both are in one line, as clang-tidy counts. A
///   lambda, and a class that is defined in a function, are a part of that function. All operators are "operator".
///
/// The source is read as text, not compiled: macros are not expanded, and both sides of an #if are read. It takes what
/// clang-format leaves: no K&R parameters, no function pointers among a class's functions.
/// @param file  for Size::where
std::vector<Size> sizes_in(std::string_view source, const std::string& file);

}  // namespace dipaco::style
