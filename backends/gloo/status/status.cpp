#include "backends/gloo/status/status.hpp"

#include "core/data/utf8.hpp"

namespace dipaco {

MemberStatus status_of(const Member& member) {
  return {.id = member.id,
          .role = member.role,
          .site = member.site,
          .site_name = member.site_name,
          .machine = member.machine,
          .address = member.host.empty() ? "" : member.host + ":" + std::to_string(member.port),
          .up = member.up,
          .left = !member.up && member.left};
}

std::optional<double> train_loss(const Status& status) {
  const RunProgress& progress = status.progress;
  if (progress.tasks_committed == 0 || progress.loss == 0) return std::nullopt;
  return progress.loss;
}

std::optional<TokenCount> tokens(const Status& status) {
  const std::int64_t all = status.inner_steps_useful * status.step_tokens;
  if (all == 0 || status.progress.now <= Seconds(0)) return std::nullopt;
  return TokenCount{all, static_cast<double>(all) / status.progress.now.count()};
}

std::optional<Seconds> time_left(const Status& status) {
  const RunProgress& progress = status.progress;
  const std::int64_t done = progress.inner_steps;
  if (status.finished || done <= 0 || done >= progress.inner_steps_in_all) return std::nullopt;
  const auto left = static_cast<double>(progress.inner_steps_in_all - done);
  return progress.now * (left / static_cast<double>(done));
}

std::map<SiteId, std::string> site_names(const Status& status) {
  std::map<SiteId, std::string> names;
  for (const MemberStatus& member : status.members) names.emplace(member.site, member.site_name);
  const auto name_both = [&](const std::pair<SiteId, SiteId>& sites) {
    for (const SiteId site : {sites.first, sites.second}) {
      names.emplace(site, "site " + std::to_string(index(site)));
    }
  };
  for (const auto& [sites, crossed] : status.traffic.by_sites) name_both(sites);
  for (const auto& [sites, queue] : status.queues) name_both(sites);
  for (const auto& [sites, queue] : status.queues_elsewhere) name_both(sites);
  return names;
}

std::string role_names(const std::vector<Role>& roles) {
  std::string text;
  for (const Role role : roles) text += (text.empty() ? "" : ", ") + std::string(name(role));
  return text;
}

std::string as_utf8(std::string_view text) {
  std::string valid;
  while (const auto bad = first_invalid_utf8(text)) {
    valid.append(text.substr(0, *bad)).append("\xEF\xBF\xBD");
    text.remove_prefix(*bad + 1);
  }
  return valid.append(text);
}

}  // namespace dipaco
