// Drawn sites, workers, lines and owners: whatever they are, somebody takes each task.

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <set>
#include <tuple>

#include "tests/queue/scheduled_paths.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

/// A run on up to nine workers of four sites. What is known of lines may be wrong, and what is measured
/// changes; owners go to other sites, idle workers are lost and come back.
class DrawnRun {
 public:
  static constexpr int kPaths = 8;
  static constexpr int kTasks = 4 * kPaths;

  DrawnRun(std::uint64_t seed, TaskCost cost) : rounds_(cost.rounds), draws_(seed), run_(kPaths, cost) {
    auto lines = std::make_shared<LineTable>();
    for (int from = 0; from < kSites; ++from) {
      for (int to = 0; to < kSites; ++to) {
        if (from != to && !draws_.once_in(8)) lines->pairs[{SiteId{from}, SiteId{to}}] = rate();
      }
      if (draws_.once_in(2)) lines->out[SiteId{from}] = rate();
      if (draws_.once_in(2)) lines->in[SiteId{from}] = rate();
    }
    exchange().known_are(lines);
    for (std::int32_t k = 0; k < 4; ++k) {
      const Crossing gradient{Bytes{1000}, Bytes{draws_.once_in(2) ? 1250U : 0U}};
      exchange().module_is({0, k}, {.share = 0.25, .gradient = gradient, .version = {Bytes{1000}, Bytes{1000}}});
      exchange().owned_at({0, k}, site());
    }
    for (int k = 3 + draws_.below(7); k > 0; --k) come();
  }

  /// @returns how many tasks were done before nobody took one any more
  int tasks_done() {
    int done = 0;
    for (; done < kTasks; ++done) {
      // In rounds all paths are through with the outer step before.
      if (rounds_ ? done % kPaths == 0 : done == 0) run_.queue_all();
      give();
      if (running_.empty()) return done;
      const auto [end, worker, path] = *running_.begin();
      running_.erase(running_.begin());
      now_ = end;
      idle_.insert(worker);
      run_.done(path, worker, at_.at(worker), now_);
      if (!rounds_ && ++tasks_[path] < kTasks / kPaths) run_.queue(path);
      change();
    }
    return done;
  }

 private:
  static constexpr int kSites = 4;

  ExchangeTimes& exchange() { return run_.dispatch.reserve().ways().exchange(); }
  double rate() { return std::pow(10, draws_.below(7) - 1); }
  SiteId site() { return SiteId{draws_.below(kSites)}; }

  void come() {
    const int worker = next_++;
    at_[worker] = site();
    idle_.insert(worker);
    run_.up(worker, std::pow(2, draws_.below(6)), at_.at(worker));
  }

  void give() {
    for (const auto& [path, worker] : run_.out(now_)) {
      idle_.erase(worker);
      running_.emplace(now_ + 1 + draws_.below(100), worker, path);
    }
  }

  void change() {
    const SiteId from = site();
    const SiteId to = site();
    if (from != to) run_.dispatch.reserve().ways().way_takes(from, to, 1 / rate());
    if (draws_.once_in(8)) exchange().owned_at({0, draws_.below(4)}, draws_.once_in(4) ? kNowhere : site());
    if (draws_.once_in(6)) come();
    if (draws_.once_in(6) && !idle_.empty() && at_.size() > 1) {
      const int lost = *idle_.begin();
      run_.dispatch.worker_gone(NodeId{lost});
      idle_.erase(lost);
      at_.erase(lost);
    }
  }

  bool rounds_;
  Draws draws_;
  ScheduledPaths run_;
  double now_ = 0;
  int next_ = 10;             ///< worker
  std::map<int, SiteId> at_;  ///< the workers' sites
  std::set<int> idle_;
  std::map<int, int> tasks_;                        ///< of each path that are done
  std::set<std::tuple<double, int, int>> running_;  ///< until when, by which worker, which path
};

}  // namespace

TEST_CASE("as long as there is a worker somebody takes each task, whatever is known of lines and whoever owns modules",
          "[queue]") {
#ifdef DIPACO_SANITIZED
  constexpr std::uint64_t kRuns = 250;  // 2,000 take 38 s there, and 3 s elsewhere
#else
  constexpr std::uint64_t kRuns = 2000;
#endif
  const TaskCost cost = GENERATE(in_rounds(), without_rounds());
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    INFO("seed " << seed << (cost.rounds ? "" : ", without rounds"));
    REQUIRE(DrawnRun(seed, cost).tasks_done() == DrawnRun::kTasks);
  }
}

}  // namespace dipaco::testing
