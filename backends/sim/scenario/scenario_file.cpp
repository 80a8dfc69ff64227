#include "backends/sim/scenario/scenario_file.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string decode_entities(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
  std::string decoded;
  while (!text.empty()) {
    const auto* const entity = std::find_if(kEntities.begin(), kEntities.end(),
                                            [&](const auto& candidate) { return text.starts_with(candidate.first); });
    decoded += entity == kEntities.end() ? text.front() : entity->second;
    text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return decoded;
}

/// Name and attributes of `<name a="b" ...>`, given what lies between the angle brackets.
/// @param places  gets where the values are in `text`
ScenarioElement read_tag(std::string_view text, std::vector<ValuePlace>& places) {
  const std::string_view whole = text;
  ScenarioElement element;
  element.kind = std::string(text.substr(0, text.find_first_of(std::string(kSpace) + "/")));
  for (;;) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) return element;
    const auto quote = text.find_first_of("'\"", equals);
    if (quote == std::string_view::npos) return element;
    const auto end = text.find(text[quote], quote + 1);
    if (end == std::string_view::npos) return element;
    auto name = text.substr(0, equals);
    name.remove_suffix(name.size() - 1 - std::min(name.size() - 1, name.find_last_not_of(kSpace)));
    name.remove_prefix(std::min(name.size(), name.find_last_of(kSpace) + 1));
    element.attributes.emplace(std::string(name), decode_entities(text.substr(quote + 1, end - quote - 1)));
    places.push_back(
        {.attribute = std::string(name), .begin = whole.size() - text.size() + quote + 1, .length = end - quote - 1});
    text.remove_prefix(end + 1);
  }
}

/// Where the tag that starts at `begin` ends: at a '>' outside of quotes.
std::size_t tag_end(std::string_view text, std::size_t begin) {
  char quote = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i;
    }
  }
  return text.size();
}

/// What follows `tag`, up to the next one. Before it stand as many line breaks as the tag has, so that its lines count
/// from the tag's first.
std::string text_behind(std::string_view tag, std::string_view text) {
  const auto breaks = static_cast<std::size_t>(std::count(tag.begin(), tag.end(), '\n'));
  return std::string(breaks, '\n') + std::string(text.substr(0, text.find('<')));
}

}  // namespace

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string ScenarioElement::attribute(const std::string& name) const {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

std::string ScenarioElement::said(const std::string& name) const {
  const bool names_itself = name == "id" || id().empty();
  return name + "=" + in_quotes(attribute(name)) + " of <" + kind + (names_itself ? "" : " id=" + in_quotes(id())) +
         ">";
}

bool ScenarioElement::is_zone() const {
  return kind == "zone" || kind == "cluster" || kind == "AS" || kind == "cabinet" || kind == "peer";
}

ScenarioFile::ScenarioFile(std::filesystem::path file) : path_(std::move(file)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path_, error)) {
    throw ConfigError(path_.string() + ": there is no such scenario file; name a SimGrid platform (docs/scenarios.md)");
  }
  read(read_text(path_));
}

ScenarioFile::ScenarioFile(std::filesystem::path said_in, std::vector<ScenarioElement> elements)
    : path_(std::move(said_in)), elements_(std::move(elements)) {
  for (const ScenarioElement& element : elements_) {
    if (element.kind == "host") host_lines_.emplace(element.id(), element.line);
    if (element.is_zone()) zone_lines_.insert_or_assign(element.id(), element.line);
  }
}

/// @throws ConfigError where the element has one of that name, as only one of them could hold
void ScenarioFile::add_prop(ScenarioElement& element, ScenarioProp prop) const {
  const auto same = std::ranges::find(element.props, prop.name, &ScenarioProp::name);
  if (same == element.props.end()) return element.props.push_back(std::move(prop));
  throw ConfigError(at(prop.line) + ": prop \"" + prop.name + "\" again, which <" + element.kind + "> has in line " +
                    std::to_string(same->line) + "; leave one of them out");
}

void ScenarioFile::read(std::string_view text) {
  std::vector<std::size_t> open;  // elements that are not closed, by index
  int line = 1;
  std::size_t counted = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    if (text.substr(at).starts_with("<!--")) {
      at = std::min(text.find("-->", at), text.size());
      continue;
    }
    const std::size_t end = tag_end(text, at);
    const std::string_view inside = text.substr(at + 1, end - at - 1);
    const std::size_t begin = std::exchange(at, end);
    if (inside.empty() || inside.front() == '?' || inside.front() == '!') continue;
    if (inside.front() == '/') {
      if (!open.empty()) open.pop_back();
      continue;
    }
    std::vector<ValuePlace> places;
    ScenarioElement element = read_tag(inside, places);
    for (ValuePlace& place : places) {
      place.element = elements_.size();
      place.begin += begin + 1;
      places_.push_back(std::move(place));
    }
    element.end = end;
    element.line = line;
    element.depth = static_cast<int>(open.size());
    if (element.kind == "host") host_lines_.emplace(element.id(), line);
    if (element.is_zone()) zone_lines_.insert_or_assign(element.id(), line);
    if (element.kind == "prop" && !open.empty()) {
      add_prop(elements_[open.back()], {element.id(), element.attributes["value"], line});
    }
    const bool holds_more = inside.back() != '/';
    if (element.kind == "trace" && holds_more) element.text = text_behind(inside, text.substr(end).substr(1));
    if (holds_more) open.push_back(elements_.size());
    elements_.push_back(std::move(element));
  }
}

namespace {

void set_prop(ScenarioElement& element, const std::string& name, const std::string& value) {
  std::erase_if(element.props, [&](const ScenarioProp& prop) { return prop.name == name; });
  if (!value.empty()) element.props.push_back({name, value, element.line});
}

}  // namespace

bool ScenarioFile::set_zone_prop(const std::string& zone, const std::string& prop, const std::string& value) {
  const auto found = std::ranges::find_if(
      elements_, [&](const ScenarioElement& element) { return element.is_zone() && element.id() == zone; });
  if (found == elements_.end()) return false;
  set_prop(*found, prop, value);
  return true;
}

void ScenarioFile::set_host_prop(const std::string& host, const std::string& prop, const std::string& value) {
  auto found = std::ranges::find_if(
      elements_, [&](const ScenarioElement& element) { return element.kind == "host" && element.id() == host; });
  if (found == elements_.end()) {
    elements_.push_back({.kind = "host", .attributes = {{"id", host}}, .depth = 2});
    found = std::prev(elements_.end());
  }
  set_prop(*found, prop, value);
}

std::string ScenarioFile::at(int line) const { return path_.string() + ":" + std::to_string(line); }

int ScenarioFile::line_of_host(std::string_view host, std::string_view zone) const {
  if (const auto own = host_lines_.find(host); own != host_lines_.end()) return own->second;
  const auto cluster = zone_lines_.find(zone);
  return cluster == zone_lines_.end() ? 0 : cluster->second;
}

std::string ScenarioFile::config(std::string_view key) const {
  for (const ScenarioElement& element : elements_) {
    if (element.kind != "config") continue;
    for (const ScenarioProp& prop : element.props) {
      if (prop.name == key) return prop.value;
    }
  }
  return "";
}

}  // namespace dipaco
