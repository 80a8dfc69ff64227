#include "backends/sim/scenario/host_list.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string_view>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

/// A zone's hosts, and those of them that are named.
struct Hosts {
  const std::vector<std::string>& in_order;
  std::set<std::string_view> all;
  std::set<std::string_view> taken;
};

void take(const std::string& host, Hosts& hosts) {
  const auto found = hosts.all.find(host);
  if (found == hosts.all.end()) {
    fail("names the host \"" + host + "\", which is not there" + did_you_mean(host, hosts.in_order));
  }
  hosts.taken.insert(*found);
}

void take_first(std::int64_t count, Hosts& hosts) {
  if (count < 1 || static_cast<std::size_t>(count) > hosts.in_order.size()) {
    fail("asks for " + std::to_string(count) + " hosts where there are " + std::to_string(hosts.in_order.size()));
  }
  hosts.taken.insert(hosts.in_order.begin(), hosts.in_order.begin() + count);
}

/// `part` is "PREFIX[FIRST-LAST]SUFFIX".
void take_range(const std::string& part, Hosts& hosts) {
  const auto open = part.find('[');
  const auto close = part.find(']', open);
  const auto dash = part.find('-', open);
  if (close == std::string::npos || dash == std::string::npos || dash > close) {
    fail("has the part \"" + part + "\", which is no range such as node-[0-7]");
  }
  const auto first = parse_integer(std::string_view(part).substr(open + 1, dash - open - 1));
  const auto last = parse_integer(std::string_view(part).substr(dash + 1, close - dash - 1));
  if (!first || !last || *first < 0 || *last < *first || *last - *first > 1'000'000) {
    fail("has the part \"" + part + "\", whose numbers are no range from low to high");
  }
  for (std::int64_t i = *first; i <= *last; ++i) {
    take(part.substr(0, open) + std::to_string(i) + part.substr(close + 1), hosts);
  }
}

}  // namespace

std::vector<std::string> read_host_list(std::string_view text, const std::vector<std::string>& names) {
  Hosts hosts{.in_order = names, .all = {names.begin(), names.end()}, .taken = {}};
  for (const std::string& part : split(text, ',')) {
    if (part == "all") {
      hosts.taken = hosts.all;
    } else if (const auto count = parse_integer(part)) {
      take_first(*count, hosts);
    } else if (part.find('[') != std::string::npos) {
      take_range(part, hosts);
    } else {
      take(part, hosts);
    }
  }
  if (hosts.taken.empty()) fail("names no host; write all, a number, host names or a range such as node-[0-7]");
  std::vector<std::string> in_order;
  std::copy_if(names.begin(), names.end(), std::back_inserter(in_order),
               [&](const std::string& host) { return hosts.taken.contains(host); });
  return in_order;
}

}  // namespace dipaco
