#include <catch2/catch.hpp>

#include "core/coordinator/evaluations.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {

TEST_CASE("an evaluation whose last score is in the journal without its end is closed when the run goes on",
          "[coordinator]") {
  MadeUpRun made("2x2");
  KnownRun known(made);
  const Due whole{2, Purpose::progress};
  const Due lacking{3, Purpose::progress};
  for (std::int32_t p = 0; p < 4; ++p) {
    known.run.ledger.note(Evaluated{.path = PathId{p}, .version = 2, .purpose = Purpose::progress, .nats = 1.5});
    if (p < 3) known.run.ledger.note(Evaluated{.path = PathId{p}, .version = 3, .purpose = Purpose::progress});
  }
  REQUIRE_FALSE(known.run.ledger.state().closed.contains(whole));
  Evaluations evaluations(known.run);
  evaluations.restore();
  REQUIRE(known.run.ledger.state().closed.contains(whole));
  CHECK(known.run.ledger.state().closed.at(whole).nats == 6.0);
  CHECK_FALSE(known.run.ledger.state().closed.contains(lacking));
  REQUIRE(known.run.result.evaluations.size() == 1);
  CHECK(known.run.result.evaluations.front().first == 2);
}

}  // namespace dipaco::testing
