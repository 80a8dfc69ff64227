#include "tests/includes/source_tree.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

namespace dipaco::house {
namespace {

namespace fs = std::filesystem;

// core's folders, lowest layer first.
const std::vector<std::set<std::string>> kLayers{
    {"base"},
    {"model", "data", "events", "report/attempts"},
    {"report/accounts"},
    {"outer", "routing", "transport", "compute", "storage", "trainer", "faults", "report", "queue/waiting"},
    {"config", "eval", "checkpoint", "preflight"},
    {"prepare"},
    {"plan"},
    {"state", "queue", "coordinator/tables"},
    {"queue/places"},
    {"roles/modules", "roles/supplies"},
    {"coordinator", "coordinator/known", "roles"},
    {"replay"},
};
// Includes all that core/prepare may; nobody knows it: programs load it.
constexpr std::string_view kTorchFolder = "core/nn";
constexpr std::string_view kTorchLayer = "prepare";

// What a program may include beside core, programs/shared and its own folder.
const std::map<std::string, std::vector<std::string>> kProgramParts{
    {"programs/dipaco", {"programs/dipaco/init"}},
    {"programs/dipaco_run", {"backends/gloo", "backends/loopback", "analysis"}},
    {"programs/dipaco_sim", {"backends/sim", "analysis", "programs/dipaco_sim/shared", "programs/dipaco_sim/studies"}},
    {"programs/dipaco_sim/shared", {"backends/sim"}},
    {"programs/dipaco_sim/studies", {"backends/sim", "analysis", "programs/dipaco_sim/shared"}},
    {"programs/dipaco_report", {"analysis"}},
};

// The folders inside a backend's own, lowest first. The backend's own folder is above them.
struct Rooms {
  std::string_view backend;
  std::vector<std::string_view> names;
};
const std::array<Rooms, 2> kRooms{{
    {"backends/gloo", {"links/sealing", "links/streams", "links", "meeting", "network", "status", "shaped"}},
    {"backends/sim",
     {"timeline", "scenario", "platform", "costs", "fleet", "engine", "machines", "network", "data_parallel"}},
}};

struct Library {
  std::string_view name;
  std::string_view home;  // the one folder that includes it, with those inside it
  std::vector<std::string_view> prefixes;
  std::string_view except{};  // of the folders inside home, one that does not
};
const std::array<Library, 3> kLibraries{{
    {"torch", kTorchFolder, {"torch/", "ATen/", "c10/", "caffe2/"}},
    {"simgrid", "backends/sim", {"simgrid/", "xbt/", "smpi/"}, "backends/sim/scenario"},
    {"gloo", "backends/gloo", {"gloo/"}},
}};

struct Include {
  std::string from;  // folder of the including file, "core/outer"
  std::string to;    // as written between the quotes or brackets
  std::string line;  // "core/outer/nesterov.cpp:3"
  bool quoted{};
};

std::vector<fs::path> files_below(const fs::path& root, std::span<const std::string_view> folders,
                                  std::span<const std::string_view> endings) {
  std::vector<fs::path> files;
  for (const auto folder : folders) {
    if (!fs::exists(root / folder)) {
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto name = entry.path().filename().string();
      if (entry.is_regular_file() && std::ranges::any_of(endings, [&](auto end) { return name.ends_with(end); })) {
        files.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Include> includes_of(const fs::path& root, const fs::path& file) {
  std::vector<Include> found;
  std::istringstream lines(read(file));
  const auto name = fs::relative(file, root);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.erase(0, line.find_first_not_of(" \t"));
    const auto open = line.find_first_of("\"<");
    if (!line.starts_with('#') || line.find("include") == std::string::npos || open == std::string::npos) {
      continue;
    }
    const auto close = line.find_first_of("\">", open + 1);
    found.push_back({name.parent_path().string(), line.substr(open + 1, close - open - 1),
                     name.string() + ":" + std::to_string(number), line[open] == '"'});
  }
  return found;
}

// "core/outer/nesterov.hpp" -> "core/outer"; "analysis/csv.hpp" -> "analysis".
std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

std::optional<std::size_t> layer_of(const std::string& folder) {
  const auto name = folder == kTorchFolder ? std::string(kTorchLayer) : folder.substr(folder.find('/') + 1);
  const auto layer = std::ranges::find_if(kLayers, [&](const auto& names) { return names.contains(name); });
  return layer == kLayers.end() ? std::nullopt : std::optional<std::size_t>(layer - kLayers.begin());
}

std::string core_rule(const Include& include, const std::string& to) {
  if (!to.starts_with("core/")) {
    return "core includes only core";
  }
  const auto from_layer = layer_of(include.from);
  const auto to_layer = layer_of(to);
  if (!from_layer || !to_layer) {
    return (from_layer ? to : include.from) + " is in no layer: name it in tests/includes/source_tree.cpp";
  }
  const bool to_torch = to == kTorchFolder && include.from != kTorchFolder;
  const bool torch_beside = include.from == kTorchFolder && to != kTorchFolder && *from_layer == *to_layer;
  return *to_layer > *from_layer || to_torch || torch_beside ? include.from + " lies below " + to + " or beside it"
                                                             : "";
}

bool is_in(const std::string& folder, std::string_view home) {
  return folder.starts_with(home) && (folder.size() == home.size() || folder[home.size()] == '/');
}

std::string program_rule(const std::string& from, const std::string& to) {
  const auto parts = kProgramParts.find(from);
  const bool its = parts != kProgramParts.end() &&
                   std::ranges::any_of(parts->second, [&](const std::string& part) { return is_in(to, part); });
  const bool known = its || to == "programs/shared" || to.starts_with("core/");
  return known ? ""
               : from + " includes only core, programs/shared and what tests/includes/source_tree.cpp names for it";
}

// Of a folder inside a backend's: "backends/gloo/links" -> 0, "backends/gloo" -> the number of its folders.
std::optional<std::size_t> room_of(const Rooms& rooms, const std::string& folder) {
  if (folder == rooms.backend) {
    return rooms.names.size();
  }
  const auto room = std::ranges::find(rooms.names, folder.substr(rooms.backend.size() + 1));
  return room == rooms.names.end() ? std::nullopt : std::optional<std::size_t>(room - rooms.names.begin());
}

// Between two folders of one backend.
std::string room_rule(const Rooms& rooms, const std::string& from, const std::string& to) {
  const auto from_room = room_of(rooms, from);
  const auto to_room = room_of(rooms, to);
  if (!from_room || !to_room) {
    return (from_room ? to : from) + " has no place: name it in tests/includes/source_tree.cpp";
  }
  return *to_room > *from_room ? from + " lies below " + to : "";
}

// The rule that a quoted include breaks, or "".
std::string own_rule(const fs::path& root, const Include& include) {
  const auto to = folder_of(include.to);
  if (!fs::exists(root / include.to)) {
    return "no such file: write the path from the root of the project";
  }
  if (include.from == to) {
    return "";
  }
  if (include.from.starts_with("core/")) {
    return core_rule(include, to);
  }
  if (include.from.starts_with("analysis")) {
    // study and fidelity lie above analysis, page above study, too, and figures above all of these.
    const bool study =
        (is_in(include.from, "analysis/study") || is_in(include.from, "analysis/fidelity")) && to == "analysis";
    const bool page = is_in(include.from, "analysis/page") && (to == "analysis" || to == "analysis/study");
    const bool figures = is_in(include.from, "analysis/figures") &&
                         (to == "analysis" || to == "analysis/study" || to == "analysis/page");
    return to == "core/base" || study || page || figures ? "" : "analysis includes only core/base";
  }
  if (include.from.starts_with("programs/")) {
    return program_rule(include.from, to);
  }
  for (const auto& rooms : kRooms) {
    if (is_in(include.from, rooms.backend) && is_in(to, rooms.backend)) {
      return room_rule(rooms, include.from, to);
    }
  }
  return to.starts_with("core/") ? "" : "a backend includes only itself and core";
}

std::string library_rule(const Include& include) {
  for (const auto& library : kLibraries) {
    const bool its = std::ranges::any_of(library.prefixes, [&](auto prefix) { return include.to.starts_with(prefix); });
    if (its && !is_in(include.from, library.home)) {
      return "only " + std::string(library.home) + " includes " + std::string(library.name);
    }
    if (its && include.from == library.except) {
      return include.from + " does without " + std::string(library.name);
    }
  }
  return "";
}

constexpr std::array<std::string_view, 4> kProduct{"core", "backends", "analysis", "programs"};
constexpr std::array<std::string_view, 8> kOurs{"core",  "backends", "analysis", "programs",
                                                "tests", "examples", "scripts",  "cmake"};
constexpr std::array<std::string_view, 2> kCode{".cpp", ".hpp"};
constexpr std::array<std::string_view, 7> kText{".cpp", ".hpp", ".h", ".cmake", "CMakeLists.txt", ".sh", ".py"};

}  // namespace

std::vector<std::string> forbidden_includes(const fs::path& root) {
  std::vector<std::string> found;
  std::set<std::pair<std::string, std::string>> edges;
  for (const auto& file : files_below(root, kProduct, kCode)) {
    for (const auto& include : includes_of(root, file)) {
      auto rule = library_rule(include);
      if (rule.empty() && include.quoted) {
        const auto to = folder_of(include.to);
        rule = own_rule(root, include);
        edges.emplace(include.from, to);
        if (rule.empty() && include.from != to && edges.contains({to, include.from})) {
          rule = include.from + " and " + to + " include each other";
        }
      }
      if (!rule.empty()) {
        found.push_back(include.line + ": " + include.to + ": " + rule);
      }
    }
  }
  return found;
}

std::vector<std::string> long_files(const fs::path& root, int most) {
  std::vector<std::string> found;
  for (const auto& file : files_below(root, kOurs, kText)) {
    const auto lines = std::ranges::count(read(file), '\n');
    if (lines > most) {
      found.push_back(fs::relative(file, root).string() + ": " + std::to_string(lines) + " lines");
    }
  }
  return found;
}

std::vector<std::string> unlisted_files(const fs::path& root) {
  constexpr std::array<std::string_view, 5> folders{"core", "backends", "analysis", "programs", "tests"};
  constexpr std::array<std::string_view, 1> units{".cpp"};
  std::vector<std::string> found;
  for (const auto& file : files_below(root, folders, units)) {
    if (read(file.parent_path() / "CMakeLists.txt").find(file.filename().string()) == std::string::npos) {
      found.push_back(fs::relative(file, root).string());
    }
  }
  return found;
}

std::vector<std::string> types_defined_twice(const fs::path& root) {
  constexpr std::array<std::string_view, 1> headers{".hpp"};
  const std::regex type(R"(^(?:class|struct|enum class|enum) ([A-Z]\w*)(?: final)? ?(?:: [^;]*)?\{)");
  std::map<std::string, std::string> homes;
  std::vector<std::string> found;
  for (const auto& file : files_below(root, kProduct, headers)) {
    std::istringstream lines(read(file));
    const auto name = fs::relative(file, root).string();
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, type)) continue;
      const auto [home, first] = homes.emplace(match[1], name);
      if (!first && home->second != name) found.push_back(match[1].str() + ": " + home->second + ", " + name);
    }
  }
  return found;
}

}  // namespace dipaco::house
