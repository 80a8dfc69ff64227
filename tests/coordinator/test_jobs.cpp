#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/coordinator/tables/jobs.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};
constexpr Seconds kBegin{0};
const Job kWatch{.kind = Job::Kind::watch, .version = 2, .path = PathId{3}};
const Job kScore{.kind = Job::Kind::score, .version = 5, .path = PathId{0}};

/// The same list, without any index: each question is answered by a walk over all.
class WalkedJobs {
 public:
  std::set<Job> waiting;
  std::map<NodeId, JobList::Given> given;

  bool somebody_is_at(const Job& job) const {
    return std::any_of(given.begin(), given.end(), [&](const auto& entry) { return entry.second.job == job; });
  }
  void want(const Job& job) {
    if (!somebody_is_at(job)) waiting.insert(job);
  }
  void give(NodeId node, const JobList::Given& what) {
    waiting.erase(what.job);
    given[node] = what;
  }
  void take_back(NodeId node) {
    if (const auto before = given.extract(node)) want(before.mapped().job);
  }
  std::vector<NodeId> done(const Job& job) {
    waiting.erase(job);
    std::vector<NodeId> free;
    for (const auto& [node, what] : given) {
      if (what.job == job) free.push_back(node);
    }
    for (const NodeId node : free) given.erase(node);
    return free;
  }

  std::optional<Job> first(Job::Kind kind) const {
    const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Job& job) { return job.kind == kind; });
    return found == waiting.end() ? std::nullopt : std::optional(*found);
  }
  std::set<Job> of(PathId path) const {
    std::set<Job> jobs;
    for (const Job& job : waiting) {
      if (job.path == path) jobs.insert(job);
    }
    for (const auto& [node, what] : given) {
      if (what.job.path == path) jobs.insert(what.job);
    }
    return jobs;
  }
  std::optional<std::pair<Seconds, NodeId>> first_lease() const {
    std::set<std::pair<Seconds, NodeId>> leases;
    for (const auto& [node, what] : given) leases.emplace(what.until, node);
    return leases.empty() ? std::nullopt : std::optional(*leases.begin());
  }
};

void check_same(const JobList& jobs, const WalkedJobs& walked) {
  REQUIRE(jobs.waiting() == walked.waiting);
  REQUIRE(jobs.given().size() == walked.given.size());
  for (const auto& [node, what] : jobs.given()) REQUIRE(what.job == walked.given.at(node).job);
  REQUIRE(jobs.first_lease() == walked.first_lease());
  for (const Job::Kind kind : {Job::Kind::score, Job::Kind::fit, Job::Kind::route, Job::Kind::watch}) {
    REQUIRE(jobs.first(kind) == walked.first(kind));
  }
  for (std::int32_t p = -1; p < 3; ++p) REQUIRE(jobs.of(PathId{p}) == walked.of(PathId{p}));
}

}  // namespace

TEST_CASE("what training waits for comes first", "[coordinator]") {
  JobList jobs;
  CHECK(jobs.empty());
  jobs.want(kWatch);
  CHECK_FALSE(jobs.urgent());
  jobs.want(kScore);
  CHECK(jobs.urgent());
  CHECK(*jobs.waiting().begin() == kScore);
}

TEST_CASE("a job that somebody has is not wanted twice, and waits again when he is lost", "[coordinator]") {
  JobList jobs;
  jobs.want(kWatch);
  jobs.give(kOne, {.job = kWatch, .store = NodeId{7}}, kBegin);
  CHECK(jobs.waiting().empty());
  CHECK(jobs.given().at(kOne).store == NodeId{7});
  jobs.want(kWatch);
  CHECK(jobs.waiting().empty());
  jobs.take_back(kTwo);
  CHECK(jobs.waiting().empty());
  jobs.take_back(kOne);
  CHECK(jobs.waiting().size() == 1);
}

TEST_CASE("a job that is done is nobody's, whoever did it", "[coordinator]") {
  JobList jobs;
  jobs.want(kWatch);
  jobs.give(kOne, {.job = kWatch}, kBegin);
  jobs.take_back(kOne);  // missed, but at work
  jobs.give(kTwo, {.job = kWatch}, kBegin);
  CHECK(jobs.done(kWatch) == std::vector{kTwo});
  CHECK(jobs.empty());
  CHECK(jobs.done(kWatch).empty());
}

TEST_CASE("a lease ends with the job, and begins anew where it is given once more", "[coordinator]") {
  JobList jobs;
  CHECK_FALSE(jobs.first_lease().has_value());
  jobs.give(kOne, {.job = kWatch, .lasting = Seconds(5)}, kBegin);
  jobs.give(kTwo, {.job = kScore, .lasting = Seconds(3)}, kBegin);
  CHECK(jobs.first_lease() == std::pair(Seconds(3), kTwo));
  jobs.give(kTwo, {.job = kScore, .lasting = Seconds(9)}, kBegin);
  CHECK(jobs.first_lease() == std::pair(Seconds(5), kOne));
  jobs.take_back(kOne);
  CHECK(jobs.first_lease() == std::pair(Seconds(9), kTwo));
  jobs.wait_on(kTwo, Seconds(9));
  CHECK(jobs.first_lease() == std::pair(Seconds(9 + 2 * 9), kTwo));
  CHECK(jobs.given().at(kTwo).asked);
  jobs.done(kScore);
  CHECK_FALSE(jobs.first_lease().has_value());
}

TEST_CASE("the first job of a kind that waits is the one of the lowest version and path", "[coordinator]") {
  JobList jobs;
  CHECK(jobs.first(Job::Kind::score) == std::nullopt);
  const Job fit{.kind = Job::Kind::fit, .version = 0};
  for (const int path : {2, 1}) jobs.want({.kind = Job::Kind::score, .version = 5, .path = PathId{path}});
  jobs.want({.kind = Job::Kind::score, .version = 6, .path = PathId{0}});
  jobs.want(fit);
  CHECK(jobs.first(Job::Kind::score) == Job{.kind = Job::Kind::score, .version = 5, .path = PathId{1}});
  CHECK(jobs.first(Job::Kind::fit) == fit);
  CHECK(jobs.first(Job::Kind::route) == std::nullopt);  // between fit and what comes after it there is none
  jobs.give(kOne, {.job = fit}, kBegin);
  CHECK(jobs.first(Job::Kind::fit) == std::nullopt);  // it does not wait
}

TEST_CASE("a path's jobs are those that wait and those that somebody has, until they are done", "[coordinator]") {
  JobList jobs;
  const PathId path = kWatch.path;
  const Job result{.kind = Job::Kind::result, .version = 4, .path = path};
  CHECK(jobs.of(path).empty());
  jobs.want(kWatch);
  jobs.want(kScore);  // another path's
  jobs.want(result);
  jobs.give(kOne, {.job = kWatch}, kBegin);
  CHECK(jobs.of(path) == std::set{kWatch, result});
  jobs.take_back(kOne);
  CHECK(jobs.of(path) == std::set{kWatch, result});
  jobs.done(kWatch);
  CHECK(jobs.of(path) == std::set{result});
  jobs.give(kOne, {.job = result}, kBegin);
  jobs.give(kOne, {.job = kScore}, kBegin);  // nobody is at the result now, and it does not wait
  CHECK(jobs.of(path).empty());
}

TEST_CASE("jobs are found as by a walk over all of them, whatever has happened", "[coordinator]") {
  JobList jobs;
  WalkedJobs walked;
  Draws draws(6);
  for (int k = 0; k < 4000; ++k) {
    const Job job{.kind = static_cast<Job::Kind>(draws.below(5)),
                  .version = draws.below(3),
                  .path = PathId{draws.below(4) - 1},
                  .first = draws.below(2)};
    const NodeId node{draws.below(6)};
    const std::int32_t what = draws.below(4);
    if (what == 0) {
      jobs.want(job);
      walked.want(job);
    } else if (what == 1) {
      const Seconds lasting(draws.below(50));
      jobs.give(node, {.job = job, .lasting = lasting}, kBegin);
      walked.give(node, {.job = job, .until = lasting});
    } else if (what == 2) {
      jobs.take_back(node);
      walked.take_back(node);
    } else {
      REQUIRE(jobs.done(job) == walked.done(job));
    }
    check_same(jobs, walked);
  }
}

}  // namespace dipaco::testing
