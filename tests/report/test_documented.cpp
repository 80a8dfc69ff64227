#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;

namespace {

using Names = std::set<std::string>;

/// The names in backquotes that begin the rows of tables, from `## heading` to the next heading.
Names documented(const std::string& heading) {
  const std::string page = read_text(std::filesystem::path(DIPACO_SOURCE_DIR) / "docs" / "reading-the-output.md");
  Names names;
  bool within = false;
  for (const std::string& line : split(page, '\n')) {
    if (line.rfind("## ", 0) == 0) within = line == "## " + heading;
    if (!within || line.rfind("| `", 0) != 0) continue;
    const std::string name = line.substr(3, line.find('`', 3) - 3);
    INFO(heading << ": " << name << " is documented twice");
    CHECK(names.insert(name).second);
  }
  return names;
}

Names columns(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  const auto names = split(text.substr(0, text.find('\n')), ',');
  return {names.begin(), names.end()};
}

/// As the page calls it: bytes_KIND for each kind of message.
std::string as_documented(const std::string& key) {
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    const std::string suffix = name(static_cast<MessageKind>(kind));
    if (key == "bytes_" + suffix) return "bytes_KIND";
    if (key == "messages_" + suffix) return "messages_KIND";
  }
  return key;
}

/// What a scenario with all prices says of the made-up run.
CostFacts all_costs() {
  CostFacts costs;
  costs.machines = {{.name = "e3", .there = {{Seconds(0), Seconds(80)}}, .price = UsdPerHour{2}}};
  costs.machines[0].power = {.idle = {60}, .busy = {400}};
  costs.machines[0].power_price = UsdPerKilowattHour{0.1};
  costs.egress = {{{SiteId{0}, SiteId{1}}, {.usd = 0.09}}};
  return costs;
}

}  // namespace

TEST_CASE("docs/reading-the-output.md has every column of every CSV file and no other", "[report]") {
  const auto run = testing::made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path(), .events = true});
  for (const char* file : {"outer_steps.csv", "workers.csv", "links.csv", "links_over_time.csv", "tasks.csv",
                           "critical_path.csv", "module_steps.csv", "events.csv"}) {
    INFO(file);
    CHECK(documented(file) == columns(folder.path() / file));
  }
}

TEST_CASE("docs/reading-the-output.md has every column of the files of a run with prices", "[report]") {
  auto run = testing::made_up_run();
  run.facts.costs = all_costs();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  for (const char* file : {"machines.csv", "egress.csv"}) {
    INFO(file);
    CHECK(documented(file) == columns(folder.path() / file));
  }
}

TEST_CASE("docs/reading-the-output.md has every key of summary.json and no other", "[report]") {
  auto run = testing::made_up_run();
  run.facts.more["shard_passes"] = 2.5;
  run.facts.step_tokens = 512;
  run.facts.step_flops = 3e9;
  run.facts.target_perplexity = 44;
  run.facts.more["advice"] = std::string("the model is worse than its dense start");
  Names keys;
  for (const auto& [key, fact] : summarize(run.facts, run.events)) keys.insert(as_documented(key));  // in rounds
  run.events.push_back({.kind = EventKind::worker_set_aside, .node = run.facts.nodes.back().id});
  run.events.push_back({.kind = EventKind::worker_slow, .node = run.facts.nodes.back().id});
  run.events.push_back({.kind = EventKind::worker_in_reserve, .node = run.facts.nodes.back().id, .value = 341});
  run.events.push_back({.kind = EventKind::contribution_applied, .path = PathId{0}, .outer_step = OuterStep{0}});
  run.events.push_back({.kind = EventKind::contribution_dropped, .path = PathId{1}, .outer_step = OuterStep{0}});
  run.facts.costs = all_costs();
  for (const bool simulated : {true, false}) {
    run.facts.simulated = simulated;
    for (const auto& [key, fact] : summarize(run.facts, run.events)) keys.insert(as_documented(key));
  }
  CHECK(documented("summary.json") == keys);
}

TEST_CASE("docs/reading-the-output.md has every kind of event", "[report]") {
  const std::string page = read_text(std::filesystem::path(DIPACO_SOURCE_DIR) / "docs" / "reading-the-output.md");
  for (int kind = 0; kind <= static_cast<int>(EventKind::transfer); ++kind) {
    std::string quoted = name(static_cast<EventKind>(kind));
    quoted.insert(0, 1, '`').push_back('`');
    CHECK(page.find(quoted) != std::string::npos);
  }
}
