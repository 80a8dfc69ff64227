#include <hiredis/hiredis.h>

#include <catch2/catch.hpp>
#include <memory>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "core/base/error.hpp"
#include "tests/gloo/meeting/finding.hpp"
#include "tests/gloo/meeting/redis_server.hpp"
#include "tests/gloo/spawned.hpp"

namespace dipaco {
namespace {

using namespace testing;

/// Somebody else's hands on the server.
class RedisHand {
 public:
  explicit RedisHand(const RedisServer& server) : context_(redisConnect("127.0.0.1", server.port()), redisFree) {}
  bool holds(const std::string& key) {
    const Reply reply = ask("EXISTS %s", key);
    return reply != nullptr && reply->integer == 1;
  }
  std::string get(const std::string& key) {
    const Reply reply = ask("GET %s", key);
    return reply->type == REDIS_REPLY_STRING ? std::string(reply->str, reply->len) : "";
  }
  void ask_for(const char* command, const std::string& key) { REQUIRE(ask(command, key) != nullptr); }
  void set(const std::string& key, const std::string& value) {
    const Reply reply(
        static_cast<redisReply*>(redisCommand(context_.get(), "SET %s %b", key.c_str(), value.data(), value.size())),
        free_reply);
    REQUIRE(reply != nullptr);
  }

 private:
  static void free_reply(redisReply* reply) { freeReplyObject(reply); }
  using Reply = std::unique_ptr<redisReply, void (*)(redisReply*)>;
  Reply ask(const char* command, const std::string& key) {
    return {static_cast<redisReply*>(redisCommand(context_.get(), command, key.c_str())), free_reply};
  }
  std::unique_ptr<redisContext, void (*)(redisContext*)> context_;
};

}  // namespace

TEST_CASE("nodes find the coordinator by a Redis server, each run in its database", "[gloo]") {
  const RedisServer server;
  const Secret secret = secret_of("0123456789abcdef");
  const auto node = make_rendezvous(server.url(), options_of("run", &secret));
  const auto elsewhere = make_rendezvous(server.url() + "/3", options_of("run", &secret));
  const auto coordinator = make_rendezvous(server.url() + "/0", options_of("run", &secret, true));
  CHECK(node->find() == std::nullopt);
  coordinator->publish(kThere);
  CHECK(finds(*node, kThere));
  CHECK(keeps_finding(*elsewhere, std::nullopt));
  const std::string value = RedisHand(server).get(EntryFormat("run", &secret).name());
  CHECK_FALSE(value.empty());
  CHECK(value.find("::1") == std::string::npos);
}

TEST_CASE("an entry that is withdrawn goes from the Redis server with its coordinator", "[gloo]") {
  const RedisServer server;
  RedisHand hand(server);
  auto coordinator = make_rendezvous(server.url(), options_of("run", nullptr, true));
  coordinator->publish(kHere);
  const std::string key = EntryFormat("run", nullptr).name();
  REQUIRE(eventually([&] { return hand.holds(key); }));
  coordinator->withdraw();
  coordinator.reset();
  CHECK_FALSE(hand.holds(key));
}

TEST_CASE("whatever stands in the key is no entry, and the coordinator mends it", "[gloo]") {
  const RedisServer server;
  RedisHand hand(server);
  const Secret secret = secret_of("0123456789abcdef");
  const EntryFormat format("run", &secret);
  const auto node = make_rendezvous(server.url(), options_of("run", &secret));
  const auto as_text = [](const std::vector<std::byte>& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const std::string right = as_text(format.seal(kHere));
  for (const std::string& wrong : {std::string("garbage"), std::string(), right.substr(1), std::string(64 << 20, 'x'),
                                   as_text(EntryFormat("run", nullptr).seal(kThere))}) {
    hand.set(format.name(), right);
    REQUIRE(finds(*node, kHere));
    hand.set(format.name(), wrong);
    CHECK(finds(*node, std::nullopt));
  }
  hand.ask_for("DEL %s", format.name());
  hand.ask_for("LPUSH %s item", format.name());
  CHECK(make_rendezvous(server.url(), options_of("run", &secret))->find() == std::nullopt);
  const auto coordinator = make_rendezvous(server.url(), options_of("run", &secret, true));
  coordinator->publish(kThere);
  CHECK(finds(*node, kThere));
  hand.ask_for("DEL %s", format.name());
  CHECK(eventually([&] { return hand.holds(format.name()); }));
}

TEST_CASE("a Redis server that ends and begins anew, empty, is waited for, and has the entry again", "[gloo]") {
  RedisServer server;
  Notes notes;
  const auto noted = [&](const std::string& text) {
    return eventually([&] {
      const auto all = notes.all();
      return !all.empty() && all.back().find(text) != std::string::npos;
    });
  };
  RendezvousOptions options = options_of("run", nullptr);
  options.note = notes.taker();
  const auto node = make_rendezvous(server.url(), options);
  const auto coordinator = make_rendezvous(server.url(), options_of("run", nullptr, true));
  coordinator->publish(kHere);
  REQUIRE(finds(*node, kHere));
  server.stop();
  CHECK(noted("redis://"));
  CHECK(keeps_finding(*node, kHere));
  coordinator->publish(kThere);
  server.start();
  CHECK(finds(*node, kThere));
  CHECK(noted("there again"));
  CHECK(notes.all().size() == 2);
}

TEST_CASE("a Redis server that is not there, not one, or refuses is said at once", "[gloo]") {
  using Catch::Contains;
  const std::string nobody = "redis://127.0.0.1:" + std::to_string(testing::free_port());
  CHECK_THROWS_AS(make_rendezvous(nobody, {}), ConfigError);
  CHECK_THROWS_WITH(make_rendezvous(nobody, {}),
                    Contains("--rendezvous " + nobody) && Contains("Connection refused; start redis-server there"));
  const RedisServer server;
  CHECK_THROWS_WITH(make_rendezvous(server.url() + "/4", {}), Contains("DB index is out of range"));
  RedisHand hand(server);
  hand.ask_for("CONFIG SET requirepass %s", "word");
  CHECK_THROWS_WITH(make_rendezvous(server.url(), {}), Contains("the server refuses: NOAUTH"));
}

TEST_CASE("a server that answers no Redis answer, or none in time, is refused, and does not hold up find()", "[gloo]") {
  using Catch::Contains;
  RendezvousOptions options = options_of("run", nullptr);
  options.timeout = Seconds(0.3);
  // An array for which memory is to be taken, one of which the last byte never comes, and no end.
  for (const std::string& answer :
       {std::string("HTTP/1.1 400 Bad Request\r\n"), std::string("*2000000000\r\n"), std::string("$20\r\nab"),
        "$2000000000\r\n" + std::string(1 << 20, 'x'), std::string(":7\r\n"), std::string()}) {
    const Stranger stranger(answer);
    INFO(answer.substr(0, 20));
    CHECK_THROWS_AS(make_rendezvous(stranger.url(), options), ConfigError);
    CHECK_THROWS_WITH(make_rendezvous(stranger.url(), options),
                      Contains("the server answers as no Redis server does") || Contains("the server does not answer"));
  }
}

TEST_CASE("while a Redis server hangs neither find() nor publish() waits", "[gloo]") {
  RedisServer server;
  RendezvousOptions options = options_of("run", nullptr, true);
  options.timeout = Seconds(1);
  const auto coordinator = make_rendezvous(server.url(), options);
  coordinator->publish(kHere);
  REQUIRE(finds(*coordinator, kHere));
  server.freeze();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // its thread is in an exchange
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 100; ++k) {
    coordinator->publish(kThere);
    CHECK(coordinator->find() == kHere);
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500));
  server.thaw();
  CHECK(finds(*coordinator, kThere));
}

}  // namespace dipaco
