#include "core/coordinator/tables/members.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/text.hpp"

namespace dipaco {

void Members::add(NodeId node, const KnownNode& member) {
  take_out(node);
  all_.emplace(node, member);
  ++nodes_at_[member.site];
  deserted_.erase(member.site);
  by_role_[place(member.role)].insert(node);
  if (member.role == Role::worker) ++workers_at_[member.site];
  count(member, 1);
}

void Members::remove(NodeId node, Seconds now) {
  const auto site = take_out(node);
  if (site && nodes_at_[*site] == 0) deserted_[*site] = now;
}

/// @returns where it was
std::optional<SiteId> Members::take_out(NodeId node) {
  const auto member = all_.extract(node);
  if (!member) return std::nullopt;
  const SiteId site = member.mapped().site;
  by_role_[place(member.mapped().role)].erase(node);
  if (member.mapped().role == Role::worker) --workers_at_[site];
  --nodes_at_[site];
  count(member.mapped(), -1);
  return site;
}

void Members::leaves(NodeId node) {
  KnownNode& member = all_.at(node);
  count(member, -1);
  member.leaving = true;
}

void Members::late(NodeId node) {
  KnownNode& member = all_.at(node);
  count(member, -1);
  member.late = true;
}

void Members::count(const KnownNode& member, std::int32_t by) {
  if (member.serves()) serving_[place(member.role)] += by;
  if (member.role == Role::store) stores_near_.clear();
}

std::int32_t Members::workers_at(SiteId site) const {
  const auto known = workers_at_.find(site);
  return known == workers_at_.end() ? 0 : known->second;
}

const std::vector<NodeId>& Members::stores_near(SiteId site) const {
  const auto [known, missing] = stores_near_.try_emplace(site);
  std::vector<NodeId>& near = known->second;
  if (!missing) return near;
  std::vector<NodeId> far;
  for (const NodeId store : with(Role::store)) (at(store).site == site ? near : far).push_back(store);
  if (!far.empty()) {
    const auto shift = static_cast<std::size_t>(index(site)) % far.size();
    std::rotate(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(shift), far.end());
  }
  near.insert(near.end(), far.begin(), far.end());
  return near;
}

std::vector<NodeId> Members::stores_near(SiteId site, std::int32_t turn) const {
  std::vector<NodeId> near = stores_near(site);
  const auto own = std::ranges::find_if(near, [&](NodeId store) { return at(store).site != site; }) - near.begin();
  if (own > 1) std::rotate(near.begin(), near.begin() + turn % own, near.begin() + own);
  return near;
}

const KnownNode* Members::find(NodeId node) const {
  const auto found = all_.find(node);
  return found == all_.end() ? nullptr : &found->second;
}

std::string lines_to_mend(const Members& members, Seconds now) {
  std::string what;
  for (const auto& [site, since] : members.deserted()) {
    what += "if the nodes of site " + std::to_string(index(site)) +
            " run, mend the line to them, which has brought nothing for " + format_fixed((now - since).count(), 1) +
            " s; ";
  }
  return what;
}

}  // namespace dipaco
