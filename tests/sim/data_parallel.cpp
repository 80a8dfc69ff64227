#include "tests/sim/data_parallel.hpp"

#include <string>
#include <vector>

#include "backends/sim/engine/engine.hpp"
#include "core/base/file.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Sites of so many hosts: s0-h0, s0-h1, ... Each has a full-duplex adapter; each two sites have a line each way.
/// "home" is at the first site.
std::string platform_of(const std::vector<int>& sites) {
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n";
  struct Named {
    std::string name;
    int site = 0;
  };
  std::vector<Named> hosts{{"home", 0}};
  for (int s = 0; s < static_cast<int>(sites.size()); ++s) {
    for (int h = 0; h < sites[static_cast<std::size_t>(s)]; ++h)
      hosts.push_back({"s" + std::to_string(s) + "-h" + std::to_string(h), s});
  }
  std::string routes;
  for (const Named& host : hosts) {
    xml += "<host id=\"" + host.name + "\" speed=\"1Gf\"/>\n";
  }
  for (const Named& host : hosts)
    for (const char* way : {"up", "down"})
      xml += "<link id=\"" + host.name + "-" + way + "\" bandwidth=\"1GBps\" latency=\"1ms\"/>\n";
  for (std::size_t a = 0; a < sites.size(); ++a)
    for (std::size_t b = 0; b < sites.size(); ++b)
      if (a != b)
        xml += "<link id=\"line" + std::to_string(a) + "-" + std::to_string(b) +
               "\" bandwidth=\"50MBps\" latency=\"40ms\"/>\n";
  for (const Named& from : hosts) {
    for (const Named& to : hosts) {
      if (from.name == to.name) continue;
      xml += "<route src=\"" + from.name + "\" dst=\"" + to.name + "\" symmetrical=\"NO\"><link_ctn id=\"" + from.name +
             "-up\"/>";
      if (from.site != to.site)
        xml += "<link_ctn id=\"line" + std::to_string(from.site) + "-" + std::to_string(to.site) + "\"/>";
      xml += "<link_ctn id=\"" + to.name + "-down\"/></route>\n";
    }
  }
  return xml + "</zone>\n</platform>\n";
}

}  // namespace

DataParallelReport train(const std::vector<int>& sites, const DataParallelOptions& options,
                         const std::function<void(Placement&)>& change) {
  const TemporaryFolder folder;
  write_file(folder.path() / "platform.xml", platform_of(sites));
  const ScenarioFile file(folder.path() / "platform.xml");
  const SimEngine engine(file, {}, kExact);
  Placement placement;
  const auto add = [&](Role role, SiteId site, const std::string& host) {
    const NodeId id{static_cast<int>(placement.nodes.size())};
    placement.nodes.push_back({.id = id, .role = role, .site = site, .host = host, .speed = {1e9}});
  };
  add(Role::coordinator, SiteId{0}, "home");
  add(Role::store, SiteId{0}, "home");
  for (int s = 0; s < static_cast<int>(sites.size()); ++s) {
    placement.sites.push_back("s" + std::to_string(s));
    for (int h = 0; h < sites[static_cast<std::size_t>(s)]; ++h)
      add(Role::worker, SiteId{s}, "s" + std::to_string(s) + "-h" + std::to_string(h));
  }
  if (change) change(placement);
  return train_data_parallel(placement, options);
}

DataParallelOptions options_for(int ranks, std::int64_t steps) {
  return {.overlap = false,
          .gradients = Bytes{120'000'000},
          .state = Bytes{720'000'000},
          .step = Flops{1e9 * ranks},
          .steps = steps,
          .deadline = Seconds(86400),
          .stride = Seconds(10)};
}

void fail_now_and_then(Placement& placement, Seconds mean) {
  std::uint64_t number = 0;
  for (const PlacedNode& node : placement.with(Role::worker)) {
    placement.absences.push_back({.hosts = {node.host},
                                  .times = {.there = {.kind = TimeLaw::Kind::exponential, .scale = mean},
                                            .away = {.kind = TimeLaw::Kind::fixed, .scale = Seconds(60)},
                                            .what = {},
                                            .number = number++},
                                  .notice = {},
                                  .reclaimed = false});
  }
}

}  // namespace dipaco::testing
