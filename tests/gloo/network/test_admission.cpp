#include <catch2/catch.hpp>

#include "backends/gloo/network/admission.hpp"
#include "backends/gloo/network/admittance.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

const JoinTerms kOurs{.version = "1", .config_hash = "same", .run = "this"};

Join a_request(const std::string& host) {
  return {.run = "this", .self = {.role = Role::worker, .host = host}, .version = "1", .config_hash = "same"};
}

}  // namespace

TEST_CASE("a node that says it is reached at a loopback address is let in from this machine alone", "[gloo]") {
  CHECK_FALSE(refusal(a_request("127.0.0.1"), "127.0.0.1", kOurs));
  CHECK_FALSE(refusal(a_request("10.0.0.1"), "10.0.0.1", kOurs));
  const auto refused = refusal(a_request("127.0.0.1"), "10.0.0.1", kOurs);
  REQUIRE(refused);
  CHECK(refused->status == static_cast<std::int32_t>(ExitStatus::usage));
  CHECK_THAT(refused->why, Catch::Contains("127.0.0.1") && Catch::Contains("--interface"));
}

TEST_CASE("a node without a state of its own is let in whatever the run's name is", "[gloo]") {
  Join asked = a_request("10.0.0.1");
  asked.run = "";
  CHECK_FALSE(refusal(asked, "10.0.0.1", kOurs));
  asked.run = "another";
  CHECK(refusal(asked, "10.0.0.1", kOurs));
}

TEST_CASE("a node waits to be let in until it is, is refused, is to leave, or is stopped", "[gloo]") {
  Inbox inbox;
  Admittance admittance(inbox);
  SECTION("let in") {
    admittance.let_in();
    CHECK_NOTHROW(admittance.wait());
    admittance.refuse(std::make_exception_ptr(RunIsOver{}));
    CHECK_THROWS_AS(admittance.wait(), RunIsOver);
    CHECK_THROWS_AS(inbox.take(Seconds(0)), RunIsOver);
  }
  SECTION("to leave") {
    admittance.leave();
    CHECK_THROWS_AS(admittance.wait(), NodeStopped);
    admittance.let_in();
    CHECK_NOTHROW(admittance.wait());
  }
  SECTION("stopped") {
    inbox.stop();
    CHECK_THROWS_AS(admittance.wait(), NodeStopped);
  }
}

TEST_CASE("a node is cut off from the loss of its link until there is another one", "[gloo]") {
  Inbox inbox;
  Admittance admittance(inbox);
  CHECK_FALSE(admittance.is_cut_off(Seconds(-1)));
  admittance.let_in();
  CHECK_FALSE(admittance.is_cut_off(Seconds(-1)));
  admittance.cut_off();
  CHECK(admittance.is_cut_off(Seconds(-1)));
  CHECK_FALSE(admittance.is_cut_off(Seconds(60)));
  admittance.let_in();
  CHECK_FALSE(admittance.is_cut_off(Seconds(-1)));
}

}  // namespace dipaco
