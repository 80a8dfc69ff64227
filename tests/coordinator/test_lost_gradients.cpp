#include <catch2/catch.hpp>

#include "core/coordinator/tables/lost_gradients.hpp"

namespace dipaco {
namespace {

constexpr TaskId kLosing{PathId{3}, OuterStep{4}};
constexpr TaskId kAnother{PathId{4}, OuterStep{4}};
constexpr ModuleId kFirstModule{0, 1};
constexpr ModuleId kSecondModule{1, 0};
constexpr NodeId kMaker{7};
using Modules = std::vector<ModuleId>;

/// The answer of a worker that has sent what kLosing gave to these owners.
GradientsMade made_for(std::vector<Owner> owners) { return {.task = kLosing, .sent_to = std::move(owners)}; }

}  // namespace

TEST_CASE("what executors lack is to be made until it was sent to them, or is settled", "[coordinator]") {
  LostGradients lost;
  CHECK(lost.to_make(kLosing).empty());
  lost.lacking({kLosing, kSecondModule}, 2);
  lost.lacking({kLosing, kFirstModule}, 1);
  lost.lacking({kAnother, kFirstModule}, 1);
  CHECK(lost.to_make(kLosing) == Modules{kFirstModule, kSecondModule});
  CHECK(lost.to_make({kLosing.path, OuterStep{5}}).empty());
  lost.made(kMaker, made_for({{kFirstModule, NodeId{1}, 1}}));
  CHECK(lost.to_make(kLosing) == Modules{kSecondModule});
  lost.forget({kLosing, kSecondModule});
  CHECK(lost.to_make(kLosing).empty());
  CHECK(lost.to_make(kAnother) == Modules{kFirstModule});
  CHECK(lost.all() == std::vector<LostGradient>{{kLosing, kFirstModule}, {kAnother, kFirstModule}});
}

TEST_CASE("what was sent to an earlier owner, or of an earlier task, is still to be made - to a later owner, not",
          "[coordinator]") {
  LostGradients lost;
  lost.lacking({kLosing, kFirstModule}, 2);
  lost.made(kMaker, made_for({{kFirstModule, NodeId{1}, 1}, {kSecondModule, NodeId{1}, 1}}));
  CHECK(lost.to_make(kLosing) == Modules{kFirstModule});
  CHECK(lost.all().size() == 1);
  const TaskId after{kLosing.path, next(kLosing.outer_step)};
  lost.lacking({after, kFirstModule}, 2);
  lost.made(kMaker, made_for({{kFirstModule, NodeId{1}, 2}}));
  CHECK(lost.to_make(after) == Modules{kFirstModule});
  lost.made(kMaker, {.task = after, .sent_to = {{kFirstModule, NodeId{1}, 3}}});
  CHECK(lost.to_make(after).empty());
}

TEST_CASE("what a worker has made is known as long as it is not settled, unless an executor lacks it again",
          "[coordinator]") {
  LostGradients lost;
  lost.lacking({kLosing, kFirstModule}, 1);
  lost.lacking({kLosing, kSecondModule}, 1);
  CHECK(lost.made_by(kMaker).empty());
  lost.made(kMaker, made_for({{kFirstModule, NodeId{1}, 1}, {kSecondModule, NodeId{1}, 1}}));
  CHECK(lost.made_by(kMaker).size() == 2);
  CHECK(lost.made_by(NodeId{8}).empty());
  lost.forget({kLosing, kFirstModule});
  lost.lacking({kLosing, kSecondModule}, 1);
  CHECK(lost.made_by(kMaker).empty());
  CHECK(lost.to_make(kLosing) == Modules{kSecondModule});
}

TEST_CASE("what was made while nobody owned the module was sent to nobody", "[coordinator]") {
  LostGradients lost;
  lost.lacking({kLosing, kFirstModule}, 1);
  lost.made(kMaker, made_for({{kFirstModule, NodeId{-1}, 1}}));
  CHECK(lost.to_make(kLosing) == std::vector<ModuleId>{kFirstModule});
  lost.made(kMaker, made_for({{kFirstModule, NodeId{1}, 1}}));
  CHECK(lost.to_make(kLosing).empty());
}

}  // namespace dipaco
