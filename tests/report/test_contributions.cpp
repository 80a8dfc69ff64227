// What became of contributions, in a run without rounds.

#include <catch2/catch.hpp>
#include <sstream>

#include "core/report/accounts/account.hpp"
#include "core/report/csv_files.hpp"
#include "core/report/summary.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kStepper{1};

struct Told {
  double time;
  EventKind kind;
  int path;
  int outer_step;
  int version;
  double staleness;
  double waits = 0;  ///< at its owner
};

std::vector<Event> events_of(const std::vector<Told>& all) {
  std::vector<Event> events;
  for (const Told& told : all) {
    events.push_back({.time = Seconds(told.time),
                      .kind = told.kind,
                      .node = kStepper,
                      .path = PathId{told.path},
                      .module = {0, 0},
                      .outer_step = OuterStep{told.outer_step},
                      .version = told.version,
                      .begin = Seconds(told.time - told.waits),
                      .value = told.staleness});
  }
  return events;
}

/// Two paths give to one module; the second's second contribution is too stale. The executor begins anew at 9 s and
/// tells its last version once more.
std::vector<Event> two_paths() {
  return events_of({{2, EventKind::contribution_applied, 0, 0, 1, 0, 0.5},
                    {3, EventKind::contribution_applied, 1, 0, 2, 1, 2},
                    {7, EventKind::contribution_applied, 0, 1, 3, 3},
                    {8, EventKind::contribution_dropped, 1, 1, 3, 4},
                    {10, EventKind::contribution_applied, 0, 1, 3, 3}});
}

RunFacts facts() {
  RunFacts run;
  run.paths = 2;
  run.nodes = {{NodeId{0}, Role::coordinator, SiteId{0}, "a"}, {kStepper, Role::executor, SiteId{0}, "b"}};
  run.sites = {"east"};
  return run;
}

}  // namespace

TEST_CASE("each contribution is counted once, by its task's outer step, and its staleness with it", "[report]") {
  auto events = two_paths();
  for (int order = 0; order < 2; ++order, std::reverse(events.begin(), events.end())) {
    const auto totals = contribution_totals(events);
    REQUIRE(totals.size() == 2);
    const ContributionTotals& first = totals.at(OuterStep{0});
    CHECK(first.applied == 2);
    CHECK(first.dropped == 0);
    CHECK(first.mean_staleness() == 0.5);
    CHECK(first.mean_wait() == Seconds(1.25));
    CHECK(first.last_applied == Seconds(3));
    const ContributionTotals& second = totals.at(OuterStep{1});
    CHECK(second.applied == 1);
    CHECK(second.dropped == 1);
    CHECK(second.most_stale == 3);
    CHECK(second.last_applied == Seconds(10));
  }
}

TEST_CASE("a dropped contribution that is applied after its executor has begun anew counts as applied", "[report]") {
  const auto totals = contribution_totals(
      events_of({{2, EventKind::contribution_dropped, 0, 0, 1, 5}, {4, EventKind::contribution_applied, 0, 0, 2, 1}}));
  CHECK(totals.at(OuterStep{0}).applied == 1);
  CHECK(totals.at(OuterStep{0}).dropped == 0);
}

TEST_CASE("the summary says how many contributions were applied and dropped, and how stale - in rounds nothing",
          "[report]") {
  auto summary = summarize(facts(), two_paths());
  CHECK(std::get<std::int64_t>(summary.at("contributions_applied")) == 3);
  CHECK(std::get<std::int64_t>(summary.at("contributions_dropped")) == 1);
  CHECK(std::get<double>(summary.at("staleness_mean")) == Approx(4.0 / 3));
  CHECK(std::get<std::int64_t>(summary.at("staleness_max")) == 3);
  CHECK_FALSE(summarize(facts(), std::vector<Event>{}).contains("contributions_applied"));
  std::ostringstream screen;
  print_summary(screen, facts(), two_paths(), "out");
  CHECK_THAT(screen.str(), Catch::Contains("staleness   3 contributions applied, 1 dropped; 1.3 versions late, "
                                           "at most 3"));
}

TEST_CASE("a path is named that lost most of its contributions to the bound on staleness", "[report]") {
  auto events = two_paths();
  CHECK(std::get<std::int64_t>(summarize(facts(), events).at("paths_starved")) == 0);
  CHECK_FALSE(summarize(facts(), events).contains("starved"));
  const auto more = events_of({{11, EventKind::contribution_dropped, 1, 2, 5, 4}});
  events.insert(events.end(), more.begin(), more.end());
  const auto summary = summarize(facts(), events);
  CHECK(std::get<std::int64_t>(summary.at("paths_starved")) == 1);
  CHECK(std::get<std::string>(summary.at("starved")) == "path 1 (2 of 3 contributions dropped)");
  std::ostringstream screen;
  print_summary(screen, facts(), events, "out");
  CHECK_THAT(screen.str(), Catch::Contains("starved     path 1 (2 of 3 contributions dropped): what they"));
}

TEST_CASE("without rounds an outer step ends with the last version that has one of its contributions", "[report]") {
  Account account;
  for (const auto& [path, committed] : {std::pair(0, 1.0), {1, 2.5}}) {
    account.attempts.push_back({.path = PathId{path},
                                .outer_step = OuterStep{0},
                                .attempt = 1,
                                .end = AttemptEnd::committed,
                                .queued = Seconds(0),
                                .ended = Seconds(committed)});
  }
  auto events = two_paths();
  events.push_back(
      {.time = Seconds(30), .kind = EventKind::module_stepped, .module = {0, 0}, .version = 1, .value = 7});
  account.contributions = contribution_totals(events);
  account.outer_steps = outer_step_times(facts(), account, events);
  REQUIRE(account.outer_steps.size() == 1);
  CHECK(account.outer_steps[0].end == Seconds(3));
  CHECK_FALSE(std::isfinite(account.outer_steps[0].outer_gradient_norm));  // version 1 is not what outer step 0 made
  CHECK_THAT(outer_steps_csv(account), Catch::EndsWith(",2,0,0.5,1.25\n"));
  account.contributions.clear();
  CHECK_THAT(outer_steps_csv(account), Catch::EndsWith(",,,,\n"));
}

}  // namespace dipaco::testing
