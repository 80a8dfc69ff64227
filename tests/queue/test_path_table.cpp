#include <catch2/catch.hpp>
#include <set>

#include "core/queue/path_table.hpp"

namespace dipaco {
namespace {

constexpr PathId kOnly{0};
constexpr NodeId kItsWorker{10};
constexpr SiteId kFirstSite{0};
constexpr SiteId kSecondSite{1};
const Base kBase{{{0, 0}, Version{3}}};

OuterStep every_step(PathId /*path*/, OuterStep step) { return step; }
/// Path 1 trains at outer steps 1, 3, 5; others at all.
OuterStep odd_for_path_1(PathId path, OuterStep step) { return path == PathId{1} ? OuterStep{number(step) | 1} : step; }

/// A path whose first task has run.
PathTable one_that_ran() {
  PathTable paths(1, every_step);
  paths.begin_next(kOnly);
  paths.run_on(kOnly, kItsWorker, {kBase, 50}, Seconds(1));
  return paths;
}

}  // namespace

TEST_CASE("an attempt raises the epoch and keeps base and length of the first attempt", "[queue]") {
  PathTable paths = one_that_ran();
  CHECK(paths.at(kOnly).phase == PathEntry::Phase::running);
  CHECK(paths.at(kOnly).attempt.epoch == 1);
  CHECK(paths.at(kOnly).since == Seconds(1));
  CHECK(paths.at(kOnly).base.front().version == Version{3});
  paths.at(kOnly).note_handed_back(7, kFirstSite);
  paths.run_on(kOnly, NodeId{11}, {{{{0, 0}, Version{4}}}, 60}, Seconds(2));
  CHECK(paths.at(kOnly).attempt.epoch == 2);
  CHECK(paths.at(kOnly).base.front().version == Version{3});
  CHECK(paths.at(kOnly).length == 50);
  CHECK(paths.at(kOnly).attempt.first_inner_step == 7);
  CHECK(paths.of_worker(kItsWorker).empty());
  CHECK(paths.of_worker(NodeId{11}) == std::set{kOnly});
}

TEST_CASE("a commit makes the next task a new one and forgets what concerned the last", "[queue]") {
  PathTable paths = one_that_ran();
  PathEntry& path = paths.at(kOnly);
  path.note_handed_back(7, kFirstSite);
  path.note_refused(1, kItsWorker);
  paths.committed(kOnly, kSecondSite, Seconds(5));
  CHECK(path.phase == PathEntry::Phase::waiting);
  CHECK(path.version == 1);
  CHECK(path.outer_step == OuterStep{1});
  CHECK(path.attempt.epoch == 0);
  CHECK(path.inner_steps == 0);
  CHECK(path.length == 0);
  CHECK(path.state_length == 50);
  CHECK(path.trained == 50);
  CHECK(path.site == kSecondSite);
  CHECK(path.base.empty());
  CHECK(path.state_base.front().version == Version{3});
  CHECK(path.refused.empty());
  CHECK(path.spoiled_by.empty());
  CHECK(path.since == Seconds(5));
  CHECK(paths.committed_tasks() == 1);
  CHECK(paths.of_worker(kItsWorker) == std::set{kOnly});  // it ran the path last
}

TEST_CASE("only the longest part that was handed back counts", "[queue]") {
  PathEntry path;
  path.note_handed_back(7, kFirstSite);
  path.note_handed_back(3, kSecondSite);
  CHECK(path.inner_steps == 7);
  CHECK(path.site == kFirstSite);
}

TEST_CASE("a state that is not finite is news once for each attempt, and each worker is remembered", "[queue]") {
  PathEntry path;
  CHECK(path.note_refused(1, kItsWorker));
  CHECK_FALSE(path.note_refused(1, kItsWorker));
  CHECK(path.note_refused(2, NodeId{11}));
  CHECK(path.spoiled_by == std::set{kItsWorker, NodeId{11}});
}

TEST_CASE("an attempt in question awaits new answers", "[queue]") {
  PathTable paths = one_that_ran();
  PathEntry& path = paths.at(kOnly);
  path.asked = {NodeId{2}};
  path.answered = true;
  path.question(Seconds(9));
  CHECK(path.phase == PathEntry::Phase::in_question);
  CHECK(path.asked.empty());
  CHECK_FALSE(path.answered);
  CHECK(path.since == Seconds(9));
}

TEST_CASE("a task may have a second attempt, which takes the place of the first", "[queue]") {
  constexpr NodeId kSecondWorker{11};
  PathTable paths = one_that_ran();
  PathEntry& path = paths.at(kOnly);
  const Epoch first = path.attempt.epoch;
  paths.run_beside(kOnly, kSecondWorker, Seconds(9));
  CHECK(path.running(kItsWorker, first) == &path.attempt);
  CHECK(path.running(kSecondWorker, first + 1) == &*path.backup);
  CHECK(path.running(kSecondWorker, first) == nullptr);
  CHECK(paths.of_worker(kSecondWorker).empty());
  paths.take_over(kOnly);
  CHECK_FALSE(path.backup);
  CHECK(path.attempt.worker == kSecondWorker);
  CHECK(path.attempt.since == Seconds(9));
  CHECK(paths.of_worker(kSecondWorker) == std::set{kOnly});
  CHECK(paths.of_worker(kItsWorker).empty());
}

TEST_CASE("after a second attempt that came to nothing the next one has an epoch of its own", "[queue]") {
  PathTable paths = one_that_ran();
  PathEntry& path = paths.at(kOnly);
  const Epoch first = path.attempt.epoch;
  paths.run_beside(kOnly, NodeId{11}, Seconds(9));
  path.backup.reset();
  path.question(Seconds(10));
  paths.run_on(kOnly, kItsWorker, {}, Seconds(11));
  CHECK(path.attempt.epoch == first + 2);
  paths.committed(kOnly, kFirstSite, Seconds(12));
  CHECK(path.last_epoch == 0);
}

TEST_CASE("a path that sits outer steps out has its next task at the next one that it trains", "[queue]") {
  PathTable paths(2, odd_for_path_1);
  for (const int p : {0, 1}) paths.begin_next(PathId{p});
  CHECK(paths.at(PathId{1}).outer_step == OuterStep{1});
  CHECK(paths.lowest_version() == 0);  // path 0
  paths.committed(PathId{0}, kFirstSite, Seconds(1));
  paths.committed(PathId{0}, kFirstSite, Seconds(2));
  CHECK(paths.lowest_version() == 1);
  paths.committed(PathId{1}, kFirstSite, Seconds(3));
  CHECK(paths.at(PathId{1}).version == 2);
  CHECK(paths.at(PathId{1}).outer_step == OuterStep{3});
  CHECK(paths.lowest_version() == 2);
}

TEST_CASE("a journal's path counts the tasks that it trained, and runs only where an attempt is out", "[queue]") {
  PathTable paths(2, odd_for_path_1);
  paths.restore(PathId{0}, {.version = 4, .attempt = {.worker = kItsWorker}}, true);
  paths.restore(PathId{1}, {.version = 4, .attempt = {.worker = kItsWorker}}, false);
  CHECK(paths.at(PathId{0}).phase == PathEntry::Phase::running);
  CHECK(paths.at(PathId{1}).phase == PathEntry::Phase::waiting);
  CHECK(paths.committed_tasks() == 4 + 2);  // of path 1 outer steps 1 and 3
  CHECK(paths.of_worker(kItsWorker) == std::set{PathId{0}, PathId{1}});
  CHECK(paths.lowest_version() == 4);
}

TEST_CASE("all is done once each path has ended", "[queue]") {
  PathTable paths(2, every_step);
  paths.end(PathId{1});
  CHECK_FALSE(paths.all_done());
  paths.end(PathId{0});
  CHECK(paths.all_done());
  CHECK(paths.at(PathId{0}).phase == PathEntry::Phase::done);
}

}  // namespace dipaco
