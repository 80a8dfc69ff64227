// "A key of the run file" of docs/extending.md: a program's own, that its policy reads.

#include <catch2/catch.hpp>

#include "core/config/keys.hpp"
#include "tests/extending/named.hpp"
#include "tests/support/half_policy.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::read_again;

/// Adds a part of the mean to each contribution's weight: a policy whose constant is a key.
class StepAtShare : public StepAtHalf {
 public:
  explicit StepAtShare(double share) : share_(share) {}
  std::optional<StepNow> step(const PartView& part) const override {
    if (part.in_hand == 0 || part.in_hand < share_ * part.paths) return std::nullopt;
    return StepNow{1 / part.share};
  }

 private:
  double share_;
};

constexpr double kShare = 0.5;

NamedParts parts_with_share() {
  NamedParts parts;
  parts.policies.push_back({.name = "share", .make = [](const RunConfig& config) {
                              SyncPolicy policy = half_policy();
                              policy.step = std::make_shared<StepAtShare>(config.own.get("quorum.share", kShare));
                              return policy;
                            }});
  parts.keys.push_back({.section = "quorum",
                        .name = "share",
                        .slot = [](RunConfig& config) -> Slot { return &config.own.slot("quorum.share", kShare); },
                        .allowed = {.low = 0, .high = 1, .above_low = true},
                        .changes = Changes::parameters,
                        .help = "share of a module's paths that it waits for"});
  parts.keys.push_back({.section = "quorum", .name = "note", .slot = [](RunConfig& config) -> Slot {
                          return &config.own.slot("quorum.note", std::string());
                        }});
  return parts;
}

std::optional<StepNow> at_two_of_three(const RunConfig& config) {
  return make_policy(config).step->step({.paths = 3, .in_hand = 2, .share = 0.5});
}

}  // namespace

TEST_CASE("a run file gives an own key, and the part that it is for reads it", "[extending]") {
  MadeUpRun made("2x2");
  read_again(made, parts_with_share(), {"outer.policy=share"});
  CHECK(at_two_of_three(made.config).has_value());  // 2 of 3 are more than the half
  read_again(made, parts_with_share(), {"quorum.share=0.9"});
  CHECK_FALSE(at_two_of_three(made.config).has_value());
  CHECK(made.config.own.get("quorum.share", kShare) == 0.9);
}

TEST_CASE("an own key is in the dump, in the hash where it may change parameters, and in what differs", "[extending]") {
  MadeUpRun made("2x2");
  read_again(made, parts_with_share(), {});
  const RunConfig base = made.config;
  CHECK_THAT(dump_config(base), Catch::EndsWith("\n[quorum]\nshare=0.5\nnote=\n"));
  read_again(made, parts_with_share(), {"quorum.share=0.75"});
  CHECK(config_hash(made.config) != config_hash(base));
  CHECK(differing_keys(base, made.config) == std::vector<std::string>{"quorum.share"});
  CHECK(config_differences(base, made.config) == std::vector<std::string>{"quorum.share: 0.5 then, 0.75 now"});
  read_again(made, parts_with_share(), {"quorum.share=0.5", "quorum.note=mine"});
  CHECK(config_hash(made.config) == config_hash(base));
  CHECK(differing_keys(base, made.config) == std::vector<std::string>{"quorum.note"});
}

TEST_CASE("what is wrong with an own key has its line and the nearest name", "[extending]") {
  const NamedParts parts = parts_with_share();
  CHECK(error_of("[quorum]\nshare=2\n", parts) ==
        "runs/a.cfg:2: share=2 in [quorum] is out of range; write a number above 0 to 1");
  CHECK_THAT(error_of("[quorum]\nshar=1\n", parts), Catch::EndsWith("did you mean \"share\"?"));
  CHECK_THAT(error_of("[quorun]\nshare=1\n", parts), Catch::EndsWith("did you mean \"quorum\"?"));
  CHECK_THAT(error_of("[quorum]\nshare=1\n", {}), Catch::Contains("unknown section [quorum]"));
}

TEST_CASE("an own key in a section of this project is a bug of the program that brings it", "[extending]") {
  for (const char* section : {"outer", "charge"}) {
    NamedParts parts = parts_with_share();
    parts.keys.back().section = section;
    CHECK_THROWS_AS(error_of("", parts), std::logic_error);
  }
}

}  // namespace dipaco
