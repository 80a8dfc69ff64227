#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backends/gloo/meeting/endpoint.hpp"
#include "backends/gloo/meeting/rendezvous_board.hpp"
#include "core/base/units.hpp"

struct redisContext;
struct redisReply;

namespace dipaco {

struct RedisPlace {
  Endpoint server;
  std::int32_t database = 0;
  std::string key;
};

/// A key on a Redis server. Connects when it is asked for something, and again after a failure.
class RedisBoard : public Board {
 public:
  /// @param timeout  of one exchange; resolving a name may take longer
  RedisBoard(RedisPlace place, Seconds timeout);
  ~RedisBoard() override;
  RedisBoard(const RedisBoard&) = delete;
  RedisBoard& operator=(const RedisBoard&) = delete;
  std::optional<std::vector<std::byte>> read() override;
  void write(std::span<const std::byte> entry) override;
  void remove() override;
  void try_writing() override;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const;
  };
  struct FreeReply {
    void operator()(redisReply* reply) const;
  };
  using Reply = std::unique_ptr<redisReply, FreeReply>;
  using Words = std::vector<std::string_view>;

  void connect();
  /// The server's answer, which may be an error of its.
  Reply ask(const Words& words);
  void send(const Words& words);
  Reply answer();
  /// An answer that says that it is done.
  void demand(const Words& words);
  [[noreturn]] void lose(const std::string& why);

  RedisPlace place_;
  Seconds timeout_;
  std::unique_ptr<redisContext, FreeContext> context_;
};

}  // namespace dipaco
