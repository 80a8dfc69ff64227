#include "backends/gloo/shaped/shaped_sites.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>

#include "backends/gloo/shaped/child_process.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kNetwork = "10.214.0.";
constexpr const char* kHub = "hub";
constexpr const char* kDevice = "wan";
constexpr const char* kBridge = "bridge";

bool in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Its exit status. Takes milliseconds.
int done(ChildProcess& process) {
  std::optional<int> status;
  while (!(status = process.look())) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return *status;
}

}  // namespace

void check_can_shape() {
  for (const char* const name : {"ip", "tc"}) {
    if (in_path(name)) continue;
    throw ConfigError(std::string("there is no ") + name +
                      ", which limits the lines between sites; install iproute2, and see that PATH has /usr/sbin");
  }
  if (::geteuid() == 0) return;
  throw ConfigError("sites are network namespaces, which only root may make; run this command as root");
}

ShapedSites::ShapedSites(const std::vector<ShapedLine>& lines, const std::filesystem::path& folder) : folder_(folder) {
  check_can_shape();
  try {
    tool({"ip", "netns", "add", space(kHub)});
    spaces_.push_back(space(kHub));
    tool({"ip", "-n", space(kHub), "link", "add", kBridge, "type", "bridge"});
    tool({"ip", "-n", space(kHub), "link", "set", kBridge, "up"});
    for (std::size_t k = 0; k < lines.size(); ++k) add(lines[k], k + 1);
  } catch (const std::exception&) {
    remove_all();
    throw;
  }
}

ShapedSites::~ShapedSites() { remove_all(); }

std::vector<std::string> ShapedSites::within(const std::string& site) const {
  return {"ip", "netns", "exec", space(site)};
}

std::string ShapedSites::first_address() { return std::string(kNetwork) + "1"; }
std::string ShapedSites::device() { return kDevice; }

void ShapedSites::cut(const std::string& site) { tool({"ip", "-n", space(site), "link", "set", kDevice, "down"}); }

std::string ShapedSites::space(const std::string& site) const {
  return "dipaco-" + std::to_string(::getpid()) + "-" + site;
}

void ShapedSites::tool(const std::vector<std::string>& words) const {
  ChildProcess process(words, {folder_ / "tools.out", folder_ / "tools.log"});
  if (done(process) == 0) return;
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  throw ConfigError(line + ": " + process.last_words() + "; see that this machine may make network namespaces");
}

/// Limits what leaves a namespace by a device.
void ShapedSites::shape(const std::string& space, const std::string& device, BytesPerSecond rate) const {
  tool({"ip", "-n", space, "link", "set", "lo", "up"});
  // Packets as on a line: whole segments of 64 KB would fill its queue by fours.
  tool({"ip", "-n", space, "link", "set", device, "gso_max_segs", "1", "up"});
  const std::string bits = std::to_string(static_cast<std::int64_t>(std::llround(8 * rate.value)));
  tool({"ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", bits + "bit", "burst",
        "16k", "latency", "50ms"});
}

/// A site, and its line to the hub and back.
void ShapedSites::add(const ShapedLine& line, std::size_t number) {
  const std::string own = space(line.site);
  const std::string there = "to-" + std::to_string(number);
  tool({"ip", "netns", "add", own});
  spaces_.push_back(own);
  tool({"ip", "link", "add", kDevice, "netns", own, "type", "veth", "peer", "name", there, "netns", space(kHub)});
  tool({"ip", "-n", own, "addr", "add", std::string(kNetwork) + std::to_string(number) + "/24", "dev", kDevice});
  tool({"ip", "-n", space(kHub), "link", "set", there, "master", kBridge});
  shape(own, kDevice, line.rate);
  shape(space(kHub), there, line.rate);
  // Linux's default, whatever this machine has.
  tool({"ip", "-n", own, "route", "replace", std::string(kNetwork) + "0/24", "dev", kDevice, "congctl", "cubic"});
}

void ShapedSites::remove_all() noexcept {
  for (const std::string& name : spaces_) {
    try {
      tool({"ip", "netns", "del", name});
    } catch (const std::exception&) {
      continue;  // the next ones are to go all the same
    }
  }
  spaces_.clear();
}

}  // namespace dipaco
