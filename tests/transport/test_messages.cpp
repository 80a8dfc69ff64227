#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "core/base/error.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {
namespace {

Values values(std::vector<float> floats) {
  const std::uint64_t count = floats.size();
  return {std::make_shared<const std::vector<float>>(std::move(floats)), count};
}

GradientValues gradient(GradientFormat format, const std::vector<float>& floats) {
  return {format, std::make_shared<const std::vector<std::byte>>(encode_gradient(format, floats)), floats.size()};
}

SumValues sum(const std::vector<float>& floats) {
  OuterAccumulator all(floats.size());
  all.add(floats, 1, "a test");
  return {std::make_shared<const std::vector<std::byte>>(*all.encode()), floats.size()};
}

constexpr auto kFormats = {GradientFormat::fp32, GradientFormat::bf16, GradientFormat::int8, GradientFormat::e3m0};

/// One message of every kind, no field at its default.
Update update() {
  return {{{PathId{1}, OuterStep{2}, Version{3}, 4, 0.5}}, {{PathId{5}, OuterStep{6}, "late"}}, 1.5, 4.5};
}

std::vector<Body> one_of_each() {
  const PathStateBody state{PathId{1},      2,           3,           4,          5.5, values({1}),
                            values({2, 3}), values({4}), values({5}), values({6})};
  const HeldState held{PathId{1}, 2, 3, 4, NodeId{5}, 6.5};
  const std::vector<Owner> owners{{{1, 2}, NodeId{3}, 4}};
  return {
      Hello{Role::store,
            1,
            SiteId{2},
            "machine",
            3.5,
            "config",
            "prepared",
            "arithmetic",
            true,
            {PathId{4}, OuterStep{5}},
            6,
            {held},
            {{{1, 2}, Version{3}, 4, {{PathId{5}, OuterStep{6}}}, {{PathId{7}, OuterStep{8}, "late"}}}}},
      WhoIsThere{},
      OwnModules{{{{1, 2}, 3, Version{4}, NodeId{5}, {NodeId{6}}, {{PathId{7}, OuterStep{8}}}}}, {7, {{PathId{8}, 9}}}},
      Owners{owners},
      Task{{PathId{1}, OuterStep{2}},
           3,
           true,
           4,
           5,
           true,
           NodeId{6},
           {NodeId{7}, NodeId{8}},
           owners,
           {{{1, 2}, Version{3}}}},
      FetchModule{{1, 2}, Version{3}, 4, true},
      ModuleValues{{1, 2}, Version{3}, 4, values({1.5F, -2.5F})},
      FetchPathState{PathId{1}, 2, 3, false},
      PathState{state},
      PutPathState{7, NodeId{8}, state},
      Stored{PathId{1}, 2, 3, 4, true, NodeId{5}},
      CopyPathState{PathId{1}, 2, NodeId{3}},
      Committed{held},
      OuterGradient{{1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, gradient(GradientFormat::int8, {0.25F, 2})},
      FetchPathModule{{1, 2}, PathId{3}, 4},
      PathModule{{1, 2}, PathId{3}, 4, values({9})},
      PutModule{{1, 2}, Version{3}, 4, update(), {{PathId{5}, OuterStep{6}}}, values({5}), values({6, 7})},
      ModuleStored{{1, 2}, Version{3}, 4, true},
      FetchModuleCopy{{1, 2}, 3},
      ModuleCopy{{1, 2}, Version{3}, 4, true, update(), {{PathId{5}, OuterStep{6}}}, values({5}), values({6, 7})},
      ModuleReady{{1, 2}, Version{3}, 4, {NodeId{5}}, {{PathId{6}, OuterStep{7}}}, {{PathId{6}, OuterStep{6}, "late"}}},
      GradientsLost{{1, 2}, {PathId{3}, OuterStep{4}}, NodeId{5}, Version{6}, 7},
      QueryPath{PathId{1}, OuterStep{2}, 3},
      PathStatus{PathId{1}, OuterStep{2}, 3},
      TaskDone{{PathId{1}, OuterStep{2}}, 3, 4, 5.5, true, true},
      Evaluate{PathId{1}, 2, Purpose::early_stopping, NodeId{3}, owners, {{{1, 2}, Version{3}}}},
      Evaluated{PathId{1}, 2, Purpose::result, 3.5, 4, 5, 6, values({7})},
      FitRouter{1, values({2, 3})},
      RouterFitted{1, "router"},
      RouteDocuments{1, 2, 3, "router"},
      DocumentsRouted{1, 2, values({3, 4})},
      FetchShard{1, PathId{2}},
      ShardDocuments{1, PathId{2}, {DocumentId{3}}, {DocumentId{4}, DocumentId{5}}, {}},
      ShardSizes{1, {2.5, 3.5}},
      Release{{7, {{PathId{8}, 9}}}},
      Finish{1, {{PathId{2}, 3}}, {{PathId{3}, 4}}, {{{1, 2}, Version{3}}}},
      Finished{{{{1, 2}, "hash"}}, {{{1, 2}, Version{3}, 0}}},
      Goodbye{},
      Attend{{Role::store, Role::worker}, "site", "machine", "1.2.3.4:5", 0.25},
      MeasureLink{1, NodeId{2}, 3, 4},
      Probe{1, values({2, 3})},
      ProbeArrived{1},
      LinkMeasured{1, true, 2.5},
      StateRefused{{PathId{1}, OuterStep{2}}, 3, NodeId{4}},
      KeepVersions{{1, 2}, Version{3}, {Version{1}, Version{2}}},
      HowFar{},
      Movement{1, 2, {{NodeId{2}, true, MessageKind::module, Bytes{3}, Bytes{4}}}},
      MakeGradients{{PathId{1}, OuterStep{2}}, NodeId{3}, owners, {{{1, 2}, Version{3}}}, {{1, 2}}},
      GradientsMade{{PathId{1}, OuterStep{2}}, false, owners},
      NobodyElse{{1, 2}, Version{3}, 4, {{PathId{1}, OuterStep{2}}}, true},
      AskForTurn{NodeId{1}, {2, Urgency::Use::end_task}, 3},
      Turn{NodeId{1}},
      TurnOver{NodeId{1}, true},
      GradientDoubted{{1, 2}, {PathId{3}, OuterStep{4}}, 5},
      FetchThroughCache{{{1, 2}, Version{3}, 4}, NodeId{5}},
      FetchFailed{{1, 2}, Version{3}},
      RelayedGradient{
          {{1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, gradient(GradientFormat::fp32, {0.25F, 2})}, NodeId{7}, 8},
      GradientSum{{1, 2}, Version{3}, 4, {{{PathId{5}, OuterStep{6}}, 7}}, sum({0.25F, -0.125F}), 8},
      GradientTaken{9, true, {{PathId{1}, OuterStep{2}}}},
      RegionDifference{{1, 2}, 3, 4, 5, 6, gradient(GradientFormat::int8, {0.25F, 2})},
      GlobalParameters{{1, 2}, 3, Version{4, 5}, values({2, 3})},
      LastDifference{{1, 2}, Version{3, 4}}};
}

}  // namespace

TEST_CASE("every kind of message survives encoding, and its encoding is its wire size", "[transport]") {
  const auto bodies = one_of_each();
  REQUIRE(bodies.size() == kMessageKinds);
  for (std::size_t kind = 0; kind < bodies.size(); ++kind) {
    INFO(name(static_cast<MessageKind>(kind)));
    REQUIRE(bodies[kind].index() == kind);
    const Message message = make_message(bodies[kind]);
    const auto bytes = encode(message);
    CHECK(bytes.size() == message.wire_size.value);
    const Message back = decode_message(bytes, "test");
    CHECK(encode(back) == bytes);
    CHECK(back.kind() == message.kind());
  }
}

TEST_CASE("a message that ends early or goes on too long is refused", "[transport]") {
  for (const Body& body : one_of_each()) {
    auto bytes = encode(make_message(body));
    INFO(name(static_cast<MessageKind>(body.index())));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      CHECK_THROWS_AS(decode_message(std::span<const std::byte>(bytes).first(length), "test"), DataError);
    }
    bytes.push_back(std::byte{0});
    CHECK_THROWS_AS(decode_message(bytes, "test"), DataError);
  }
}

TEST_CASE("an unknown kind is refused by name of the source", "[transport]") {
  const std::vector<std::byte> bytes{std::byte{200}};
  CHECK_THROWS_WITH(decode_message(bytes, "node 7"), Catch::Contains("node 7") && Catch::Contains("unknown kind"));
}

TEST_CASE("values are charged for what they stand for, not for what they are", "[transport]") {
  const Message real = make_message(ModuleValues{{0, 0}, Version{1}, 1, values({1, 2})});
  const Message charged = make_message(ModuleValues{{0, 0}, Version{1}, 1, {nullptr, 1'000'000}});
  CHECK(charged.wire_size.value - real.wire_size.value == 4 * (1'000'000 - 2));
}

TEST_CASE("values that are only charged for, none at all, and others than are charged for come as they were sent",
          "[transport]") {
  const auto sent = [](const Values& values) {
    const Message message = make_message(ModuleValues{{0, 0}, Version{1}, 1, values});
    const Message back = decode_message(encode(message), "test");
    CHECK(back.wire_size == message.wire_size);
    return std::get<ModuleValues>(back.body).parameters;
  };
  CHECK(sent({nullptr, 1000}).data == nullptr);
  CHECK(sent({nullptr, 1000}).charged == 1000);
  CHECK(sent({nullptr, 0}).data == nullptr);
  const Values none = sent(values({}));
  REQUIRE(none.data != nullptr);
  CHECK(none.data->empty());
  Values other = values({1, 2});
  other.charged = 1000;
  CHECK(*sent(other).data == std::vector<float>{1, 2});
  CHECK(sent(other).charged == 1000);
}

TEST_CASE("an outer gradient weighs 43 bytes and those of its format, there or charged", "[transport]") {
  // Kind, module (8), path and outer step (8), base (8), inner steps (4), epoch (4), format, count (8).
  const std::map<GradientFormat, std::uint64_t> bytes{{GradientFormat::fp32, 4 * 1000},
                                                      {GradientFormat::bf16, 2 * 1000},
                                                      {GradientFormat::int8, 1000 + 16 * 4},
                                                      {GradientFormat::e3m0, 1000 / 2 + 4}};
  const std::vector<float> floats(1000, 0.5F);
  for (const GradientFormat format : kFormats) {
    const Message real =
        make_message(OuterGradient{{1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, gradient(format, floats)});
    CHECK(real.wire_size.value == 43 + bytes.at(format));
    CHECK(encode(real).size() == real.wire_size.value);
    const Message charged =
        make_message(OuterGradient{{1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, {format, nullptr, 1000}});
    CHECK(charged.wire_size == real.wire_size);
    const auto body = std::get<OuterGradient>(decode_message(encode(real), "test").body);
    CHECK(body.difference.format == format);
    CHECK(decode_gradient(format, *body.difference.bytes, 1000) == floats);
  }
}

TEST_CASE("an outer gradient of an unknown format, or with bytes for other values, is refused", "[transport]") {
  constexpr std::size_t kFormatByte = 1 + 8 + 8 + 8 + 4 + 4 + 1;
  constexpr std::size_t kCount = kFormatByte + 1;
  for (const GradientFormat format : kFormats) {
    const auto good = encode(make_message(OuterGradient{
        {1, 2}, {PathId{3}, OuterStep{4}}, Version{5}, 6, gradient(format, std::vector<float>(100, 1.0F))}));
    for (const int unknown : {4, 255}) {
      auto bytes = good;
      bytes[kFormatByte] = static_cast<std::byte>(unknown);
      CHECK_THROWS_WITH(decode_message(bytes, "node 7"),
                        Catch::Contains("node 7") && Catch::Contains("unknown format"));
    }
    // The number that is 2^62 + 100 has as many bytes in fp32, modulo 2^64, as 100 has.
    for (const std::uint64_t count : {0ULL, 98ULL, 102ULL, (1ULL << 62U) + 100, (1ULL << 63U) + 100, ~0ULL}) {
      auto bytes = good;
      std::memcpy(bytes.data() + kCount, &count, sizeof count);
      CHECK_THROWS_AS(decode_message(bytes, "test"), DataError);
    }
    for (const GradientFormat other : kFormats) {
      auto bytes = good;
      bytes[kFormatByte] = static_cast<std::byte>(other);
      if (other != format) CHECK_THROWS_AS(decode_message(bytes, "test"), DataError);
    }
  }
}

}  // namespace dipaco
