#include "tests/gloo/network/relay.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace dipaco::testing {

struct Relay::Line {
  Line(tcp::socket from, asio::io_context& io, RelayPlan what) : caller(std::move(from)), node(io), plan(what) {}
  tcp::socket caller;
  tcp::socket node;
  RelayPlan plan;

  void end(bool with_an_error) {
    boost::system::error_code ignored;
    for (tcp::socket* const socket : {&caller, &node}) {
      if (with_an_error) socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
  }
};

Relay::Relay(Endpoint listen, Endpoint behind, std::vector<RelayPlan> plans)
    : behind_(std::move(behind)),
      plans_(std::move(plans)),
      acceptor_(io_, {asio::ip::make_address(listen.host), listen.port}) {
  asio::co_spawn(io_, accept_all(), asio::detached);
  thread_ = std::jthread([this] { io_.run(); });
}

Relay::~Relay() { io_.stop(); }

Awaitable<void> Relay::accept_all() {
  while (true) {
    tcp::socket socket(io_);
    co_await acceptor_.async_accept(socket, asio::use_awaitable);
    const std::size_t number = connections_++;
    const RelayPlan plan = number < plans_.size() ? plans_[number] : RelayPlan{};
    asio::co_spawn(io_, serve(std::make_shared<Line>(std::move(socket), io_, plan)), asio::detached);
  }
}

Awaitable<void> Relay::serve(std::shared_ptr<Line> line) {
  co_await line->node.async_connect({asio::ip::make_address(behind_.host), behind_.port}, asio::use_awaitable);
  asio::co_spawn(io_, forward(line, true), asio::detached);
  asio::co_spawn(io_, forward(line, false), asio::detached);
}

Awaitable<void> Relay::forward(std::shared_ptr<Line> line, bool there) {
  tcp::socket& from = there ? line->caller : line->node;
  tcp::socket& to = there ? line->node : line->caller;
  std::uint64_t left = there ? line->plan.swallow_there : line->plan.swallow_back;
  std::uint64_t until_reset = there ? line->plan.reset : RelayPlan::kNever;
  const std::size_t at_once = there ? line->plan.bytes_at_once : 0;
  std::array<std::byte, 65536> bytes{};
  try {
    while (true) {
      const std::size_t most = at_once > 0 ? std::min(at_once, bytes.size()) : bytes.size();
      const std::size_t came = co_await from.async_read_some(asio::buffer(bytes.data(), most), asio::use_awaitable);
      const auto goes = static_cast<std::size_t>(std::min<std::uint64_t>({came, left, until_reset}));
      if (goes > 0) co_await asio::async_write(to, asio::buffer(bytes.data(), goes), asio::use_awaitable);
      (there ? there_ : back_) += goes;
      if (left != RelayPlan::kNever) left -= goes;
      if (until_reset != RelayPlan::kNever && (until_reset -= goes) == 0) line->end(true);
      if (at_once == 0) continue;
      asio::steady_timer pause(io_, std::chrono::milliseconds(250));
      co_await pause.async_wait(asio::use_awaitable);
    }
  } catch (const boost::system::system_error&) {
    // Who swallows says nothing of an end, either.
    if (left > 0) line->end(false);
  }
}

}  // namespace dipaco::testing
