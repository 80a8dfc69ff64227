#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dipaco::house {

/// What the sources under `root` do that the architecture forbids, one line each: file:line, what it is, the rule.
///
/// The rules (docs/architecture.md): inside core/ a folder includes folders of its own layer or below, and two never
/// each other; only core/nn includes torch, only backends/sim simgrid, only backends/gloo gloo; inside a backend a
/// folder includes those below it, and the backend's own folder all of them; backends do not know each other; core/
/// knows neither backends/ nor analysis/ nor programs/; analysis/ knows core/base alone; a program knows core/,
/// programs/shared and its own backends; a quoted include is the path of a file from `root`.
std::vector<std::string> forbidden_includes(const std::filesystem::path& root);

/// Files of ours under `root` with more than `most` lines.
std::vector<std::string> long_files(const std::filesystem::path& root, int most);

/// The .cpp files of ours under `root` that the CMakeLists.txt beside them does not name, so that nobody compiles them.
std::vector<std::string> unlisted_files(const std::filesystem::path& root);

/// Types that two headers of the product define, a line each. All are in one namespace, so a program that links both
/// has one definition for the two, without a word from the linker.
std::vector<std::string> types_defined_twice(const std::filesystem::path& root);

}  // namespace dipaco::house
