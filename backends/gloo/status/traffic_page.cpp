#include "backends/gloo/status/traffic_page.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// "a to b", "within a".
void add_ends(Page& page, const std::map<SiteId, std::string>& sites, const std::pair<SiteId, SiteId>& ends) {
  const bool within = ends.first == ends.second;
  page.markup(within ? "<tr><td>within " : "<tr><td>").text(sites.at(ends.first));
  if (!within) page.markup(" to ").text(sites.at(ends.second));
  page.markup("</td>");
}

void add_sites(Page& page, const Status& status) {
  const Traffic& traffic = status.traffic;
  if (traffic.by_sites.empty()) return;
  const auto sites = site_names(status);
  const auto all = static_cast<double>((traffic.wan + traffic.lan).value);
  page.markup("<section><h2>Bytes by sites</h2><table>\n<tr><th>Between</th><th class=\"number\">Sent</th>");
  page.markup("<th class=\"number\">Share</th><th class=\"number wide\">Rate of a message</th>");
  page.markup("<th class=\"number wide\">Waited before <small>longest</small></th><th class=\"share\"></th></tr>\n");
  std::vector<std::pair<std::pair<SiteId, SiteId>, SiteTraffic>> links(traffic.by_sites.begin(),
                                                                       traffic.by_sites.end());
  std::ranges::stable_sort(links, [](const auto& a, const auto& b) { return a.second.sent > b.second.sent; });
  for (const auto& [ends, crossed] : links) {
    const auto part = static_cast<double>(crossed.sent.value);
    const Bytes rate{static_cast<std::uint64_t>(crossed.rate())};
    add_ends(page, sites, ends);
    page.markup("<td class=\"number\">").text(human_bytes(crossed.sent)).markup("</td><td class=\"number\">");
    page.text(percent(part, all)).markup("</td><td class=\"number wide\">");
    page.text(crossed.came > 0 ? human_bytes(rate) + "/s" : "").markup("</td><td class=\"number wide\">");
    if (crossed.came > 0) page.text(human_seconds(crossed.mean_wait())).markup(" <small>");
    if (crossed.came > 0) page.text(human_seconds(crossed.longest_wait)).markup("</small>");
    page.markup("</td><td class=\"share\">").bar(part, all).markup("</td></tr>\n");
  }
  page.markup("</table></section>\n");
}

void add_queues(Page& page, const Status& status, bool elsewhere) {
  const auto& queues = elsewhere ? status.queues_elsewhere : status.queues;
  if (queues.empty()) return;
  const auto sites = site_names(status);
  page.markup("<section><h2>On their way from ").text(elsewhere ? "other processes" : "this process");
  page.markup(" <small>large messages").text(elsewhere ? " of nodes that do not compute" : "");
  page.markup("</small></h2><table>\n");
  page.markup("<tr><th>Between</th><th class=\"number\">Messages</th><th class=\"number\">Left</th>");
  page.markup("<th class=\"number\">Oldest</th></tr>\n");
  for (const auto& [ends, queue] : queues) {
    add_ends(page, sites, ends);
    page.markup("<td class=\"number\">").text(count(queue.messages)).markup("</td><td class=\"number\">");
    page.text(human_bytes(queue.left)).markup("</td><td class=\"number\">").text(human_seconds(queue.oldest));
    page.markup("</td></tr>\n");
  }
  page.markup("</table></section>\n");
}

void add_kinds(Page& page, const Status& status) {
  const Traffic& traffic = status.traffic;
  if (traffic.messages == 0) return;
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    if (traffic.messages_by_kind[kind] > 0) kinds.push_back(kind);
  }
  std::ranges::stable_sort(kinds,
                           [&](std::size_t a, std::size_t b) { return traffic.by_kind[a] > traffic.by_kind[b]; });
  const auto all = static_cast<double>((traffic.wan + traffic.lan).value);
  page.markup("<section><h2>Bytes by kind of message <small>").text(count(traffic.messages)).markup(" messages, ");
  page.text(human_bytes(traffic.wan + traffic.lan)).markup("</small></h2><table>\n<tr><th>Kind</th>");
  page.markup("<th class=\"number\">Messages</th>");
  page.markup("<th class=\"number\">Sent</th><th class=\"number\">Share</th><th class=\"share\"></th></tr>\n");
  for (const std::size_t kind : kinds) {
    const auto part = static_cast<double>(traffic.by_kind[kind].value);
    page.markup("<tr><td>").text(name(static_cast<MessageKind>(kind))).markup("</td><td class=\"number\">");
    page.text(count(traffic.messages_by_kind[kind])).markup("</td><td class=\"number\">");
    page.text(human_bytes(traffic.by_kind[kind])).markup("</td><td class=\"number\">");
    page.text(percent(part, all)).markup("</td><td class=\"share\">").bar(part, all).markup("</td></tr>\n");
  }
  page.markup("</table></section>\n");
}

}  // namespace

void add_traffic(Page& page, const Status& status) {
  add_sites(page, status);
  add_queues(page, status, false);
  add_queues(page, status, true);
  add_kinds(page, status);
}

}  // namespace dipaco
