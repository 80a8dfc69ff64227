#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/config/keys.hpp"
#include "core/outer/policies.hpp"
#include "tests/config/another_value.hpp"

using namespace dipaco;
using dipaco::testing::another_value;

TEST_CASE("no two keys share a name within a section, nor a place in the configuration", "[config]") {
  RunConfig config;
  std::set<std::string> names;
  std::set<const void*> places;
  for (const RunKey& key : run_keys()) {
    CHECK(names.insert(std::string(key.section) + "." + std::string(key.name)).second);
    CHECK(
        places.insert(std::visit([](auto* slot) { return static_cast<const void*>(slot); }, key.slot(config))).second);
  }
}

TEST_CASE("no key of [model] has the name of one of [inner], as [charge] has both", "[config]") {
  std::set<std::string_view> names;
  for (const char* const section : {"model", "inner"}) {
    for (const RunKey* key : keys_of(section)) CHECK(names.insert(key->name).second);
  }
  for (const RunKey* key : keys_of("charge")) CHECK(names.contains(key->name));
}

TEST_CASE("every key's text sets it to the value that it was made from", "[config]") {
  for (const RunKey& key : run_keys()) {
    RunConfig config;
    INFO(key.section << "." << key.name);
    const std::string start = value_text(key, config);
    CHECK_FALSE(set_value(key, config, start).has_value());
    CHECK(value_text(key, config) == start);
    const std::string other = another_value(key, config);
    if (other.empty()) continue;
    CHECK_FALSE(set_value(key, config, other).has_value());
    CHECK(value_text(key, config) == other);
  }
}

TEST_CASE("a text that a key does not allow leaves the configuration alone", "[config]") {
  for (const RunKey& key : run_keys()) {
    if (allowed_text(key) == "text" || allowed_text(key) == "file names") continue;
    RunConfig config;
    INFO(key.section << "." << key.name);
    const std::string start = value_text(key, config);
    CHECK(set_value(key, config, "-7 apples").has_value());
    CHECK(set_value(key, config, "").has_value());
    CHECK(value_text(key, config) == start);
  }
}

TEST_CASE("outer.policy allows the policies of the table, and its default is the first", "[config]") {
  std::string names;
  for (const NamedPolicy& policy : built_in_policies()) {
    const bool last = policy.name == built_in_policies().back().name;
    names += (names.empty() ? "" : last ? " or " : ", ") + policy.name;
  }
  for (const RunKey* key : keys_of("outer")) {
    if (key->name == "policy") CHECK(allowed_text(*key) == names);
  }
  CHECK(RunConfig{}.outer.policy == sync_policies().front().name);
}

TEST_CASE("the keys of a section stand together in the table", "[config]") {
  const auto sections = section_names();
  CHECK(std::set<std::string>(sections.begin(), sections.end()).size() == sections.size());
}
