#include "backends/gloo/measured_lines.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {
namespace {

template <class Key>
std::optional<double> find(const std::map<Key, double>& table, const Key& key) {
  const auto found = table.find(key);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

MeasuredLines::MeasuredLines(SiteLines lines, std::function<std::vector<Member>()> members,
                             std::function<void(const std::string&)> note)
    : lines_(std::move(lines)), members_(std::move(members)), note_(std::move(note)) {}

bool MeasuredLines::measured(const std::string& site) const {
  return std::ranges::any_of(lines_.pairs, [&](const auto& pair) { return pair.first.first == site; });
}

std::optional<double> MeasuredLines::between(SiteId from, SiteId to) const {
  return find(lines_.pairs, std::pair(name_of(from), name_of(to)));
}

std::optional<double> MeasuredLines::out_of(SiteId site) const { return find(lines_.out, name_of(site)); }

std::optional<double> MeasuredLines::into(SiteId site) const { return find(lines_.in, name_of(site)); }

const std::string& MeasuredLines::name_of(SiteId site) const {
  if (!names_.contains(site)) {
    for (const Member& member : members_()) {
      const bool is_new = names_.emplace(member.site, member.site_name).second;
      if (!is_new || measured(member.site_name) || !note_) continue;
      note_("--lines has no site \"" + member.site_name +
            "\": nothing is known of its lines; --site must be as in the preflight");
    }
  }
  return names_[site];
}

}  // namespace dipaco
