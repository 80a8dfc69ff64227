#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/data/corpus.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

bool has_wildcard(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

/// Whether `pattern` (`*`: any characters, `?`: any one byte) stands for `name`.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, after_star = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// Adds the files below `folder` that `parts`, the names of a path, stand for.
void expand(const fs::path& folder, std::span<const fs::path> parts, std::vector<fs::path>& found) {
  std::error_code error;
  if (parts.empty()) {
    if (fs::is_regular_file(folder, error)) found.push_back(folder);
    return;
  }
  const std::string part = parts.front().string();
  if (!has_wildcard(part)) return expand(folder / part, parts.subspan(1), found);
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    const fs::path name = entry.path().filename();
    const bool hidden = name.string().starts_with('.') && !part.starts_with('.');
    if (!hidden && matches(part, name.string())) expand(folder / name, parts.subspan(1), found);
  }
}

}  // namespace

std::vector<fs::path> find_files(const std::string& patterns, const fs::path& folder) {
  std::vector<fs::path> files;
  std::set<fs::path> taken;  // without links and dots
  for (const std::string& pattern : split(patterns, ',')) {
    const fs::path name(pattern);
    const fs::path relative = name.relative_path();
    const std::vector<fs::path> parts(relative.begin(), relative.end());
    std::vector<fs::path> found;
    expand(name.is_absolute() ? name.root_path() : folder, parts, found);
    if (pattern.empty() || found.empty()) {
      const std::string where = name.is_absolute() ? "" : " in " + fs::absolute(folder.empty() ? "." : folder).string();
      throw DataError("\"" + pattern + "\" names no file" + where + "; check the name, or quote the pattern");
    }
    std::sort(found.begin(), found.end());
    for (fs::path& file : found) {
      std::error_code error;
      const fs::path place = fs::canonical(file, error);
      if (taken.insert(error ? file : place).second) files.push_back(std::move(file));
    }
  }
  if (files.empty()) throw DataError("no corpus is named; give files or patterns, comma-separated");
  return files;
}

}  // namespace dipaco
