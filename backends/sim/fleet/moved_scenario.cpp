#include "backends/sim/fleet/moved_scenario.hpp"

#include <algorithm>
#include <system_error>

#include "backends/sim/scenario/named_files.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/xml_text.hpp"

namespace dipaco {
namespace {

bool names_file(const ScenarioElement& element, const std::string& attribute) {
  if (element.kind == "prop") return attribute == "value" && is_file_prop(element.id());
  return is_profile(attribute);
}

/// Where the scenario was, and where it goes.
struct Move {
  std::filesystem::path from;
  std::filesystem::path to;

  /// A file's name for the new place; as it is where it names none.
  std::string name(const std::string& value) const {
    std::error_code error;
    if (value.empty() || !std::filesystem::is_regular_file(from / value, error)) return value;
    return std::filesystem::relative(from / value, to).string();
  }
  std::string text(const ScenarioChange& change) const {
    if (!is_file_prop(change.what)) return change.text;
    return change.text.substr(0, change.text.size() - change.value.size()) + name(change.value);
  }
};

std::string joined(const std::vector<ScenarioChange>& own, const std::vector<ScenarioChange>& more, const Move& move) {
  std::string all;
  for (const auto* const changes : {&own, &more}) {
    for (const ScenarioChange& change : *changes) all += (all.empty() ? "" : "; ") + move.text(change);
  }
  return all;
}

}  // namespace

std::string moved_scenario(const ScenarioFile& file, const std::vector<ScenarioChange>& changes,
                           const std::filesystem::path& folder) {
  std::string text = read_text(file.path());
  const Move move{std::filesystem::absolute(file.path()).parent_path(), folder};
  const std::string all = joined(said_changes(file), changes, move);
  const auto& elements = file.elements();
  const auto root = std::ranges::find_if(elements, [](const auto& one) { return one.is_zone() && one.depth == 1; });
  check(root != elements.end(), "a scenario has a root zone");
  const auto own = std::ranges::find_if(
      elements, [](const auto& one) { return one.kind == "prop" && one.depth == 2 && one.id() == "changes"; });
  const auto said = static_cast<std::size_t>(own - elements.begin());
  const bool adds = own == elements.end() && !all.empty();
  // From the end on, so that places before stay where they are.
  bool added = !adds;
  for (auto place = file.places().rbegin(); place != file.places().rend(); ++place) {
    const ScenarioElement& element = elements[place->element];
    if (!added && place->begin < root->end) {
      text.insert(root->end + 1, "\n    <prop id=\"changes\" value=\"" + xml_escaped(all) + "\"/>");
      added = true;
    }
    if (place->element == said && place->attribute == "value")
      text.replace(place->begin, place->length, xml_escaped(all));
    if (!names_file(element, place->attribute)) continue;
    const std::string value = element.attribute(place->attribute);
    if (const std::string moved = move.name(value); moved != value)
      text.replace(place->begin, place->length, xml_escaped(moved));
  }
  return text;
}

}  // namespace dipaco
