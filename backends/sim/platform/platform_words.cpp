#include "backends/sim/platform/platform_words.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

struct PlatformElement {
  std::string_view name;
  std::string_view attributes;
};

/// SimGrid's platform, version 4.1 (simgrid.dtd of 3.32).
constexpr PlatformElement kElements[] = {
    {"platform", "version"},
    {"config", "id"},
    {"prop", "id value"},
    {"zone", "id routing"},
    {"AS", "id routing"},
    {"host", "id speed core speed_file availability_file state_file coordinates pstate"},
    {"disk", "id read_bw write_bw"},
    {"cluster",
     "id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw bb_lat "
     "bb_sharing_policy "
     "router_id limiter_link loopback_bw loopback_lat"},
    {"cabinet", "id prefix suffix radical speed bw lat"},
    {"peer", "id speed bw_in bw_out lat coordinates speed_file availability_file state_file"},
    {"router", "id coordinates"},
    {"backbone", "id bandwidth latency"},
    {"link", "id bandwidth bandwidth_file latency latency_file state_file sharing_policy"},
    {"link_ctn", "id direction"},
    {"host_link", "id up down"},
    {"route", "src dst symmetrical"},
    {"bypassRoute", "src dst"},
    {"zoneRoute", "src dst gw_src gw_dst symmetrical"},
    {"bypassZoneRoute", "src dst gw_src gw_dst"},
    {"ASroute", "src dst gw_src gw_dst symmetrical"},
    {"bypassASroute", "src dst gw_src gw_dst"},
    {"trace", "id file periodicity"},
    {"trace_connect", "kind trace element"},
    {"storage", "id typeId content attach"},
    {"storage_type", "id model size content"},
    {"mount", "storageId name"},
    {"model_prop", "id value"},
    {"include", "file"},
    {"random", "id min max mean std_deviation seed radical generator"},
    {"actor", "host function start_time kill_time on_failure"},
    {"process", "host function start_time kill_time on_failure"},
    {"argument", "value"},
};

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  std::ranges::transform(kElements, std::back_inserter(names),
                         [](const PlatformElement& element) { return std::string(element.name); });
  return names;
}

void check_element(const ScenarioFile& file, const ScenarioElement& element) {
  const auto* const known = std::ranges::find(kElements, element.kind, &PlatformElement::name);
  const std::string where = file.at(element.line) + ": ";
  if (known == std::end(kElements)) {
    const std::string nearest = did_you_mean(element.kind, element_names());
    if (!nearest.empty()) throw ConfigError(where + "unknown element <" + element.kind + ">" + nearest);
    return;
  }
  const std::vector<std::string> attributes = split(known->attributes, ' ');
  for (const auto& [name, value] : element.attributes) {
    if (std::ranges::find(attributes, name) != attributes.end()) continue;
    const std::string nearest = did_you_mean(name, attributes);
    if (!nearest.empty()) {
      throw ConfigError(where + "unknown attribute " + in_quotes(name) + " of <" + element.kind + ">" + nearest);
    }
  }
}

/// SimGrid tells of its history where it does not read the version. @param element  of any kind
void check_version(const ScenarioFile& file, const ScenarioElement& element) {
  if (element.kind != "platform") return;
  const auto version = parse_number(element.attribute("version"));
  if (version && *version >= 4) return;
  throw ConfigError(file.at(element.line) + ": " + element.said("version") +
                    " is none that SimGrid reads; write \"4.1\"");
}

}  // namespace

void check_words(const ScenarioFile& file) {
  for (const ScenarioElement& element : file.elements()) {
    check_version(file, element);
    check_element(file, element);
  }
}

}  // namespace dipaco
