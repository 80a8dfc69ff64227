#include "backends/gloo/network/listener.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Connections that may be open without having said what they are. One more ends the oldest: a node says it in an
/// instant, so whoever opens hundreds and says nothing keeps no node out.
constexpr std::size_t kMostStrangers = 256;
/// Whoever tries again and again does not fill a disk with what is said about it.
constexpr Seconds kBetweenStrangers{30};

}  // namespace

Listener::Listener(NetworkShared& shared, Serve serve)
    : shared_(shared), serve_(std::move(serve)), acceptor_(shared.io) {
  listen();
}

void Listener::listen() {
  const Endpoint& wanted = shared_.options.listen;
  const PortRange ports = wanted.port == 0 ? shared_.options.ports : PortRange{wanted.port, wanted.port};
  try {
    tcp::resolver resolver(shared_.io);
    const auto found = resolver.resolve(wanted.host, std::to_string(ports.first));
    tcp::endpoint address = found.begin()->endpoint();
    refuse_open(address);
    while (!try_to_listen(address)) {
      if (address.port() == ports.last) throw boost::system::system_error(asio::error::address_in_use);
      address.port(address.port() + 1);
    }
    const auto bound = acceptor_.local_endpoint();
    endpoint_ = {shared_.options.reached_at.empty() ? bound.address().to_string() : shared_.options.reached_at,
                 bound.port()};
  } catch (const boost::system::system_error& error) {
    if (wanted.port == 0 && ports.first != 0 && error.code() == asio::error::address_in_use) {
      throw ConfigError("cannot listen on " + wanted.host + ": all ports of " + std::to_string(ports.first) + "-" +
                        std::to_string(ports.last) + " are taken; give a wider range by --listen-ports");
    }
    throw ConfigError("cannot listen on " + wanted.host + ":" + std::to_string(ports.first) + ": " +
                      error.code().message() + "; choose another port, or another --interface");
  }
}

/// What counts is where it listens in the end, whoever chose that and however. The programs refuse it earlier.
void Listener::refuse_open(const tcp::endpoint& address) const {
  if (shared_.options.secret || shared_.options.insecure || address.address().is_loopback()) return;
  throw ConfigError("without a secret nobody listens on " + address.address().to_string() +
                    ", where other machines can connect; give all processes the same --secret-file, or --insecure in a "
                    "network that you trust, or listen on 127.0.0.1");
}

bool Listener::try_to_listen(const tcp::endpoint& address) {
  boost::system::error_code failed;
  acceptor_.open(address.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(address, failed);
  if (!failed) acceptor_.listen(tcp::acceptor::max_listen_connections, failed);  // another may have bound it, too
  if (!failed) return true;
  acceptor_.close();
  if (failed != asio::error::address_in_use) throw boost::system::system_error(failed);
  return false;
}

Awaitable<void> Listener::accept_all() {
  while (true) {
    boost::system::error_code failed;
    const auto socket = std::make_shared<tcp::socket>(shared_.io);
    co_await acceptor_.async_accept(*socket, asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) co_return;
    if (failed) {  // no file descriptor left, for one: it may have one again soon
      asio::steady_timer pause(shared_.io, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::use_awaitable);
    } else {
      if (strangers_.size() >= kMostStrangers) strangers_.extract(strangers_.begin()).mapped()->close(failed);
      asio::co_spawn(shared_.io, serve(socket), asio::detached);
    }
  }
}

Awaitable<void> Listener::serve(std::shared_ptr<tcp::socket> socket) {
  boost::system::error_code ignored;
  const auto end = socket->remote_endpoint(ignored);
  const std::string from = end.address().to_string() + ":" + std::to_string(end.port());
  const std::uint64_t number = connections_++;
  strangers_.emplace(number, socket);
  try {
    auto connection =
        co_await Connection::begin(std::move(socket), Handshake::Side::responder, shared_.secret(), shared_.limit());
    const Frame frame = co_await connection->read(shared_.limit());
    strangers_.erase(number);
    const std::string source = "the first frame of " + from;
    co_await serve_(std::move(connection), frame, source);
  } catch (const std::exception& error) {
    note_stranger("a connection from " + from + " ended before it was a link: " + error.what());
  }
  strangers_.erase(number);
}

void Listener::note_stranger(const std::string& text) {
  ++unnoted_;
  if (noted_at_ >= Seconds(0) && steady() < noted_at_ + kBetweenStrangers) return;
  shared_.note(text +
               (unnoted_ > 1 ? " (and " + std::to_string(unnoted_ - 1) + " more since the last such note)" : ""));
  noted_at_ = steady();
  unnoted_ = 0;
}

}  // namespace dipaco
