#include "tests/gloo/meeting/redis_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gloo/spawned.hpp"

namespace dipaco::testing {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool somebody_listens(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool there = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return there;
}

}  // namespace

RedisServer::RedisServer() : port_(free_port()) { start(); }

RedisServer::~RedisServer() { stop(); }

void RedisServer::start() {
  // setpriv: it ends with this test, however that ends.
  std::vector<std::string> words{"setpriv",      "--pdeathsig",
                                 "KILL",         "redis-server",
                                 "--port",       std::to_string(port_),
                                 "--bind",       "127.0.0.1",
                                 "--databases",  "4",
                                 "--save",       "",
                                 "--appendonly", "no",
                                 "--dir",        folder_.path(),
                                 "--logfile",    folder_.path() / "log"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (::posix_spawnp(&pid_, words[0].c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    throw std::runtime_error("setpriv, of util-linux, does not start");
  }
  for (int k = 0; k < 1000 && !somebody_listens(port_); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!somebody_listens(port_))
    throw std::runtime_error("redis-server does not start; scripts/setup.sh --tests installs it");
}

void RedisServer::stop() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);  // frozen or not
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void RedisServer::freeze() const { ::kill(pid_, SIGSTOP); }
void RedisServer::thaw() const { ::kill(pid_, SIGCONT); }

Stranger::Stranger(std::string answer)
    : answer_(std::move(answer)), port_(free_port()), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = loopback(port_);
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening_, 8) != 0) {
    throw std::runtime_error("a stranger cannot listen");
  }
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::vector<int> guests;
    while (!stop.stop_requested()) {
      guests.push_back(::accept(listening_, nullptr, nullptr));
      if (guests.back() < 0) break;
      static_cast<void>(::send(guests.back(), answer_.data(), answer_.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    for (const int guest : guests) ::close(guest);
  });
}

Stranger::~Stranger() {
  thread_.request_stop();
  ::shutdown(listening_, SHUT_RDWR);
  thread_.join();
  ::close(listening_);
}

}  // namespace dipaco::testing
