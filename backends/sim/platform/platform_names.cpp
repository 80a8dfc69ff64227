#include "backends/sim/platform/platform_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kMostNumbers = 1'000'000;

/// The numbers of "0-3,7", at most so many.
std::vector<std::int64_t> numbers_of(const std::string& radical) {
  std::vector<std::int64_t> numbers;
  for (const std::string& group : split(radical, ',')) {
    const auto ends = split(group, '-');
    const auto first = ends.empty() ? std::nullopt : parse_integer(ends.front());
    const auto last = ends.empty() ? std::nullopt : parse_integer(ends.back());
    if (!first || !last) continue;
    for (std::int64_t i = *first; i <= *last && numbers.size() < kMostNumbers; ++i) numbers.push_back(i);
  }
  return numbers;
}

/// What a platform has, by name; lists are sorted.
struct PlatformNames {
  std::vector<std::string> hosts;  ///< and routers
  std::vector<std::string> zones;
  std::vector<std::string> links;  ///< as an element has them
  std::vector<std::string> traces;
  std::map<std::string, bool> split_links;  ///< by link: it has two directions
  std::vector<std::string> made;            ///< how names begin that SimGrid makes for clusters
  bool all_hosts = true;                    ///< no host or router that is not among them

  bool is_made(const std::string& name) const {
    return std::ranges::any_of(made, [&](const std::string& begin) { return name.starts_with(begin); });
  }
};

void add_hosts(const ScenarioElement& cluster, PlatformNames& names) {
  const std::string prefix = cluster.attribute("prefix");
  const std::string suffix = cluster.attribute("suffix");
  const auto numbers = numbers_of(cluster.attribute("radical"));
  for (const std::int64_t number : numbers) names.hosts.push_back(prefix + std::to_string(number) + suffix);
  names.all_hosts &= numbers.size() < kMostNumbers;
  names.made.push_back(cluster.id() + "_");
  if (cluster.kind != "cluster") return;
  const std::string router = cluster.attribute("router_id");
  names.hosts.push_back(router.empty() ? prefix + cluster.id() + "_router" + suffix : router);
  const std::string topology = cluster.attribute("topology");
  names.all_hosts &= topology.empty() || topology == "FLAT";
}

PlatformNames names_of(const ScenarioFile& file) {
  PlatformNames names;
  for (const ScenarioElement& element : file.elements()) {
    const std::string id = element.id();
    if (element.is_zone() && element.kind != "cabinet" && element.kind != "peer") names.zones.push_back(id);
    if (element.kind == "host" || element.kind == "router" || element.kind == "peer") names.hosts.push_back(id);
    if (element.kind == "cluster" || element.kind == "cabinet") add_hosts(element, names);
    if (element.kind == "peer") names.made.push_back("link_");
    if (element.kind == "trace") names.traces.push_back(id);
    if (element.kind != "link" && element.kind != "backbone") continue;
    names.links.push_back(id);
    names.split_links[id] = element.attribute("sharing_policy").ends_with("DUPLEX");
  }
  for (auto* const list : {&names.hosts, &names.zones, &names.links, &names.traces}) std::ranges::sort(*list);
  return names;
}

class NameCheck {
 public:
  NameCheck(const ScenarioFile& file, const PlatformNames& names, const ScenarioElement& element)
      : file_(file), names_(names), element_(element) {}

  void check() const {
    const std::string& kind = element_.kind;
    if (kind == "route" || kind == "bypassRoute") {
      for (const char* const end : {"src", "dst"}) check_host(end);
    }
    if (kind.ends_with("oneRoute") || kind.ends_with("ASroute")) {
      for (const char* const end : {"src", "dst"}) check_one_of(end, names_.zones, "zone");
      for (const char* const end : {"gw_src", "gw_dst"}) check_host(end);
    }
    if (kind == "link_ctn") check_link();
    if (kind == "host_link") {
      check_host("id");
      for (const char* const end : {"up", "down"}) check_link_name(end);
    }
    if (kind == "trace_connect") check_trace();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ConfigError(file_.at(element_.line) + ": " + what); }

  void check_one_of(const char* name, const std::vector<std::string>& known, const std::string& what) const {
    const std::string value = element_.attribute(name);
    if (!element_.attributes.contains(name) || std::ranges::binary_search(known, value)) return;
    const std::string nearest = did_you_mean(value, known);
    fail(element_.said(name) + " names no " + what + (nearest.empty() ? "; write the id of one" : nearest));
  }

  void check_host(const char* name) const {
    if (names_.all_hosts) check_one_of(name, names_.hosts, "host or router");
  }

  /// A link's own name, or that of one direction ("wan_UP").
  bool is_link(const std::string& name) const {
    if (names_.split_links.contains(name) || names_.is_made(name)) return true;
    for (const std::string_view end : {"_UP", "_DOWN"}) {
      if (!name.ends_with(end)) continue;
      const auto link = names_.split_links.find(name.substr(0, name.size() - end.size()));
      if (link != names_.split_links.end() && link->second) return true;
    }
    return false;
  }

  void check_link_name(const char* name) const {
    if (!is_link(element_.attribute(name))) check_one_of(name, names_.links, "link");
  }

  void check_link() const {
    const std::string name = element_.id();
    check_link_name("id");
    const auto link = names_.split_links.find(name);
    if (link == names_.split_links.end()) return;
    const std::string direction = element_.attribute("direction");
    const bool given = !direction.empty() && direction != "NONE";
    if (link->second && !given) {
      fail(element_.said("id") + " has no direction, and the link is SPLITDUPLEX: it has one for each way; add " +
           "direction=\"UP\", or \"DOWN\" on the way back");
    }
    if (!link->second && given) {
      fail("direction=" + in_quotes(direction) + " of <link_ctn id=" + in_quotes(name) +
           "> belongs to no way of this " + "link; leave it out, or give the link sharing_policy=\"SPLITDUPLEX\"");
    }
  }

  void check_trace() const {
    check_one_of("trace", names_.traces, "trace");
    const std::string kind = element_.attribute("kind");
    const bool of_host = kind.empty() || kind == "HOST_AVAIL" || kind == "SPEED";
    if (of_host) return check_host("element");
    check_link_name("element");
  }

  const ScenarioFile& file_;
  const PlatformNames& names_;
  const ScenarioElement& element_;
};

}  // namespace

void check_names(const ScenarioFile& file) {
  const PlatformNames names = names_of(file);
  for (const ScenarioElement& element : file.elements()) NameCheck(file, names, element).check();
}

}  // namespace dipaco
