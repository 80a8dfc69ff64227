#include <catch2/catch.hpp>

#include "core/coordinator/jobs.hpp"

namespace dipaco::testing {
namespace {

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};
const Job kWatch{.kind = Job::Kind::watch, .version = 2, .path = PathId{3}};
const Job kScore{.kind = Job::Kind::score, .version = 5, .path = PathId{0}};

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
  jobs.give(kOne, {.job = kWatch, .store = NodeId{7}});
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
  jobs.give(kOne, {.job = kWatch});
  jobs.take_back(kOne);  // missed, but at work
  jobs.give(kTwo, {.job = kWatch});
  CHECK(jobs.done(kWatch) == std::vector{kTwo});
  CHECK(jobs.empty());
  CHECK(jobs.done(kWatch).empty());
}

TEST_CASE("a lease ends with the job, and begins anew where it is given once more", "[coordinator]") {
  JobList jobs;
  CHECK_FALSE(jobs.first_lease().has_value());
  jobs.give(kOne, {.job = kWatch, .until = Seconds(5)});
  jobs.give(kTwo, {.job = kScore, .until = Seconds(3)});
  CHECK(jobs.first_lease() == std::pair(Seconds(3), kTwo));
  jobs.give(kTwo, {.job = kScore, .until = Seconds(9)});
  CHECK(jobs.first_lease() == std::pair(Seconds(5), kOne));
  jobs.take_back(kOne);
  CHECK(jobs.first_lease() == std::pair(Seconds(9), kTwo));
  jobs.done(kScore);
  CHECK_FALSE(jobs.first_lease().has_value());
}

}  // namespace dipaco::testing
