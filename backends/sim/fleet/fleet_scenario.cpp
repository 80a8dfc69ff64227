#include "backends/sim/fleet/fleet_scenario.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "core/base/xml_text.hpp"

namespace dipaco {
namespace {

constexpr const char* kFilesSpeed = "1Tf";
constexpr const char* kAdapterLatency = "50us";
constexpr std::array<std::string_view, 2> kFileProps{"run", "preemption"};

std::string gateway(const std::string& site) { return site + "-gateway"; }
std::string adapter(const std::string& host) { return host + "-nic"; }

class FleetWriter {
 public:
  explicit FleetWriter(const std::optional<std::filesystem::path>& folder) : folder_(folder) {}

  std::string write(const PlannedFleet& fleet) {
    begin(fleet);
    for (const PlannedProp& prop : fleet.root) write_prop("    ", prop);
    for (const PlannedSite& site : fleet.sites) write_site(site);
    text_ << "\n";
    for (const PlannedLink& link : fleet.links) write_link(link);
    for (const PlannedLink& link : fleet.links) {
      write_way(link, link.a, link.b, "UP");
      write_way(link, link.b, link.a, "DOWN");
    }
    text_ << "  </zone>\n</platform>\n";
    return text_.str();
  }

 private:
  void begin(const PlannedFleet& fleet) {
    const std::string name = xml_commented(fleet.made_of.filename().string());
    text_ << "<?xml version=\"1.0\"?>\n"
             "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<!-- Made by dipaco-sim fleet of "
          << name
          << ". Behind each figure stands where it is from: a line of that file,\n"
             "     or a table of scenarios/prices or scenarios/network, whose README.md has dates and licences.\n"
             "     Each site has a machine without accelerators (NAME-files) for its store and an executor. -->\n"
             "<platform version=\"4.1\">\n"
             "  <zone id=\""
          << kFleetZone << "\" routing=\"Full\">\n";
  }

  /// `prop` as the scenario names it.
  std::string value_of(const PlannedProp& prop) const {
    if (!folder_ || std::ranges::find(kFileProps, prop.name) == kFileProps.end()) return prop.is.value;
    return std::filesystem::proximate(prop.is.value, *folder_).string();
  }

  static std::string comment(const std::string& source) {
    return source.empty() ? "\n" : "  <!-- " + xml_commented(source) + " -->\n";
  }

  void write_prop(const char* indent, const PlannedProp& prop) {
    text_ << indent << "<prop id=\"" << prop.name << "\" value=\"" << xml_escaped(value_of(prop)) << "\"/>"
          << comment(prop.is.source);
  }

  void write_site(const PlannedSite& site) {
    text_ << "\n    <zone id=\"" << site.name << "\" routing=\"Floyd\">\n";
    for (const PlannedProp& prop : site.props) write_prop("      ", prop);
    text_ << "      <!-- A machine: " << xml_commented(site.speed.source) << " -->\n";
    std::vector<std::string> hosts;
    for (int number = 0; number < site.machines; ++number) {
      hosts.push_back(site.machine(number));
      text_ << "      <host id=\"" << hosts.back() << "\" speed=\"" << site.speed.value << "\"/>\n";
    }
    hosts.push_back(site.files());
    text_ << "      <host id=\"" << hosts.back() << "\" speed=\"" << kFilesSpeed << "\">\n";
    for (const PlannedProp& prop : site.files_props) write_prop("        ", prop);
    text_ << "      </host>\n      <router id=\"" << gateway(site.name) << "\"/>\n      <!-- "
          << xml_commented(site.adapter.source) << " -->\n";
    for (const std::string& host : hosts) {
      text_ << "      <link id=\"" << adapter(host) << "\" bandwidth=\"" << xml_escaped(site.adapter.value)
            << "\" latency=\"" << kAdapterLatency << "\" sharing_policy=\"SPLITDUPLEX\"/>\n";
    }
    for (const std::string& host : hosts) {
      text_ << "      <route src=\"" << host << "\" dst=\"" << gateway(site.name) << "\"><link_ctn id=\""
            << adapter(host) << "\" direction=\"UP\"/></route>\n";
    }
    text_ << "    </zone>\n";
  }

  void write_link(const PlannedLink& link) {
    text_ << "    <link id=\"" << link.a << "-" << link.b << "\" bandwidth=\"" << xml_escaped(link.bandwidth.value)
          << "\" latency=\"" << link.latency.value << "\" sharing_policy=\"SPLITDUPLEX\"/>"
          << comment(link.bandwidth.source + "; " + link.latency.source);
  }

  void write_way(const PlannedLink& link, const std::string& from, const std::string& to, const char* direction) {
    text_ << "    <zoneRoute src=\"" << from << "\" dst=\"" << to << "\" gw_src=\"" << gateway(from) << "\" gw_dst=\""
          << gateway(to) << "\" symmetrical=\"NO\"><link_ctn id=\"" << link.a << "-" << link.b << "\" direction=\""
          << direction << "\"/></zoneRoute>\n";
  }

  std::optional<std::filesystem::path> folder_;
  std::ostringstream text_;
};

}  // namespace

std::string fleet_scenario(const PlannedFleet& fleet, const std::optional<std::filesystem::path>& folder) {
  return FleetWriter(folder).write(fleet);
}

}  // namespace dipaco
