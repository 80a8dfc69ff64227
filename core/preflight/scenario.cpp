#include "core/preflight/scenario.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/text.hpp"
#include "core/base/xml_text.hpp"
#include "core/preflight/names.hpp"

namespace dipaco {
namespace {

class Writer {
 public:
  explicit Writer(const NetworkMeasures& measures) : all_(measures) {
    for (const Attendee& attendee : all_.attendees) {
      if (std::ranges::find(sites_, attendee.site) == sites_.end()) sites_.push_back(attendee.site);
    }
  }

  std::string write(const std::string& run) {
    text_ << "<?xml version=\"1.0\"?>\n"
             "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<!-- Measured by dipaco-run preflight: a host is a process, a zone is a site (docs/cluster.md).\n"
             "     A message takes latency + size / bandwidth. Hosts without a step_time have a made-up speed: give "
             "them\n"
             "     their step_time, or their speed and mfu. -->\n"
             "<platform version=\"4.1\">\n"
             "  <config>\n"
             "    <prop id=\"network/TCP-gamma\" value=\"0\"/>\n"
             "  </config>\n"
          << "  <zone id=\"" << kWorld << "\" routing=\"Full\">\n";
    if (!run.empty()) prop("    ", "run", run);
    for (const std::string& site : sites_) write_site(site);
    if (sites_.size() > 1) write_between();
    text_ << "  </zone>\n</platform>\n";
    return text_.str();
  }

 private:
  std::vector<std::size_t> members(const std::string& site) const {
    std::vector<std::size_t> result;
    for (std::size_t k = 0; k < all_.attendees.size(); ++k) {
      if (all_.attendees[k].site == site) result.push_back(k);
    }
    return result;
  }

  bool some(const std::string& site, Role role) const {
    return std::ranges::any_of(all_.attendees, [&](const Attendee& attendee) {
      return (site.empty() || attendee.site == site) && std::ranges::find(attendee.roles, role) != attendee.roles.end();
    });
  }

  void prop(const char* indent, const char* name, const std::string& value) {
    text_ << indent << "<prop id=\"" << name << "\" value=\"" << xml_escaped(value) << "\"/>\n";
  }

  void link(const std::string& indent, const std::string& id, double bytes_per_second, Seconds latency) {
    text_ << indent << "<link id=\"" << id << "\" bandwidth=\"" << format_fixed(8 * bytes_per_second, 0)
          << "bps\" latency=\"" << format_fixed(1e6 * latency.count(), 1) << "us\"/>\n";
  }

  void route(const std::string& from, const std::string& to, const std::vector<std::string>& links) {
    text_ << "      <route src=\"" << from << "\" dst=\"" << to << "\" symmetrical=\"NO\">";
    for (const std::string& id : links) text_ << "<link_ctn id=\"" << id << "\"/>";
    text_ << "</route>\n";
  }

  void write_host(const Attendee& who) {
    text_ << "      <!-- on " << xml_commented(who.machine) << ", " << xml_commented(who.address) << " -->\n"
          << "      <host id=\"" << who.name << "\" speed=\"" << kUnknownSpeed << "\">\n";
    prop("        ", "role", role_list(who));
    if (who.step_time) prop("        ", "step_time", format_number(who.step_time->count()) + "s");
    text_ << "      </host>\n";
  }

  /// The most that a host sends to any one, or gets from any one; of a site's only host, what its site was measured at.
  void write_host_links(const std::string& site, std::size_t k) {
    double out = 0;
    double in = 0;
    for (std::size_t other = 0; other < all_.attendees.size(); ++other) {
      if (other == k) continue;
      out = std::max(out, all_.link(k, other).bytes_per_second);
      in = std::max(in, all_.link(other, k).bytes_per_second);
    }
    if (const SiteMeasure* const measured = together(site); measured != nullptr && members(site).size() == 1) {
      out = std::max(out, measured->out_bytes_per_second);
      in = std::max(in, measured->in_bytes_per_second);
    }
    const std::string& name = all_.attendees[k].name;
    link("      ", name + ":out", out, Seconds(0));
    link("      ", name + ":in", in, Seconds(0));
  }

  void write_site(const std::string& site) {
    const auto hosts = members(site);
    text_ << "    <zone id=\"" << site << "\" routing=\"Full\">\n";
    if (some(site, Role::worker) && !some(site, Role::store) && some("", Role::store)) prop("      ", "store", "none");
    for (const std::size_t k : hosts) write_host(all_.attendees[k]);
    if (sites_.size() > 1) text_ << "      <router id=\"" << site << kGateway << "\"/>\n";
    for (const std::size_t k : hosts) write_host_links(site, k);
    for (const std::size_t from : hosts) {
      for (const std::size_t to : hosts) {
        if (from == to) continue;
        const LinkMeasure& measured = all_.link(from, to);
        link("      ", between(from, to), measured.bytes_per_second, measured.round_trip / 2);
      }
    }
    for (const std::size_t from : hosts) write_routes(site, from);
    text_ << "    </zone>\n";
  }

  void write_routes(const std::string& site, std::size_t from) {
    const std::string& here = all_.attendees[from].name;
    for (const std::size_t to : members(site)) {
      const std::string& there = all_.attendees[to].name;
      if (from != to) route(here, there, {here + ":out", between(from, to), there + ":in"});
    }
    if (sites_.size() < 2) return;
    route(here, site + kGateway, {here + ":out"});
    route(site + kGateway, here, {here + ":in"});
  }

  std::string between(std::size_t from, std::size_t to) const {
    return all_.attendees[from].name + ":" + all_.attendees[to].name;
  }

  const SiteMeasure* together(const std::string& site) const {
    const auto found = std::ranges::find(all_.sites, site, &SiteMeasure::site);
    return found == all_.sites.end() ? nullptr : &*found;
  }

  /// The best that any two of their hosts have: what they share cannot carry less.
  LinkMeasure best(const std::string& from, const std::string& to) const {
    std::vector<Seconds> trips;
    double bandwidth = 0;
    for (const std::size_t a : members(from)) {
      for (const std::size_t b : members(to)) {
        trips.push_back(all_.link(a, b).round_trip);
        bandwidth = std::max(bandwidth, all_.link(a, b).bytes_per_second);
      }
    }
    return {*std::ranges::min_element(trips), bandwidth};
  }

  /// A site's own line carries no less than to any one other site.
  void write_site_links(const SiteMeasure& measured) {
    double out = measured.out_bytes_per_second;
    double in = measured.in_bytes_per_second;
    for (const std::string& other : sites_) {
      if (other == measured.site) continue;
      out = std::max(out, best(measured.site, other).bytes_per_second);
      in = std::max(in, best(other, measured.site).bytes_per_second);
    }
    link("    ", measured.site + ":out", out, Seconds(0));
    link("    ", measured.site + ":in", in, Seconds(0));
  }

  void write_between() {
    for (const SiteMeasure& measured : all_.sites) write_site_links(measured);
    std::ostringstream routes;
    for (const std::string& from : sites_) {
      for (const std::string& to : sites_) {
        if (from == to) continue;
        const LinkMeasure measured = best(from, to);
        link("    ", from + ":" + to, measured.bytes_per_second, measured.round_trip / 2);
        routes << "    <zoneRoute src=\"" << from << "\" dst=\"" << to << "\" gw_src=\"" << from << kGateway
               << "\" gw_dst=\"" << to << kGateway << "\" symmetrical=\"NO\">";
        if (together(from) != nullptr) routes << "<link_ctn id=\"" << from << ":out\"/>";
        routes << "<link_ctn id=\"" << from << ":" << to << "\"/>";
        if (together(to) != nullptr) routes << "<link_ctn id=\"" << to << ":in\"/>";
        routes << "</zoneRoute>\n";
      }
    }
    text_ << routes.str();
  }

  const NetworkMeasures& all_;
  std::vector<std::string> sites_;
  std::ostringstream text_;
};

}  // namespace

std::string measured_scenario(const NetworkMeasures& measures, const std::string& run) {
  return Writer(measures).write(run);
}

}  // namespace dipaco
