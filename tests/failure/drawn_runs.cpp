#include "tests/failure/drawn_runs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "core/base/text.hpp"

namespace dipaco::testing {

std::size_t runs(std::size_t often) {
  const char* const asked = std::getenv("DIPACO_TORTURE_RUNS");
#ifdef DIPACO_SANITIZED
  often /= 8;
#endif
  return asked == nullptr ? often : static_cast<std::size_t>(parse_integer(asked).value());
}

std::size_t first_seed() {
  const char* const asked = std::getenv("DIPACO_TORTURE_SEED");
  return asked == nullptr ? 0 : static_cast<std::size_t>(parse_integer(asked).value());
}

void shape_random(RunConfig& config) {
  config.outer.steps = 6;
  config.inner.steps = 4;
  config.evaluate.every = 2;
  config.run.replicas = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

namespace {

bool says_why(const std::string& ending) {
  return ending.find("no progress for 3600 s") != std::string::npos || ending.find("coordinator") != std::string::npos;
}

}  // namespace

void judge(const std::vector<std::string>& endings, const std::string& hash,
           const std::function<bool(std::size_t)>& may_fail, const std::function<std::string(std::size_t)>& story) {
  int same = 0;
  int excused = 0;
  for (std::size_t k = 0; k < endings.size(); ++k) {
    if (endings[k] == hash) {
      ++same;
    } else if (may_fail(k) && says_why(endings[k])) {
      ++excused;
    } else {
      FAIL_CHECK("run " << k << " ended with " << endings[k] << " under " << story(k));
    }
  }
  std::cout << endings.size() << " runs: " << same << " with the same parameters, " << excused
            << " ended with a reason where the losses left no way" << std::endl;
}

FaultSpace space_of(std::size_t k, Seconds duration) {
  return {.evaluators = k % 3 == 2 ? 1 : 0, .duration = duration};
}

std::string gap_or(const DataError& error) {
  const std::string why = error.what();
  return why.find("is lacking: the coordinator never heard of it") == std::string::npos ? why : kGap;
}

std::vector<std::string> few_gaps(std::vector<std::string> endings) {
  std::size_t gaps = 0;
  for (std::string& ending : endings) {
    if (ending != kGap) continue;
    ++gaps;
    ending = "all";
  }
  std::cout << gaps << " of " << endings.size() << " orders with a gap\n";
  CHECK(gaps <= std::max<std::size_t>(1, endings.size() / 100));
  return endings;
}

FaultPlan faults_of(std::size_t k, Seconds duration) { return draw_faults(first_seed() + k, space_of(k, duration)); }

void judge_drawn(const std::vector<std::string>& endings, const std::string& hash, Seconds duration) {
  judge(
      endings, hash, [&](std::size_t k) { return may_be_impossible(faults_of(k, duration), space_of(k, duration)); },
      [&](std::size_t k) { return describe(faults_of(k, duration)); });
}

}  // namespace dipaco::testing
