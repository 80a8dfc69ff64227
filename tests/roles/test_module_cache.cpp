#include <catch2/catch.hpp>

#include "core/roles/supplies/module_cache.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr ModuleId kFirst{0, 0};
constexpr ModuleId kSecond{1, 0};
constexpr NodeId kOwner{7};
constexpr NodeId kNextOwner{8};
constexpr NodeId kSiteStore{9};

/// A cache of a node that is told who owns what.
struct CacheOnItsOwn {
  RunPlan plan;
  KeptMessages sent;
  ModuleCache cache{plan, sent};

  void own(NodeId executor, Epoch epoch) { cache.note({{kFirst, executor, epoch}, {kSecond, executor, epoch}}); }
  void push(ModuleId module, std::int32_t version, Epoch epoch = 1) {
    Values values = start_module(plan, module);
    values.data = std::make_shared<const std::vector<float>>(values.data->size(), static_cast<float>(version));
    cache.arrived({module, Version{version}, epoch, values});
  }
  bool has(ModuleId module, std::int32_t version) const { return cache.complete({{module, Version{version}}}); }
  /// Which versions of which executor a request for this one asks for.
  std::vector<std::pair<NodeId, FetchModule>> asked(ModuleId module, std::int32_t version) {
    cache.request({{module, Version{version}}});
    return sent.take<FetchModule>();
  }
};

}  // namespace

TEST_CASE("everyone has the prepared start, and asks nobody for it", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  CHECK_FALSE(node.has(kFirst, 0));
  CHECK(node.asked(kFirst, 0).empty());
  REQUIRE(node.has(kFirst, 0));
  CHECK(*node.cache.get(kFirst, Version{0}).data == *start_module(node.plan, kFirst).data);
}

TEST_CASE("a version that is lacking is asked of its owner, once, as soon as that is known", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  const Base base{{kFirst, Version{2}}, {kSecond, Version{3}}};
  CHECK(node.cache.owner(kFirst).executor == NodeId{-1});
  node.cache.request(base);
  CHECK(node.sent.empty());
  CHECK(node.cache.unasked(base));
  node.own(kOwner, 1);
  CHECK(node.cache.owner(kFirst).executor == kOwner);
  node.cache.request(base);
  CHECK_FALSE(node.cache.unasked(base));
  const auto asked = node.sent.take<FetchModule>();
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].first == kOwner);
  CHECK(asked[0].second.module == kFirst);
  CHECK(asked[0].second.version == Version{2});
  CHECK(asked[1].second.module == kSecond);
  CHECK(asked[1].second.version == Version{3});
  node.cache.request(base);
  CHECK(node.sent.empty());
  node.push(kFirst, 2);
  CHECK_FALSE(node.cache.complete(base));
  node.push(kSecond, 3);
  CHECK(node.cache.complete(base));
  CHECK_FALSE(node.cache.unasked(base));
  CHECK(node.cache.get(kSecond, Version{3}).data->front() == 3);
  node.cache.request(base);  // it is here
  CHECK(node.sent.empty());
}

TEST_CASE("what was asked of a node that is lost, or of one that owns no more, is asked again", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(kOwner, 1);
  CHECK(node.asked(kFirst, 2).size() == 1);
  node.cache.lost(kNextOwner);  // it was not asked
  CHECK(node.asked(kFirst, 2).empty());
  node.cache.lost(kOwner);
  CHECK(node.cache.unasked({{kFirst, Version{2}}}));
  CHECK(node.asked(kFirst, 2).size() == 1);
  node.own(kNextOwner, 1);  // an owner of before
  CHECK(node.cache.owner(kFirst).executor == kOwner);
  CHECK(node.asked(kFirst, 2).empty());
  node.own(kNextOwner, 2);
  const auto asked = node.asked(kFirst, 2);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == kNextOwner);
}

TEST_CASE("values of an owner that is none any more are not taken", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.push(kSecond, 1);  // whose owner is not known
  CHECK(node.has(kSecond, 1));
  node.own(kOwner, 2);
  node.push(kFirst, 1, 1);
  CHECK_FALSE(node.has(kFirst, 1));
  node.push(kFirst, 1, 2);
  CHECK(node.has(kFirst, 1));
}

TEST_CASE("in rounds only the version that is to be pushed is not asked for", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(kOwner, 1);
  node.cache.expect(kFirst, Version{3});
  CHECK(node.asked(kFirst, 3).empty());
  CHECK(node.asked(kFirst, 4).size() == 1);
}

TEST_CASE("without rounds a version that is to be pushed is not asked for, nor is a later one, but an earlier one is",
          "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = plan_without_rounds(made)};
  node.own(kOwner, 1);
  node.cache.expect(kFirst, Version{3});
  CHECK(node.asked(kFirst, 3).empty());
  CHECK(node.asked(kFirst, 4).empty());
  CHECK_FALSE(node.cache.unasked({{kFirst, Version{4}}}));
  CHECK(node.cache.unasked({{kFirst, Version{2}}}));
  CHECK(node.asked(kFirst, 2).size() == 1);
}

TEST_CASE(
    "without rounds the push of the version that is expected, or of a later one, ends the waiting - an earlier one "
    "does "
    "not",
    "[roles]") {
  const MadeUpRun made("2x2");
  for (const std::int32_t pushed : {1, 2, 3}) {
    CacheOnItsOwn node{.plan = plan_without_rounds(made)};
    node.own(kOwner, 1);
    node.cache.expect(kFirst, Version{2});
    node.push(kSecond, 3);  // another module's
    CHECK(node.asked(kFirst, 4).empty());
    node.push(kFirst, pushed);
    CHECK(node.has(kFirst, pushed));
    CHECK(node.asked(kFirst, 4).size() == (pushed >= 2 ? 1 : 0));
  }
}

TEST_CASE("in rounds versions before the base's and, of other modules, before the outer step are forgotten",
          "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  for (const ModuleId module : {kFirst, kSecond}) {
    for (const std::int32_t version : {1, 2, 3}) node.push(module, version);
  }
  node.cache.drop_before({{kFirst, Version{2}}}, OuterStep{3});
  CHECK_FALSE(node.has(kFirst, 1));
  CHECK(node.has(kFirst, 2));
  CHECK(node.has(kFirst, 3));
  CHECK_FALSE(node.has(kSecond, 1));
  CHECK_FALSE(node.has(kSecond, 2));
  CHECK(node.has(kSecond, 3));
}

TEST_CASE("without rounds versions before the base's and all of other modules are forgotten", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.plan.policy = half_policy();
  for (const ModuleId module : {kFirst, kSecond}) {
    for (const std::int32_t version : {1, 2, 3}) node.push(module, version);
  }
  node.cache.drop_before({{kFirst, Version{2}}}, OuterStep{1});
  CHECK_FALSE(node.has(kFirst, 1));
  CHECK(node.has(kFirst, 2));
  CHECK(node.has(kFirst, 3));
  CHECK_FALSE(node.has(kSecond, 2));
  CHECK_FALSE(node.has(kSecond, 3));
}

TEST_CASE("an owner that comes back at its epoch is found by who did not know it", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(NodeId{-1}, 2);  // nobody, when this node joined
  CHECK(node.asked(kFirst, 3).empty());
  node.own(kOwner, 2);
  const auto asked = node.asked(kFirst, 3);
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == kOwner);
  node.own(NodeId{-1}, 2);  // an older word
  CHECK(node.cache.owner(kFirst).executor == kOwner);
}

TEST_CASE("owners elsewhere are asked through the site's cache, and those at the site by the node itself", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.cache.note({{kFirst, kOwner, 1}, {kSecond, kNextOwner, 1}});
  node.cache.note(SiteCache{.store = kSiteStore, .near = {kNextOwner}});
  node.cache.request({{kFirst, Version{2}}});
  const auto through = node.sent.take<FetchThroughCache>();
  REQUIRE(through.size() == 1);
  CHECK(through[0].first == kSiteStore);
  CHECK(through[0].second.owner == kOwner);
  CHECK(through[0].second.wanted.version == Version{2});
  CHECK(node.asked(kSecond, 2).at(0).first == kNextOwner);
  CHECK_FALSE(node.cache.is_pushed(kFirst));
  CHECK(node.cache.is_pushed(kSecond));
}

TEST_CASE("the next version is asked for ahead where a site's cache would not be sent it", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(kOwner, 1);
  node.cache.note(SiteCache{.store = kSiteStore});
  node.cache.expect(kFirst, Version{1});
  REQUIRE(node.sent.take<FetchThroughCache>().size() == 1);
  node.cache.expect(kFirst, Version{1});  // after another task through the module
  node.cache.request({{kFirst, Version{1}}});
  CHECK(node.sent.empty());  // on its way
  node.push(kFirst, 1);
  CHECK(node.has(kFirst, 1));
}

TEST_CASE("what a site's cache could not fetch the node asks for itself, until it hears of a cache again", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  const Base base{{kFirst, Version{2}}};
  node.own(kOwner, 1);
  node.cache.note(SiteCache{.store = kSiteStore});
  node.cache.request(base);
  node.cache.lost(kOwner);  // the cache asks it, and will say what becomes of that
  CHECK_FALSE(node.cache.unasked(base));
  node.cache.failed({kFirst, Version{1}});
  CHECK_FALSE(node.cache.unasked(base));
  node.cache.failed({kFirst, Version{2}});
  CHECK(node.cache.unasked(base));
  node.sent.take<FetchThroughCache>();
  node.cache.request(base);
  const auto asked = node.sent.take<FetchModule>();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == kOwner);
  CHECK(node.cache.is_pushed(kFirst));
  node.cache.note(SiteCache{.store = kSiteStore});
  CHECK_FALSE(node.cache.is_pushed(kFirst));
}

TEST_CASE("without its site's cache a node asks owners itself, until it hears of one again", "[roles]") {
  const MadeUpRun made("2x2");
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(kOwner, 1);
  node.cache.note(SiteCache{.store = kSiteStore});
  node.cache.request({{kFirst, Version{2}}});
  node.cache.lost(kSiteStore);
  CHECK(node.asked(kFirst, 2).at(0).first == kOwner);
  CHECK(node.cache.is_pushed(kFirst));
  node.cache.failed({kFirst, Version{2}});  // late: what it asked itself is on its way
  CHECK(node.asked(kFirst, 2).empty());
  node.cache.note(SiteCache{.store = kSiteStore});
  CHECK_FALSE(node.cache.is_pushed(kFirst));
}

TEST_CASE("without rounds owners push versions that nobody can name beforehand", "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "asynchronous";
  CacheOnItsOwn node{.plan = made.plan()};
  node.own(kOwner, 1);
  node.cache.note(SiteCache{.store = kSiteStore});
  CHECK(node.cache.is_pushed(kFirst));
  node.cache.expect(kFirst, Version{1, 1});
  CHECK(node.sent.empty());
  CHECK(node.cache.unasked({{kFirst, Version{0}}}));
}

TEST_CASE("a push that is older than what is wanted has that asked for at once, and one that is it has not",
          "[roles]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "asynchronous";
  for (const bool older : {true, false}) {
    CacheOnItsOwn node{.plan = made.plan()};
    node.own(kOwner, 1);
    node.cache.expect(kFirst, Version{1, 1});
    node.cache.request({{kFirst, Version{3, 1}}});
    CHECK(node.sent.take<FetchModule>().empty());
    node.cache.arrived({kFirst, Version{older ? 2 : 3, 1}, 1, start_module(node.plan, kFirst)});
    const auto asked = node.sent.take<FetchModule>();
    REQUIRE(asked.size() == (older ? 1 : 0));
    if (older) CHECK(asked[0].second.version == Version{3, 1});
    CHECK_FALSE(node.cache.unasked({{kFirst, Version{3, 1}}}));
  }
}

}  // namespace dipaco::testing
