#include <sodium.h>

#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "backends/gloo/status/status_json.hpp"
#include "backends/gloo/status/status_metrics.hpp"
#include "backends/gloo/status/status_page.hpp"
#include "core/base/text.hpp"
#include "core/data/utf8.hpp"
#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
using testing::bad_name;
using testing::made_up_status;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The lines with values, but for kinds of messages of which there were none.
std::vector<std::string> samples_of(const std::string& text) {
  std::vector<std::string> samples;
  for (const std::string& line : lines_of(text)) {
    const bool none = line.find("{kind=") != std::string::npos && line.ends_with(" 0");
    if (!line.starts_with('#') && !none) samples.push_back(line);
  }
  return samples;
}

/// A line of Prometheus' text format, version 0.0.4, as it is read from its begin.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}
  bool take(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  std::string_view take_name() {
    const auto end = std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest_.size());
    const auto name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }
  bool take_quoted() {
    if (!take("\"")) return false;
    while (!rest_.empty() && !rest_.starts_with('"')) {
      const bool escape = take("\\");
      if (rest_.empty() || (escape && !rest_.starts_with('\\') && !rest_.starts_with('"') && !rest_.starts_with('n'))) {
        return false;
      }
      rest_.remove_prefix(1);
    }
    return take("\"");
  }
  bool take_labels() {
    if (!take("{")) return true;
    do {
      if (take_name().empty() || !take("=") || !take_quoted()) return false;
    } while (take(","));
    return take("}");
  }
  bool rest_is_number() const { return rest_ == "Nan" || parse_number(rest_); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// What is wrong with `text` as Prometheus' text format; "" where nothing is.
std::string fault_in(const std::string& text) {
  std::set<std::string> seen;
  std::string helped;
  std::string family;
  for (const std::string& line : lines_of(text)) {
    if (!seen.insert(line.substr(0, line.rfind(' '))).second) return "twice: " + line;
    Line parts(line);
    if (parts.take("# HELP ")) {
      helped = parts.take_name();
      if (!parts.take(" ") || parts.rest().empty()) return "no help: " + line;
    } else if (parts.take("# TYPE ")) {
      family = parts.take_name();
      if (family != helped) return "no help: " + line;
      if (family.ends_with("_total") != (parts.rest() == " counter")) return "the name of a counter: " + line;
    } else if (parts.take_name() != family || !parts.take_labels() || !parts.take(" ") || !parts.rest_is_number()) {
      return "no sample of " + family + ": " + line;
    }
  }
  return first_invalid_utf8(text) ? "not UTF-8" : text.ends_with('\n') ? "" : "its last line has no end";
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::string sha256(const std::string& text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char, 64> base64{};
  sodium_bin2base64(base64.data(), base64.size(), hash.data(), hash.size(), sodium_base64_VARIANT_ORIGINAL);
  return base64.data();
}

}  // namespace

TEST_CASE("a status gives exactly these metrics", "[gloo]") {
  const std::string coordinator = R"({node="0",role="coordinator",site="north",machine="m0"} )";
  const std::string worker = R"({node="1",role="worker",site="north",machine="m1"} )";
  const std::string gone = R"({node="2",role="worker",site="south",machine="m2"} )";
  const std::string stream = R"({node="0",peer="1",stream="1",way="from peer"} )";
  const std::vector<std::string> expected{
      R"(dipaco_run_info{run="tiny",roles="coordinator, store"} 1)",
      "dipaco_run_seconds 90.5",
      "dipaco_run_finished 0",
      "dipaco_waits 1",
      "dipaco_slow_workers 1",
      "dipaco_workers_in_reserve 1",
      "dipaco_outer_step 2",
      "dipaco_outer_steps 5",
      "dipaco_tasks_committed_total 10",
      "dipaco_tasks 20",
      "dipaco_inner_steps 800",
      "dipaco_inner_steps_useful_total 1000",
      "dipaco_inner_steps_lost_total 250",
      "dipaco_tokens_total 512000",
      "dipaco_states_refused_total 3",
      "dipaco_messages_refused_total 4",
      "dipaco_train_loss 3.25",
      "dipaco_member_up" + coordinator + "1",
      "dipaco_member_up" + worker + "1",
      "dipaco_member_up" + gone + "0",
      "dipaco_member_since_seconds" + coordinator + "0",
      "dipaco_member_since_seconds" + worker + "1.5",
      "dipaco_member_since_seconds" + gone + "60.5",
      "dipaco_member_sent_bytes_total" + coordinator + "1000",
      "dipaco_member_sent_bytes_total" + worker + "2000000",
      "dipaco_member_sent_bytes_total" + gone + "500",
      "dipaco_member_messages_total" + coordinator + "7",
      "dipaco_member_messages_total" + worker + "30",
      "dipaco_member_messages_total" + gone + "2",
      "dipaco_wan_bytes_total 2000400",
      "dipaco_lan_bytes_total 600",
      R"(dipaco_sent_bytes_total{kind="task"} 1000)",
      R"(dipaco_sent_bytes_total{kind="outer_gradient"} 2000000)",
      R"(dipaco_messages_total{kind="task"} 2)",
      R"(dipaco_messages_total{kind="outer_gradient"} 1)",
      R"(dipaco_site_bytes_total{from="north",to="north"} 600)",
      R"(dipaco_site_bytes_total{from="north",to="south"} 400)",
      R"(dipaco_site_bytes_total{from="south",to="north"} 2000000)",
      R"(dipaco_site_large_messages_total{from="south",to="north"} 2)",
      R"(dipaco_site_moving_seconds_total{from="south",to="north"} 4)",
      R"(dipaco_site_waited_seconds_total{from="south",to="north"} 4.5)",
      R"(dipaco_site_longest_wait_seconds{from="south",to="north"} 4)",
      R"(dipaco_queue_messages{from="north",to="south"} 3)",
      R"(dipaco_queue_bytes{from="north",to="south"} 7000000)",
      R"(dipaco_queue_oldest_seconds{from="north",to="south"} 12.5)",
      "dipaco_stream_stalls_total" + stream + "2",
      "dipaco_stream_stood_seconds" + stream + "10.5",
      "dipaco_stream_stood_behind_chunks" + stream + "7",
  };
  const std::string text = status_metrics(made_up_status());
  CHECK(samples_of(text) == expected);
  CHECK_THAT(text, Contains("# HELP dipaco_run_seconds The run's clock.\n# TYPE dipaco_run_seconds gauge\n"));
  CHECK_THAT(text, Contains("# TYPE dipaco_sent_bytes_total counter\n"));
  CHECK_THAT(text, Contains(R"(dipaco_sent_bytes_total{kind="goodbye"} 0)"));
}

TEST_CASE("metrics keep to the text format, whatever a site is called and however the loss went", "[gloo]") {
  CHECK(fault_in(status_metrics(made_up_status())).empty());
  Status status = made_up_status();
  status.run_name = bad_name();
  status.members[1].site_name = bad_name();
  status.members[2].machine = bad_name();
  status.progress.loss = std::numeric_limits<double>::quiet_NaN();
  status.traffic.count(MessageKind::task, {1ULL << 60}, SiteId{7}, SiteId{8});
  CHECK(fault_in(status_metrics(status)).empty());
  CHECK(fault_in(status_metrics({})).empty());
  CHECK_THAT(status_metrics(status), Contains(R"(from="site 7",to="site 8")"));
  CHECK_THAT(status_metrics(status), Contains(R"(site="a\"b\\c\nd}e <script>)"));
  CHECK(fault_in("# HELP a b\n# TYPE a gauge\na{x=\"\"y\"} 1\n") == "no sample of a: a{x=\"\"y\"} 1");
  CHECK(fault_in("# HELP a b\n# TYPE a counter\n") == "the name of a counter: # TYPE a counter");
}

TEST_CASE("what a process does not know of the run is absent, not 0", "[gloo]") {
  Status status = made_up_status();
  status.progress.tasks_committed = status.progress.inner_steps = 0;
  CHECK_FALSE(train_loss(status));
  CHECK_FALSE(time_left(status));
  CHECK_THAT(status_metrics(status), !Contains("train_loss") && Contains("dipaco_tasks 20"));
  CHECK_THAT(status_page(status), Contains("none yet"));
  status.progress.tasks = status.progress.inner_steps_in_all = 0;
  CHECK_THAT(status_metrics(status), !Contains("dipaco_tasks") && !Contains("outer_step"));
  CHECK_THAT(status_page(status), !Contains("Outer step") && Contains("1 min 31 s"));
  CHECK_FALSE(nlohmann::json::parse(status_json(status)).contains("tasks"));
}

TEST_CASE("the time left follows from the pace so far", "[gloo]") {
  Status status = made_up_status();
  status.progress.tasks_committed = 5;
  status.progress.inner_steps = 200;
  // 90.5 s for 5 tasks: 18.1 s each, for 15 more.
  CHECK(time_left(status)->count() == Approx(271.5));
  status.finished = true;
  CHECK_FALSE(time_left(status));
}

TEST_CASE("where tasks differ in length, inner steps say how far the run is", "[gloo]") {
  Status status = made_up_status();
  status.progress.tasks = 0;
  CHECK_THAT(status_page(status), Contains("400 of 800 inner steps, 50 %") && !Contains("tasks,"));
  CHECK_THAT(status_metrics(status), Contains("dipaco_inner_steps 800") && !Contains("dipaco_tasks 20"));
  const auto json = nlohmann::json::parse(status_json(status));
  CHECK(json["inner_steps"] == 800);
  CHECK(json["tasks_completed"] == 10);
  CHECK_FALSE(json.contains("tasks"));
  CHECK(time_left(status) == Seconds(90.5));
}

TEST_CASE("the page shows how far the run is, who is gone and who is waited for", "[gloo]") {
  const std::string page = status_page(made_up_status());
  for (const char* what :
       {"<h1>tiny</h1>", "10 of 20 tasks, 50 %", "about 1 min 31 s left", "of 5", "3.2500", "1 gone",
        "path 3, outer step 2: worker 2 (m2, site south) for 12 s", "gone</span> <small>for 30.0 s", "2.00 MB",
        "250 lost, 20 %", "outer_gradient", "600 B within sites", "500 kB/s</td>", "2.25 s <small>4.00 s</small>",
        "north to south</td><td class=\"number\">3</td><td class=\"number\">7.00 MB</td><td class=\"number\">12.5 "
        "s</td>",
        "node 0 with node 1, 30.0 s ago: stream 1 from it stood for 10.5 s behind 7 chunks and 12345 "
        "bytes of the next, with 3 chunks owed; it goes on from there over another connection; times "
        "so far: 2"}) {
    CHECK_THAT(page, Contains(what));
  }
  // Node 2 is gone: it stands before node 0.
  CHECK(page.find(">worker 2</td>") < page.find(">coordinator 0</td>"));
  Status finished = made_up_status();
  finished.finished = true;
  CHECK_THAT(status_page(finished), Contains("<main data-finished>") && Contains(">finished</span>"));
}

TEST_CASE("nothing that a node or a run file says becomes markup of the page", "[gloo]") {
  Status status = made_up_status();
  const std::string page = status_page(status);
  status.run_name = status.members[0].site_name = status.members[1].machine = bad_name();
  status.members[2].site_name = status.members[0].address = status.waiting_for[0] = bad_name();
  const std::string bad = status_page(status);
  CHECK(std::ranges::count(bad, '<') == std::ranges::count(page, '<'));
  CHECK(std::ranges::count(bad, '"') == std::ranges::count(page, '"'));
  CHECK_THAT(bad, Contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; \xC3\xA9\xEF\xBF\xBD"));
  CHECK_FALSE(first_invalid_utf8(bad));
}

TEST_CASE("the page needs nothing from elsewhere, and its policy allows its own style and script alone", "[gloo]") {
  const std::string page = status_page(made_up_status());
  CHECK_THAT(page, !Contains("://") && !Contains("src=") && !Contains("<link") && !Contains("style="));
  const std::string policy = status_page_policy();
  CHECK_THAT(policy, Contains("default-src 'none'") && !Contains("unsafe"));
  CHECK_THAT(policy, Contains("style-src 'sha256-" + sha256(between(page, "<style>", "</style>")) + "'"));
  CHECK_THAT(policy, Contains("script-src 'sha256-" + sha256(between(page, "<script>", "</script>")) + "'"));
}

TEST_CASE("a member is shown where it listens, as the coordinator says", "[gloo]") {
  const MemberStatus status = status_of({NodeId{4}, Role::executor, 1, SiteId{2}, "west", "m4", "127.0.0.4", 77, true});
  CHECK(status.id == NodeId{4});
  CHECK(status.site_name == "west");
  CHECK(status.address == "127.0.0.4:77");
  CHECK(status.up);
  CHECK(status_of({}).address.empty());
}

TEST_CASE("a process that prepares says how far it is, and nothing of the run", "[gloo]") {
  Status status{.run_name = "tiny", .roles = {Role::worker}, .preparing = StageStatus{"dense", 1200, 3000}};
  const std::string page = status_page(status);
  CHECK_THAT(page, Contains(">preparing</span>") && Contains("dense: 1,200 of 3,000") && Contains("value=\"400\""));
  CHECK_THAT(page, !Contains("Outer step") && !Contains("on the run&#39;s clock"));
  const auto json = nlohmann::json::parse(status_json(status));
  CHECK(json["preparing"] == "dense");
  CHECK(json["preparing_done"] == 1200);
  CHECK(json["preparing_total"] == 3000);
  CHECK_THAT(status_metrics(status), Contains("dipaco_preparing_done{stage=\"dense\"} 1200"));
  CHECK(fault_in(status_metrics(status)).empty());
  status.preparing.reset();
  CHECK_FALSE(nlohmann::json::parse(status_json(status)).contains("preparing"));
  CHECK_THAT(status_metrics(status), !Contains("dipaco_preparing"));
}

}  // namespace dipaco
