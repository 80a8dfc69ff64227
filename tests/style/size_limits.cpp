#include "tests/style/size_limits.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace dipaco::style {
namespace {

namespace fs = std::filesystem;

using Key = std::pair<std::string, std::string>;  ///< what, name

/// Those of one kind and name that belong together: the largest with the largest exception, and so on.
struct SameName {
  std::vector<Size> too_large;
  std::vector<SizeException> exceptions;
};

std::string excepted(const SizeException& exception) {
  return "the exception \"" + exception.what + " " + exception.name + " " + std::to_string(exception.value) + "\"";
}

void compare(SameName& same, int limit, std::vector<std::string>& found) {
  std::ranges::sort(same.too_large, std::ranges::greater{}, &Size::value);
  std::ranges::sort(same.exceptions, std::ranges::greater{}, &SizeException::value);
  for (std::size_t k = 0; k < std::max(same.too_large.size(), same.exceptions.size()); ++k) {
    if (k >= same.too_large.size()) {
      found.push_back(excepted(same.exceptions[k]) + " is not needed: remove it");
      continue;
    }
    const Size& size = same.too_large[k];
    const std::string what = size.what == "room" ? "lines" : size.what;
    const std::string is = size.where + ": " + what + " of " + size.name + ": " + std::to_string(size.value);
    if (k >= same.exceptions.size()) {
      found.push_back(is + ", at most " + std::to_string(limit));
    } else if (size.value > same.exceptions[k].value) {
      found.push_back(is + ", more than " + excepted(same.exceptions[k]) + " allows");
    } else if (size.value < same.exceptions[k].value) {
      found.push_back(is + ", fewer than " + excepted(same.exceptions[k]) + " allows: lower it");
    }
  }
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<SizeException> read_exceptions(std::string_view text) {
  static const std::set<std::string> kKinds{"functions", "members", "lines", "room"};
  std::vector<SizeException> exceptions;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    SizeException exception;
    words >> exception.what >> exception.name >> exception.value >> std::ws;
    std::getline(words, exception.why);
    if (!kKinds.contains(exception.what) || exception.value <= 0 || exception.why.empty()) {
      throw std::runtime_error("line " + std::to_string(number) + ": \"" + line +
                               "\" is no exception: functions, members, lines or room, a name, its size, the reason");
    }
    exceptions.push_back(exception);
  }
  return exceptions;
}

std::vector<std::string> offences(const std::vector<Size>& sizes, const std::map<std::string, int>& limits,
                                  const std::vector<SizeException>& exceptions) {
  std::map<Key, SameName> by_name;
  for (const Size& size : sizes) {
    if (size.value > limits.at(size.what)) by_name[{size.what, size.name}].too_large.push_back(size);
  }
  for (const SizeException& exception : exceptions) {
    by_name[{exception.what, exception.name}].exceptions.push_back(exception);
  }
  std::vector<std::string> found;
  for (auto& [key, same] : by_name) compare(same, limits.at(key.first), found);
  return found;
}

std::vector<Size> product_sizes(const fs::path& root) {
  std::vector<Size> sizes;
  std::map<std::string, int> rooms;
  for (const char* const folder : {"core", "backends", "analysis", "programs"}) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path name = fs::relative(entry.path(), root);
      if (!entry.is_regular_file() || (name.extension() != ".cpp" && name.extension() != ".hpp")) continue;
      const std::string text = read_text(entry.path());
      rooms[name.parent_path().string()] += static_cast<int>(std::ranges::count(text, '\n'));
      std::ranges::move(sizes_in(text, name.string()), std::back_inserter(sizes));
    }
  }
  for (const auto& [room, lines] : rooms) sizes.push_back({"room", room, lines, room});
  return sizes;
}

}  // namespace dipaco::style
