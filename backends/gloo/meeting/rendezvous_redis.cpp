#include "backends/gloo/meeting/rendezvous_redis.hpp"

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "backends/gloo/meeting/rendezvous_entry.hpp"

namespace dipaco {
namespace {

/// No answer to our commands is larger.
constexpr std::size_t kLargestAnswer = kLargestEntry + 1024;
constexpr std::size_t kLongestReason = 200;

timeval to_timeval(Seconds time) {
  const double whole = std::floor(time.count());
  return {.tv_sec = static_cast<time_t>(whole), .tv_usec = static_cast<suseconds_t>((time.count() - whole) * 1e6)};
}

std::string reason(const redisReply& reply) { return {reply.str, std::min(reply.len, kLongestReason)}; }

}  // namespace

void RedisBoard::FreeContext::operator()(redisContext* context) const { redisFree(context); }
void RedisBoard::FreeReply::operator()(redisReply* reply) const { freeReplyObject(reply); }

RedisBoard::RedisBoard(RedisPlace place, Seconds timeout) : place_(std::move(place)), timeout_(timeout) {}
RedisBoard::~RedisBoard() = default;

std::optional<std::vector<std::byte>> RedisBoard::read() {
  // A part of it, not all: somebody may have put gigabytes there.
  const Reply reply = ask({"GETRANGE", place_.key, "0", std::to_string(kLargestEntry)});
  if (reply->type == REDIS_REPLY_ERROR) {
    const std::string why = reason(*reply);
    if (why.starts_with("WRONGTYPE")) return std::nullopt;
    lose("the server refuses: " + why + "; let this run read and write the database");
  }
  if (reply->type != REDIS_REPLY_STRING) lose("the server answers as no Redis server does; check host and port");
  if (reply->len == 0 || reply->len > kLargestEntry) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(reply->str, reply->len));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

void RedisBoard::write(std::span<const std::byte> entry) {
  demand({"SET", place_.key, {reinterpret_cast<const char*>(entry.data()), entry.size()}});
}

void RedisBoard::remove() {
  const Reply reply = ask({"DEL", place_.key});
  if (reply->type == REDIS_REPLY_ERROR) {
    lose("the server refuses: " + reason(*reply) + "; let this run read and write the database");
  }
}

void RedisBoard::try_writing() { demand({"SET", place_.key + ".try", "", "PX", "1000"}); }

void RedisBoard::demand(const Words& words) {
  const Reply reply = ask(words);
  if (reply->type == REDIS_REPLY_STATUS) return;
  lose("the server refuses: " + (reply->type == REDIS_REPLY_ERROR ? reason(*reply) : "no reason given") +
       "; let this run read and write the database");
}

void RedisBoard::lose(const std::string& why) {
  context_.reset();
  throw BoardError(why);
}

void RedisBoard::connect() {
  context_.reset(redisConnectWithTimeout(place_.server.host.c_str(), place_.server.port, to_timeval(timeout_)));
  if (context_ == nullptr) lose("no memory for a connection");
  if (context_->err != 0) {
    lose("cannot connect: " + std::string(context_->errstr) + "; start redis-server there, or check host and port");
  }
  redisSetTimeout(context_.get(), to_timeval(timeout_));
  if (place_.database != 0) demand({"SELECT", std::to_string(place_.database)});
}

RedisBoard::Reply RedisBoard::ask(const Words& words) {
  if (context_ == nullptr) connect();
  send(words);
  return answer();
}

void RedisBoard::send(const Words& words) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const auto word : words) {
    starts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* text = nullptr;
  const int size = redisFormatCommandArgv(&text, static_cast<int>(words.size()), starts.data(), sizes.data());
  if (size < 0) lose("no memory for a command");
  const std::unique_ptr<char, void (*)(char*)> owner(text, redisFreeCommand);
  std::size_t done = 0;
  while (done < static_cast<std::size_t>(size)) {
    // Not hiredis' own way, by write(): a connection that has broken would end the process by a signal.
    const ssize_t sent = ::send(context_->fd, text + done, static_cast<std::size_t>(size) - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) lose("the connection has ended: " + std::string(std::strerror(errno)));
    done += static_cast<std::size_t>(sent);
  }
}

RedisBoard::Reply RedisBoard::answer() {
  const auto end = std::chrono::steady_clock::now() + timeout_;
  while (true) {
    void* reply = nullptr;
    if (redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) {
      lose("the server answers as no Redis server does (" + std::string(context_->errstr) + "); check host and port");
    }
    if (reply != nullptr) return Reply(static_cast<redisReply*>(reply));
    if (std::chrono::steady_clock::now() > end) lose("the server does not answer; check that it is well");
    if (redisBufferRead(context_.get()) != REDIS_OK) {
      lose("the server does not answer: " + std::string(context_->errstr) + "; check that it is well");
    }
    const redisReader& read = *context_->reader;
    // An array is no answer to our commands, and hiredis takes memory for as many items as the server says.
    if (read.len > kLargestAnswer || (read.len > 0 && read.buf[0] == '*')) {
      lose("the server answers as no Redis server does; check host and port");
    }
  }
}

}  // namespace dipaco
