#include <catch2/catch.hpp>

#include "core/transport/messages.hpp"
#include "core/transport/urgency.hpp"

namespace dipaco::testing {
namespace {

using Use = Urgency::Use;

Urgency of(Body body) { return urgency_of(make_message(std::move(body))).value(); }

PathStateBody state(std::int32_t version, std::int32_t inner_steps = 0, std::uint64_t moments = 1) {
  PathStateBody made{.path = PathId{1}, .version = version, .inner_steps = inner_steps};
  made.first_moment.charged = moments;
  return made;
}

ModuleValues module(Version version) { return {{0, 1}, version, 1, {}}; }

OuterGradient gradient(std::int32_t outer_step, Version base) {
  return {{0, 1}, {PathId{1}, OuterStep{outer_step}}, base, 1, {}};
}

}  // namespace

TEST_CASE("of an outer step, modules go before what ends it, then states, and all of them before the next's",
          "[transport]") {
  const Urgency begins = of(module(Version{3}));
  const Urgency restores = of(PathState{state(3)});
  const Urgency ends = of(gradient(3, Version{3}));
  CHECK(begins == Urgency{3, Use::begin_task});
  CHECK(begins < ends);
  CHECK(ends < restores);
  CHECK(ends == of(PutPathState{1, NodeId{2}, state(4)}));     // the result of the task of outer step 3
  CHECK(ends == of(PutPathState{1, NodeId{2}, state(3, 5)}));  // a part of it
  CHECK(ends == of(PutModule{.module = {0, 1}, .version = Version{4}}));
  CHECK(restores < of(module(Version{4})));
}

TEST_CASE("states and modules that are evaluated go last of their outer step", "[transport]") {
  CHECK(of(PathState{state(3, 0, 0)}) == Urgency{3, Use::evaluate});
  ModuleValues evaluated = module(Version{3});
  evaluated.evaluates = true;
  CHECK(of(evaluated) == Urgency{3, Use::evaluate});
}

TEST_CASE("without rounds all are alike, and what measures a link takes no turn", "[transport]") {
  CHECK(of(module(Version{30, 2})) == Urgency{});
  CHECK(of(gradient(3, Version{30, 2})) == Urgency{});
  CHECK(of(Hello{}) == Urgency{});
  CHECK_FALSE(urgency_of(make_message(Probe{})));
}

}  // namespace dipaco::testing
