#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "core/base/prices.hpp"
#include "core/base/text.hpp"
#include "core/base/wrap.hpp"
#include "core/report/csv_files.hpp"
#include "core/report/report.hpp"
#include "core/report/summary.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kLabel = 14;
constexpr std::size_t kMostLinkLines = 4;
constexpr std::size_t kMostNamed = 8;  // workers; summary.json has all

std::optional<double> number(const std::map<std::string, Fact>& facts, const std::string& key) {
  const auto fact = facts.find(key);
  if (fact == facts.end()) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&fact->second)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&fact->second)) return *real;
  return std::nullopt;
}

std::string percent(double share) { return format_fixed(100 * share, 1) + " %"; }

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string counted(std::int64_t count, const std::string& one) {
  return human_count(count) + " " + one + (count == 1 ? "" : "s");
}

class Screen {
 public:
  Screen(std::ostream& out, const RunFacts& facts, const Account& account)
      : out_(out), facts_(facts), account_(account) {}

  void print(const std::filesystem::path& folder) {
    title();
    unfinished();
    duration();
    worker_time();
    tasks();
    traffic();
    cost();
    network();
    links();
    learning();
    line("files", folder.string() + ": summary.json, *.csv, trace.json");
  }

 private:
  /// What does not fit beside the label goes on below.
  void line(const std::string& label, const std::string& text) {
    std::string shown = label;
    for (const std::string& part : wrapped(text, kColumns - kLabel)) {
      out_ << "  " << padded(shown, kLabel - 2) << part << '\n';
      shown.clear();
    }
  }

  void title() {
    const std::string rest = ": " + counted(facts_.paths, "path") + ", " +
                             counted(static_cast<std::int64_t>(account_.workers.size()), "worker") + ", " +
                             counted(static_cast<std::int64_t>(facts_.sites.size()), "site") + "; " +
                             counted(facts_.outer_steps, "outer step") + " of " +
                             counted(facts_.inner_steps, "inner step");
    const std::vector<std::string> lines = wrapped(facts_.name + rest, kColumns);
    for (const std::string& one : lines) out_ << one << '\n';
    link_lines_ -= std::min(link_lines_, lines.size() - 1);
  }

  void unfinished() {
    if (facts_.more.contains("why_unfinished")) line("end", "not finished, for want of progress; see below");
  }

  void duration() {
    const std::optional<double> wall = number(facts_.more, "wall_s");
    const double around = wall.value_or(0) - facts_.duration.count();
    std::string text = human_seconds(facts_.duration);
    if (facts_.simulated) text += " simulated";
    if (wall) text += ", wall time " + human_seconds(Seconds(*wall));
    if (wall && !facts_.simulated && around > 0) {
      text += ": " + human_seconds(Seconds(around)) + " for preparation and evaluation";
    }
    if (const auto peak = number(facts_.more, "peak_rss_bytes")) {
      text += ", memory " + human_bytes(Bytes{static_cast<std::uint64_t>(*peak)});
    }
    line("duration", text);
  }

  void worker_time() {
    const WorkerTime time = total(account_).time;
    if (time.up <= Seconds(0)) return line("worker time", "no worker was ever up");
    const auto part = [&](const char* what, Seconds seconds) {
      return std::string(what) + " " + percent(seconds / time.up) + "  ";
    };
    std::string text = part("compute", time.compute) + part("transfer", time.transfer) + part("wait", time.wait) +
                       part("lost", time.lost);
    if (time.evaluate > Seconds(0)) text += part("evaluate", time.evaluate);
    line("worker time", std::string(trim(text)));
    line("goodput", percent(time.compute / time.provisioned) + " of the seconds provisioned; commit wait " +
                        percent(time.commit_wait / time.up));
  }

  void tasks() {
    const WorkerTotals totals = total(account_);
    const WorkerTime& time = totals.time;
    std::string text = human_count(time.tasks_committed) + " completed";
    if (time.tasks_requeued > 0) text += ", " + human_count(time.tasks_requeued) + " requeued";
    if (totals.handed_back > 0) text += ", " + human_count(totals.handed_back) + " handed back";
    if (account_.states_refused > 0) text += ", " + human_count(account_.states_refused) + " refused as not finite";
    line("tasks", text + "; " + human_count(time.inner_steps_lost) + " of " + human_count(time.inner_steps) +
                      " inner steps lost");
    if (!account_.contributions.empty()) contributions();
    if (!account_.slow.empty()) line("slow", first_of_list(names_of(facts_, account_.slow), kMostNamed));
    if (!account_.in_reserve.empty()) line("in reserve", first_of_list(reserve_in_words(facts_, account_), kMostNamed));
    if (!account_.set_aside.empty()) line("set aside", first_of_list(names_of(facts_, account_.set_aside), kMostNamed));
  }

  void contributions() {
    const ContributionTotals all = all_contributions(account_);
    std::string text = human_count(all.applied) + " contributions applied, " + human_count(all.dropped) + " dropped";
    if (all.applied > 0) {
      text += "; " + format_fixed(all.mean_staleness(), 1) + " versions late, at most " + human_count(all.most_stale) +
              ", " + human_seconds(all.mean_wait()) + " at owners";
    }
    line("staleness", text);
    if (account_.starved.empty()) return;
    line("starved", first_of_list(starved_in_words(account_), kMostNamed) +
                        ": what they compute comes too late. Raise outer.max_staleness");
  }

  void traffic() {
    const Traffic& traffic = facts_.traffic;
    line("bytes", human_bytes(traffic.wan) + " between sites, " + human_bytes(traffic.lan) + " within them, in " +
                      counted(static_cast<std::int64_t>(traffic.messages), "message"));
  }

  /// Only what has a price or draws power.
  void cost() {
    const Bill& bill = account_.bill;
    std::string text;
    if (bill.usd) {
      text = human_amount(bill.usd->value) + " USD";
      const char* join = ": ";
      const auto part = [&](const char* what, const std::optional<Usd>& usd) {
        if (!usd) return;
        text += join + std::string(what) + " " + human_amount(usd->value);
        join = ", ";
      };
      part("machines", bill.machine_usd);
      part("egress", bill.egress_usd);
      part("energy", bill.energy_usd);
    }
    if (bill.energy) text += (bill.usd ? "; " : "") + human_amount(bill.energy->value) + " kWh";
    if (!text.empty()) line("cost", text);
  }

  void network() {
    const auto model = facts_.more.find("network_model");
    if (model == facts_.more.end()) return;
    if (const auto* text = std::get_if<std::string>(&model->second)) line("network", *text);
  }

  /// The busiest links, or pairs of sites where links are not known.
  void links() {
    struct Row {
      std::string name;
      Bytes bytes;
      double use = 0;
      std::string uses;
    };
    std::vector<Row> rows;
    for (const LinkFacts& link : facts_.links) {
      const double seconds = account_.end.count();
      const double use =
          seconds > 0 && link.bandwidth > 0 ? static_cast<double>(link.bytes.value) / (link.bandwidth * seconds) : 0;
      rows.push_back({link.name, link.bytes, use, "mean " + percent(use) + ", peak " + percent(link.peak_use)});
    }
    if (facts_.links.empty()) {
      for (const auto& [sites, crossed] : facts_.traffic.by_sites) {
        if (sites.first == sites.second) continue;
        const std::string wait = crossed.came == 0 ? "" : "longest wait " + human_seconds(crossed.longest_wait);
        rows.push_back(
            {site_name(facts_, sites.first) + " to " + site_name(facts_, sites.second), crossed.sent, 0, wait});
      }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.use != b.use ? a.use > b.use : a.bytes > b.bytes; });
    std::string label = facts_.links.empty() ? "most between" : "busiest";
    std::size_t shown = 0;
    for (const Row& row : rows) {
      const std::string text = padded(row.name, 28) + "  " + padded(human_bytes(row.bytes), 8) + "  " + row.uses;
      const std::size_t lines = wrapped(text, kColumns - kLabel).size();
      if (row.bytes.value == 0 || (shown > 0 && shown + lines > link_lines_)) return;
      shown += lines;
      line(std::exchange(label, ""), text);
    }
  }

  void learning() {
    const auto ours = number(facts_.more, "validation_perplexity");
    if (std::isfinite(account_.train_loss)) {
      const char* const when = account_.lengths_differ ? " in the paths' last tasks" : " in the last outer step";
      line("train loss", format_fixed(account_.train_loss, 3) + when);
    }
    if (!ours) return;
    std::string text = format_fixed(*ours, 2);
    if (const auto start = number(facts_.more, "dense_validation_perplexity")) {
      text += "; dense start " + format_fixed(*start, 2);
    }
    if (const auto dense = number(facts_.more, "dense_equal_steps_validation_perplexity")) {
      text += "; dense, as many steps " + format_fixed(*dense, 2);
    }
    line("perplexity", text);
    if (facts_.target_perplexity > 0) target();
    const auto advice = facts_.more.find("advice");
    if (advice == facts_.more.end()) return;
    if (const auto* words = std::get_if<std::string>(&advice->second)) line("advice", *words);
  }

  void target() {
    const std::string wished = "perplexity " + human_amount(facts_.target_perplexity);
    if (!account_.target) return line("target", wished + " was not reached");
    std::string text = wished + " after " + human_seconds(account_.target->time);
    if (const auto& usd = account_.target->usd) text += ", " + human_amount(usd->value) + " USD";
    line("target", text);
  }

  std::size_t link_lines_ = kMostLinkLines;  ///< fewer below a long title: all is to fit a screen
  std::ostream& out_;
  const RunFacts& facts_;
  const Account& account_;
};

}  // namespace

void print_summary(std::ostream& out, const RunFacts& facts, const std::vector<Event>& events,
                   const std::filesystem::path& folder) {
  print_summary(out, facts, make_account(facts, events), folder);
}

void print_summary(std::ostream& out, const RunFacts& facts, const Account& account,
                   const std::filesystem::path& folder) {
  Screen(out, facts, account).print(folder);
}

}  // namespace dipaco
