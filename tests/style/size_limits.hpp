#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/style/sizes.hpp"

namespace dipaco::style {

/// What is allowed although it is above its limit.
struct SizeException {
  std::string what;  ///< as Size::what
  std::string name;
  int value = 0;  ///< how large it is
  std::string why;
};

/// Reads "WHAT NAME VALUE REASON", a line each, such as "functions Coordinator 91 to be parted by duty". Empty lines,
/// and those that begin with '#', say nothing.
/// @throws std::runtime_error with the line's number where a line is none of these, or gives no reason
std::vector<SizeException> read_exceptions(std::string_view text);

/// What is wrong, a line each: what is above its limit and has no exception, what has grown since its exception was
/// written, an exception that allows more than there is, and one that is not needed. Where several of one kind have the
/// same name, each needs an exception.
/// @param limits  the most that is allowed, by Size::what
std::vector<std::string> offences(const std::vector<Size>& sizes, const std::map<std::string, int>& limits,
                                  const std::vector<SizeException>& exceptions);

/// The sizes of all classes, functions and rooms of the product below `root`: core/, backends/, analysis/ and
/// programs/, those that are there. A room is a folder with .cpp or .hpp files in it; their lines are its size.
std::vector<Size> product_sizes(const std::filesystem::path& root);

}  // namespace dipaco::style
