#pragma once

#include <cstdint>
#include <string>

#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/status/metrics_server.hpp"

namespace dipaco::testing {

const inline Endpoint kAnyPort{"127.0.0.1", 0};

/// One connection of a client that may behave badly.
class HttpClient {
 public:
  explicit HttpClient(const MetricsServer& server) : HttpClient(server.port()) {}
  explicit HttpClient(std::uint16_t port) : socket_(io_) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
  }
  /// Whether the other side takes all of it.
  bool send(const std::string& bytes) {
    boost::system::error_code failed;
    asio::write(socket_, asio::buffer(bytes), failed);
    return !failed;
  }
  /// All that comes until the other side has closed the connection.
  std::string rest() {
    std::string text;
    boost::system::error_code ended;
    asio::read(socket_, asio::dynamic_buffer(text), ended);
    return text;
  }
  bool has_answer() const { return socket_.available() > 0; }
  void say_no_more() {
    boost::system::error_code gone_already;
    socket_.shutdown(tcp::socket::shutdown_send, gone_already);
  }

 private:
  asio::io_context io_;
  tcp::socket socket_;
};

inline std::string ask(const MetricsServer& server, const std::string& request) {
  HttpClient client(server);
  client.send(request);
  return client.rest();
}

inline std::string get(const MetricsServer& server, const std::string& target) {
  return ask(server, "GET " + target + " HTTP/1.1\r\nHost: here\r\n\r\n");
}

inline std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

}  // namespace dipaco::testing
