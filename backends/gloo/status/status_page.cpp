#include "backends/gloo/status/status_page.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "backends/gloo/status/page.hpp"
#include "backends/gloo/status/status_page_parts.hpp"
#include "backends/gloo/status/traffic_page.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

std::int64_t members_up(const Status& status) {
  return std::ranges::count_if(status.members, [](const MemberStatus& member) { return member.up; });
}

void add_head(Page& page, const Status& status) {
  const auto gone = std::ranges::count_if(status.members, [](const MemberStatus& one) { return !one.up && !one.left; });
  page.markup("<header><h1>").text(status.run_name).markup("</h1>\n");
  if (status.finished) {
    page.markup("<span class=\"state good\">finished</span>\n");
  } else if (status.preparing) {
    page.markup("<span class=\"state wait\">preparing</span>\n");
  } else if (!status.progress.late.empty()) {
    page.markup("<span class=\"state wait\">somebody is late</span>\n");
  } else {
    page.markup("<span class=\"state good\">running</span>\n");
  }
  if (gone > 0 && !status.finished) {
    page.markup("<span class=\"state bad\">").text(count(static_cast<std::uint64_t>(gone))).markup(" gone</span>\n");
  }
  page.markup("<span class=\"soft\">told by: ").text(role_names(status.roles)).markup("</span></header>\n");
}

void add_preparation(Page& page, const Status& status) {
  if (!status.preparing) return;
  const StageStatus& stage = *status.preparing;
  const auto done = static_cast<double>(stage.done);
  const auto all = static_cast<double>(stage.total);
  page.markup("<section>").bar(done, all).markup("<div class=\"ends\"><span>");
  page.text(stage.name.empty() ? "The preparation begins" : stage.name);
  if (stage.total > 0) page.text(": " + human_count(stage.done) + " of " + human_count(stage.total));
  page.markup("</span><span class=\"soft\">this process takes part in the run after that</span></div></section>\n");
}

void add_progress(Page& page, const Status& status) {
  const RunProgress& progress = status.progress;
  if (progress.inner_steps_in_all == 0) return;
  const bool tasks = progress.tasks > 0;
  const std::int64_t done = tasks ? progress.tasks_committed : progress.inner_steps;
  const std::int64_t all = tasks ? progress.tasks : progress.inner_steps_in_all;
  const std::string share = percent(static_cast<double>(done), static_cast<double>(all));
  page.markup("<section>").bar(static_cast<double>(done), static_cast<double>(all));
  page.markup("<div class=\"ends\"><span>").text(human_count(done)).markup(" of ").text(human_count(all));
  page.markup(tasks ? " tasks, " : " inner steps, ").text(share).markup("</span><span class=\"soft\">");
  if (const auto left = time_left(status)) page.markup("about ").text(human_seconds(*left)).markup(" left");
  page.markup("</span></div></section>\n");
}

void add_facts(Page& page, const Status& status) {
  const RunProgress& progress = status.progress;
  const Traffic& traffic = status.traffic;
  page.markup("<section><dl>\n");
  if (progress.inner_steps_in_all > 0) {
    page.fact("Outer step", human_count(progress.outer_step), "of " + human_count(status.outer_steps));
    const auto loss = train_loss(status);
    page.fact("Training loss", loss ? format_fixed(*loss, 4) : "–", loss ? "" : "none yet");
  }
  page.fact("Time", human_seconds(progress.now), "on the run's clock");
  if (!status.members.empty()) {
    page.fact("Nodes up", count(static_cast<std::uint64_t>(members_up(status))),
              "of " + count(status.members.size()) + " that took part");
  }
  if (progress.inner_steps_in_all > 0) {
    const auto lost = static_cast<double>(status.inner_steps_lost);
    const auto all = lost + static_cast<double>(status.inner_steps_useful);
    page.fact("Useful inner steps", human_count(status.inner_steps_useful),
              human_count(status.inner_steps_lost) + " lost" + (lost > 0 ? ", " + percent(lost, all) : ""));
  }
  if (const auto trained = tokens(status)) {
    page.fact("Tokens a second", human_count(std::llround(trained->per_second)), human_count(trained->all) + " in all");
  }
  page.fact("Between sites", human_bytes(traffic.wan), human_bytes(traffic.lan) + " within sites");
  page.markup("</dl></section>\n");
}

/// What is later than expected stands apart from what every run waits for.
void add_waits(Page& page, const Status& status) {
  const std::vector<std::string>& late = status.progress.late;
  if (!late.empty()) {
    page.markup("<section class=\"late\"><h2>Later than expected</h2><ul>\n");
    for (const std::string& line : late) page.markup("<li>").text(line).markup("</li>\n");
    page.markup("</ul></section>\n");
  }
  if (status.waiting_for.size() == late.size()) return;
  page.markup("<section><h2>Under way <small>what paths wait for</small></h2><ul>\n");
  for (const std::string& line : status.waiting_for) {
    if (std::ranges::find(late, line) == late.end()) page.markup("<li>").text(line).markup("</li>\n");
  }
  page.markup("</ul></section>\n");
}

void add_slow(Page& page, const Status& status) {
  if (status.progress.slow_workers.empty()) return;
  page.markup("<section class=\"late\"><h2>Slow workers</h2><ul>\n");
  for (const std::string& line : status.progress.slow_workers) page.markup("<li>").text(line).markup("</li>\n");
  page.markup("</ul></section>\n");
}

void add_reserve(Page& page, const Status& status) {
  if (status.progress.in_reserve.empty()) return;
  page.markup("<section><h2>Workers in reserve</h2><ul>\n");
  for (const std::string& line : status.progress.in_reserve) page.markup("<li>").text(line).markup("</li>\n");
  page.markup("</ul></section>\n");
}

void add_stalled(Page& page, const Status& status) {
  if (status.stalled.empty()) return;
  page.markup("<section><h2>Streams that stood still <small>of this process</small></h2><ul>\n");
  for (const StreamStatus& stream : status.stalled) {
    const Seconds ago = std::max(Seconds(0), status.progress.now - stream.at);
    page.markup("<li>").text("node " + std::to_string(index(stream.node)) + " with node " +
                             std::to_string(index(stream.peer)) + ", " + human_seconds(ago) +
                             " ago: " + describe(stream.last) + "; times so far: " + count(stream.times));
    page.markup("</li>\n");
  }
  page.markup("</ul></section>\n");
}

void add_member(Page& page, const MemberStatus& member, Seconds now) {
  page.markup("<tr><td class=\"word\">").text(name(member.role)).markup(" ").text(std::to_string(index(member.id)));
  page.markup("</td><td class=\"site\">")
      .text(member.site_name)
      .markup(" <small>")
      .text(member.machine)
      .markup("</small></td>");
  page.markup("<td class=\"wide\"><small>").text(member.address).markup("</small></td><td class=\"word\">");
  page.markup(member.up     ? "<span class=\"state good\">up</span>"
              : member.left ? "<span class=\"state soft\">left</span>"
                            : "<span class=\"state bad\">gone</span>");
  if (member.since) {
    page.markup(" <small>for ").text(human_seconds(std::max(Seconds(0), now - *member.since))).markup("</small>");
  }
  page.markup("</td><td class=\"number\">").text(member.messages > 0 ? human_bytes(member.sent) : "–");
  page.markup("</td><td class=\"number wide\">").text(member.messages > 0 ? count(member.messages) : "–");
  page.markup("</td></tr>\n");
}

void add_members(Page& page, const Status& status) {
  if (status.members.empty()) return;
  std::vector<MemberStatus> members = status.members;
  // Among hundreds, those that are gone are what a reader looks for.
  std::ranges::stable_partition(members, [](const MemberStatus& member) { return !member.up && !member.left; });
  page.markup("<section><h2>Nodes</h2><table class=\"nodes\">\n<tr><th>Node</th><th>Site <small>machine</small></th>");
  page.markup("<th class=\"wide\">Address</th><th>State</th><th class=\"number\">Sent</th>");
  page.markup("<th class=\"number wide\">Messages</th></tr>\n");
  for (const MemberStatus& member : members) add_member(page, member, status.progress.now);
  page.markup("</table></section>\n");
}

/// As a Content-Security-Policy names an inline part.
std::string hash_of(std::string_view part) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(part.data()), part.size());
  std::array<char, sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)> text{};
  sodium_bin2base64(text.data(), text.size(), hash.data(), hash.size(), sodium_base64_VARIANT_ORIGINAL);
  return std::string("'sha256-") + text.data() + "'";
}

}  // namespace

std::string status_page(const Status& status) {
  Page page;
  page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  page.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  page.markup("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n<title>");
  page.text(status.run_name).markup("</title>\n<style>").markup(kStatusStyle).markup("</style>\n</head>\n<body>\n");
  page.markup("<div id=\"stale\" hidden><p></p></div>\n");
  page.markup(status.finished ? "<main data-finished>\n" : "<main>\n");
  add_head(page, status);
  add_preparation(page, status);
  add_progress(page, status);
  if (!status.preparing) add_facts(page, status);
  // The script draws them: it keeps them when it takes the rest of the page anew.
  page.markup("<section id=\"charts\" hidden></section>\n");
  add_waits(page, status);
  add_slow(page, status);
  add_reserve(page, status);
  add_stalled(page, status);
  add_members(page, status);
  add_traffic(page, status);
  page.markup("<footer>For programs: <a href=\"/metrics\">/metrics</a>, for Prometheus, and ");
  page.markup("<a href=\"/status.json\">/status.json</a>.</footer>\n</main>\n");
  page.markup("<script>").markup(kStatusScript).markup("</script>\n</body>\n</html>\n");
  return page.take();
}

std::string status_page_policy() {
  return "default-src 'none'; style-src " + hash_of(kStatusStyle) + " 'self'; script-src " + hash_of(kStatusScript) +
         " 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace dipaco
