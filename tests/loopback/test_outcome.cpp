#include <catch2/catch.hpp>
#include <stdexcept>

#include "backends/loopback/outcome.hpp"

namespace dipaco::testing {

TEST_CASE("of several failures the first is thrown, also where there is a result", "[loopback]") {
  LoopbackOutcome outcome;
  outcome.finished({.parameters_hash = "ab"});
  outcome.failed(std::make_exception_ptr(std::runtime_error("first")));
  outcome.failed(std::make_exception_ptr(std::runtime_error("second")));
  CHECK_THROWS_WITH(outcome.take_result(), "first");
}

TEST_CASE("a run has the result that its coordinator returned, and none where it did not come to that", "[loopback]") {
  LoopbackOutcome outcome;
  outcome.end();
  CHECK(outcome.over());
  CHECK_FALSE(outcome.take_result());
  outcome.finished({.parameters_hash = "ab"});
  const auto result = outcome.take_result();
  REQUIRE(result);
  CHECK(result->parameters_hash == "ab");
  CHECK_FALSE(outcome.stopped());
}

TEST_CASE("a run that was stopped says so and is not over by that", "[loopback]") {
  LoopbackOutcome outcome;
  outcome.stop();
  CHECK(outcome.stopped());
  CHECK_FALSE(outcome.over());
}

}  // namespace dipaco::testing
