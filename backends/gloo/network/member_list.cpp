#include "backends/gloo/network/member_list.hpp"

namespace dipaco {

void MemberList::join(NodeId self, const std::string& run) {
  const std::lock_guard lock(mutex_);
  self_ = self;
  run_ = run;
}

NodeId MemberList::self() const {
  const std::lock_guard lock(mutex_);
  return self_;
}

std::string MemberList::run() const {
  const std::lock_guard lock(mutex_);
  return run_;
}

bool MemberList::know(const Member& member, Seconds now) {
  const std::lock_guard lock(mutex_);
  const auto known = members_.find(member.id);
  const bool was_up = known != members_.end() && known->second.up;
  if (known == members_.end() || was_up != member.up) since_[member.id] = now;
  members_[member.id] = member;
  return was_up;
}

Seconds MemberList::since(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto known = since_.find(node);
  return known == since_.end() ? Seconds(0) : known->second;
}

void MemberList::reach_at(NodeId node, const Endpoint& where) {
  const std::lock_guard lock(mutex_);
  members_[node].host = where.host;
  members_[node].port = where.port;
}

std::optional<Member> MemberList::find(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto known = members_.find(node);
  return known == members_.end() ? std::nullopt : std::optional(known->second);
}

std::vector<Member> MemberList::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Member> members;
  for (const auto& [id, member] : members_) members.push_back(member);
  return members;
}

SiteId MemberList::site_of(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto known = members_.find(members_.contains(node) ? node : self_);
  return known == members_.end() ? SiteId{0} : known->second.site;
}

std::string MemberList::describe(NodeId node) const {
  const std::string number = "node " + std::to_string(index(node));
  const auto known = find(node);
  if (!known) return number;
  return number + " (" + name(known->role) + " on " + known->machine + ", " + known->host + ":" +
         std::to_string(known->port) + ")";
}

}  // namespace dipaco
