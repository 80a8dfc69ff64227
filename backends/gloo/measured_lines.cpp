#include "backends/gloo/measured_lines.hpp"

#include <utility>

namespace dipaco {
namespace {

template <class Key>
std::optional<double> find(const std::map<Key, double>& table, const Key& key) {
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

MeasuredLines::MeasuredLines(SiteLines lines, std::function<std::vector<Member>()> members)
    : lines_(std::move(lines)), members_(std::move(members)) {}

std::optional<double> MeasuredLines::between(SiteId from, SiteId to) const {
  return find(lines_.pairs, std::pair(name_of(from), name_of(to)));
}

std::optional<double> MeasuredLines::out_of(SiteId site) const { return find(lines_.out, name_of(site)); }

std::optional<double> MeasuredLines::into(SiteId site) const { return find(lines_.in, name_of(site)); }

const std::string& MeasuredLines::name_of(SiteId site) const {
  if (!names_.contains(site)) {
    for (const Member& member : members_()) names_[member.site] = member.site_name;
  }
  return names_[site];
}

}  // namespace dipaco
