#include "tests/gloo/strangers.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "backends/gloo/links/sealing/handshake.hpp"
#include "tests/gloo/spawned.hpp"

namespace dipaco::testing {
namespace {

constexpr std::size_t kGarbageAtOnce = 4;  ///< a port
constexpr double kGarbageFor = 0.05;
constexpr std::size_t kSilentAtOnce = 300;  ///< a port: more than a node lets wait
constexpr double kSilentFor = 30;           ///< or until the node hangs up
constexpr std::size_t kNewAtOnce = 20;

/// What the links of /proc/PID/fd to sockets say: their inodes.
std::vector<std::string> sockets_of(pid_t process) {
  std::vector<std::string> inodes;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone)) {
    const std::string to = std::filesystem::read_symlink(entry.path(), gone).string();
    if (to.starts_with("socket:[")) inodes.push_back(to.substr(8, to.size() - 9));
  }
  return inodes;
}

}  // namespace

std::vector<std::uint16_t> listening_ports(pid_t process) {
  const auto inodes = sockets_of(process);
  std::vector<std::uint16_t> ports;
  std::ifstream table("/proc/" + std::to_string(process) + "/net/tcp");
  std::string line;
  std::getline(table, line);  // the heading
  while (std::getline(table, line)) {
    if (line.find(" 0A ") == std::string::npos) continue;  // thousands of lines, of which few listen
    std::istringstream words(line);
    std::vector<std::string> columns;
    for (std::string word; words >> word;) columns.push_back(word);
    constexpr std::size_t kInode = 9;
    const bool listens = columns.size() > kInode && columns[3] == "0A";
    if (!listens || std::ranges::find(inodes, columns[kInode]) == inodes.end()) continue;
    const std::string port = columns[1].substr(columns[1].find(':') + 1);
    ports.push_back(static_cast<std::uint16_t>(std::stoi(port, nullptr, 16)));
  }
  return ports;
}

Strangers::~Strangers() {
  for (auto& [port, all] : open_) {
    for (const Open& open : all) ::close(open.socket);
  }
}

void Strangers::bother(const std::vector<pid_t>& processes) {
  for (auto& [port, open] : open_) tend(open);
  const std::size_t most = manner_ == Manner::silent ? kSilentAtOnce : kGarbageAtOnce;
  for (const pid_t process : processes) {
    for (const std::uint16_t port : listening_ports(process)) {
      for (std::size_t k = 0; k < kNewAtOnce && open_[port].size() < most; ++k) add(port);
    }
  }
}

void Strangers::add(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  open_[port].push_back({socket, now() + (manner_ == Manner::silent ? kSilentFor : kGarbageFor)});
  ++made_;
}

void Strangers::tend(std::deque<Open>& open) {
  std::erase_if(open, [&](Open& one) {
    pollfd state{.fd = one.socket, .events = POLLIN | POLLOUT, .revents = 0};
    ::poll(&state, 1, 0);
    if (!one.said && (state.revents & POLLOUT) != 0) {
      one.said = true;
      const auto bytes = something();
      ::send(one.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    // An answer to what was said is not read: whoever waits for more of it waits until its own limit.
    char byte = 0;
    const bool ended = (state.revents & (POLLERR | POLLHUP)) != 0 ||
                       ((state.revents & POLLIN) != 0 && ::recv(one.socket, &byte, 1, MSG_PEEK) == 0);
    if (!ended && now() < one.until) return false;
    ::close(one.socket);
    return true;
  });
}

/// Bytes of no meaning; or a true offer, and then perhaps what should follow it, without the secret for it.
std::vector<char> Strangers::something() {
  if (manner_ == Manner::silent && draw_() % 2 == 0) return {};
  std::vector<char> bytes;
  if (draw_() % 2 == 0) {
    const std::string wrong(32, static_cast<char>(draw_()));
    const Secret secret(std::as_bytes(std::span(wrong)));
    const Handshake handshake(Handshake::Side::initiator, &secret);
    for (const std::byte byte : handshake.offer()) bytes.push_back(static_cast<char>(byte));
  }
  const std::size_t more = manner_ == Manner::silent ? 0 : draw_() % 3000;
  for (std::size_t k = 0; k < more; ++k) bytes.push_back(static_cast<char>(draw_()));
  return bytes;
}

}  // namespace dipaco::testing
