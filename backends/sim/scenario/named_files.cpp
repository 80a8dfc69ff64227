#include "backends/sim/scenario/named_files.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace dipaco {
namespace {

constexpr std::array<std::string_view, 3> kFileProps{"run", "preemption", "bandwidth_over_time"};

bool is_there(const std::filesystem::path& place) {
  std::error_code error;
  return std::filesystem::is_regular_file(place, error);
}

}  // namespace

bool is_file_prop(std::string_view name) { return std::ranges::find(kFileProps, name) != kFileProps.end(); }

bool is_profile(std::string_view attribute) { return attribute == "file" || attribute.ends_with("_file"); }

std::optional<std::filesystem::path> place_of_profile(const ScenarioFile& file, const std::string& name) {
  for (const std::filesystem::path& place : {std::filesystem::path(name), file.path().parent_path() / name}) {
    if (is_there(place)) return place;
  }
  return std::nullopt;
}

std::vector<NamedFile> named_files(const ScenarioFile& file) {
  std::vector<NamedFile> files;
  const auto add = [&](const std::string& by, const std::string& name,
                       const std::optional<std::filesystem::path>& place) {
    if (name.empty() || !place || !is_there(*place)) return;
    if (std::ranges::find(files, name, &NamedFile::name) == files.end()) files.push_back({by, name, *place});
  };
  for (const ScenarioElement& element : file.elements()) {
    for (const auto& [attribute, value] : element.attributes) {
      if (is_profile(attribute)) add(attribute, value, place_of_profile(file, value));
    }
    for (const ScenarioProp& prop : element.props) {
      if (is_file_prop(prop.name)) add(prop.name, prop.value, file.path().parent_path() / prop.value);
    }
  }
  return files;
}

}  // namespace dipaco
