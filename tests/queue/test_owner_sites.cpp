#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <vector>

#include "core/queue/places/owner_sites.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {
namespace {

constexpr Crossing kBytes{Bytes{1000}, Bytes{1000}};

/// Three sites with an executor each and 16 paths through four modules, of which a task goes through one. All lines
/// carry 100 bytes a second, but those of the north.
class ThreeSites {
 public:
  explicit ThreeSites(double norths_lines) {
    for (const SiteId from : {kEast, kWest, kNorth}) {
      for (const SiteId to : {kEast, kWest, kNorth}) {
        const bool north = from == kNorth || to == kNorth;
        if (from != to) table_->pairs[{from, to}] = north ? norths_lines : 100;
      }
    }
    exchange_.known_are(table_);
    for (std::int32_t expert = 0; expert < 4; ++expert) {
      exchange_.module_is({0, expert}, {.share = 0.25, .gradient = kBytes, .version = kBytes});
    }
    fleet_.cost_is({.inner_step = 1, .lengths = TaskLengths(10)});
  }

  /// A worker that needs so long for a task.
  void up(SiteId site, double task) { fleet_.up(NodeId{node_++}, site, 10 / task, true); }
  void up_unknown(SiteId site) { fleet_.up(NodeId{node_++}, site, 0, true); }
  LineTable& table() { return *table_; }
  OwnerSites choice() const { return owner_sites(fleet_, exchange_, {kEast, kWest, kNorth}, 16); }
  std::set<SiteId> owners() const { return choice().sites; }

 private:
  std::shared_ptr<LineTable> table_ = std::make_shared<LineTable>();
  ExchangeTimes exchange_;
  Fleet fleet_;
  int node_ = 10;
};

}  // namespace

TEST_CASE("executors of all sites own modules where lines hold no outer step up", "[queue]") {
  ThreeSites run(100);
  for (const SiteId site : {kEast, kWest, kNorth}) run.up(site, 1000);
  CHECK(run.owners() == std::set{kEast, kWest, kNorth});
  ThreeSites nobody(1);
  CHECK(nobody.owners() == std::set{kEast, kWest, kNorth});
  // Of workers that say no speed nothing can be foreseen, whatever the lines carry.
  for (const SiteId site : {kEast, kWest, kNorth}) nobody.up_unknown(site);
  CHECK(nobody.owners() == std::set{kEast, kWest, kNorth});
}

TEST_CASE("executors behind thin lines own nothing", "[queue]") {
  ThreeSites run(1);
  for (const SiteId site : {kEast, kEast, kWest, kWest}) run.up(site, 100);
  const auto owners = run.owners();
  CHECK_FALSE(owners.contains(kNorth));
  CHECK_FALSE(owners.empty());
}

TEST_CASE("one site owns all modules where its workers alone are done before others could exchange theirs", "[queue]") {
  ThreeSites run(1);
  for (const SiteId site : {kEast, kWest, kNorth}) run.up(site, 100);
  for (int worker = 0; worker < 7; ++worker) run.up(kNorth, 100);
  CHECK(run.owners() == std::set{kNorth});  // 200 s for 16 tasks
}

TEST_CASE("an owner's own line carries what all other sites give", "[queue]") {
  ThreeSites run(1);
  for (const SiteId site : {kEast, kWest, kWest}) run.up(site, 10);
  CHECK(run.owners().size() == 1);
  // What comes into the site that would be the one is a tenth of that now.
  const SiteId one = *run.owners().begin();
  run.table().in[one] = run.table().out[one] = 10;
  CHECK(run.owners() != std::set{one});
}

TEST_CASE("of sites that are as good, the one with the fastest lines owns the modules", "[queue]") {
  ThreeSites run(1);
  for (const SiteId site : {kEast, kWest, kNorth}) run.up(site, 0.001);
  // Whatever site owns all, its own worker does all tasks. The north's lines are the slowest.
  run.table().pairs[{kWest, kEast}] = run.table().pairs[{kEast, kWest}] = 2;
  run.table().pairs[{kWest, kNorth}] = run.table().pairs[{kNorth, kWest}] = 2;
  CHECK(run.owners() == std::set{kWest});
}

TEST_CASE("a site does as many tasks as its workers can in the time, with the owners that are chosen", "[queue]") {
  ThreeSites run(1);
  for (const SiteId site : {kEast, kEast, kWest, kNorth}) run.up(site, site == kWest ? 50 : 100);
  const OwnerSites chosen = run.choice();
  std::int64_t all = 0;
  for (const auto& [site, tasks] : chosen.tasks) all += tasks;
  CHECK(all == 16);
  CHECK(chosen.tasks.at(kEast) == chosen.tasks.at(kWest));      // two workers, or one that is twice as fast
  CHECK(chosen.tasks.at(kNorth) < chosen.tasks.at(kEast) / 2);  // its lines are thin
  ThreeSites nobody(1);
  for (const SiteId site : {kEast, kEast, kWest}) nobody.up_unknown(site);
  CHECK(nobody.choice().tasks == ExchangeTimes::TasksAt{{kEast, 2}, {kWest, 1}});
}

}  // namespace dipaco::testing
