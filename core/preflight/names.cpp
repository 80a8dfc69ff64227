#include "core/preflight/names.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

namespace dipaco {
namespace {

/// A scenario's lists of hosts have commas, brackets and spaces of their own.
std::string word(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return (std::isalnum(c) == 0 || c > 127) && c != '.' && c != '_' && c != '-'; }, '_');
  return text.empty() ? "site" : text;
}

}  // namespace

std::vector<Attendee> named(const std::vector<Attend>& attends) {
  std::set<std::string> taken{kWorld};
  std::map<std::string, std::string> sites;
  for (const Attend& attend : attends) {
    if (sites.contains(attend.site)) continue;
    std::string site = word(attend.site);
    while (taken.contains(site) || taken.contains(site + kGateway)) site += "_";
    taken.insert({site, site + kGateway});
    sites[attend.site] = site;
  }
  std::vector<Attendee> all;
  std::map<std::string, int> numbers;
  for (const Attend& attend : attends) {
    const std::string& site = sites[attend.site];
    std::string name;
    do name = site + "-" + std::to_string(numbers[site]++);
    while (!taken.insert(name).second);
    all.push_back({.name = name,
                   .site = site,
                   .roles = attend.roles,
                   .machine = attend.machine,
                   .address = attend.address,
                   .step_time = attend.step_time > 0 ? std::optional(Seconds(attend.step_time)) : std::nullopt,
                   .site_name = attend.site});
  }
  return all;
}

}  // namespace dipaco
