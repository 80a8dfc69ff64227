#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "core/outer/hierarchical.hpp"
#include "core/outer/optimizers.hpp"

namespace dipaco {
namespace {

constexpr MergeOptions kMerge{.every = 2, .weight = 0.25};

OuterRegional regional() { return {std::make_unique<OuterSgd>(1), kMerge}; }

/// A regional part of one parameter, from 0.
struct Part {
  OuterRegional optimizer = regional();
  std::vector<float> theta{0};
  std::vector<float> array{0};  ///< its merge point, or its difference
  std::int32_t version = 0;
  std::int32_t merged = 0;

  /// A contribution comes. @returns the parameter
  float step(float g) {
    const std::vector<std::span<float>> state{array};
    optimizer.step({.version = Version{version++}, .paths = 2, .merged = Version{merged}}, theta, state,
                   std::vector<float>{g});
    return theta[0];
  }
  void merge(float global) {
    optimizer.merge(theta, array, std::vector<float>{global});
    merged = version;
  }
  bool cut() const { return optimizer.is_cut(Version{version}, Version{merged}); }
  float difference() const { return optimizer.difference(cut(), theta, array)[0]; }
};

}  // namespace

TEST_CASE("two regions give what they have moved by at every second version, and merge a quarter of the global part",
          "[outer]") {
  // By hand: K = 2, alpha = 0.25, regional rate 1, global rate 0.5, all from 0.
  Part a;
  CHECK(a.step(1) == -1);
  CHECK_FALSE(a.cut());
  CHECK(a.step(3) == -4);
  CHECK(a.cut());
  CHECK(a.difference() == 4);  // 0 - (-4)
  Part b;
  b.step(2);
  b.step(2);
  CHECK(b.difference() == 4);
  std::vector<float> global{0};
  const OuterSgd global_step(0.5);
  global_step.step({.version = Version{0}, .paths = 2}, global, {}, std::vector<float>{a.difference()});
  CHECK(global[0] == -2);
  // What comes before the answer moves the part, and the difference that is under way stays as it is.
  CHECK(a.step(2) == -6);
  CHECK(a.difference() == 4);
  a.merge(global[0]);
  CHECK(a.theta[0] == -5);  // 0.75 x -6 + 0.25 x -2
  global_step.step({.version = Version{1}, .paths = 2}, global, {}, std::vector<float>{b.difference()});
  CHECK(global[0] == -4);
  b.merge(global[0]);
  CHECK(b.theta[0] == -4);  // 0.75 x -4 + 0.25 x -4
  // The next difference is from -5 on: the 2 that came between is in neither.
  CHECK(a.step(1) == -6);
  CHECK_FALSE(a.cut());
  CHECK(a.difference() == 1);  // so much if no path gave any more
  CHECK(a.step(1) == -7);
  CHECK(a.cut());
  CHECK(a.difference() == 2);
}

TEST_CASE("a regional part that merges alone with weight 1 is the global part", "[outer]") {
  OuterRegional optimizer(std::make_unique<OuterSgd>(1), {.every = 1, .weight = 1});
  std::vector<float> theta{3};
  std::vector<float> array{1};
  optimizer.merge(theta, array, std::vector<float>{-7});
  CHECK(theta[0] == -7);
  CHECK(array[0] == -7);
  // With K = 1 each version is cut, that after a merge, too.
  const std::vector<std::span<float>> state{array};
  optimizer.step({.version = Version{4}, .paths = 1, .merged = Version{4}}, theta, state, std::vector<float>{2});
  CHECK(theta[0] == -9);
  CHECK(array[0] == 2);
}

TEST_CASE("a regional part's merge point begins as its parameters do, behind its optimizer's arrays", "[outer]") {
  const auto arrays = OuterRegional(std::make_unique<OuterNesterov>(NesterovOptions{}), kMerge).arrays();
  REQUIRE(arrays.size() == 2);
  CHECK(arrays[0].name == "velocity");
  CHECK(arrays[1].start == ArrayStart::parameters);
}

}  // namespace dipaco
