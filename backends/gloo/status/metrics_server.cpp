#include "backends/gloo/status/metrics_server.hpp"

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/status/chart_files.hpp"
#include "backends/gloo/status/status_json.hpp"
#include "backends/gloo/status/status_metrics.hpp"
#include "backends/gloo/status/status_page.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

using Request = http::request_parser<http::empty_body>;
using Response = http::response<http::string_body>;

Response response_of(http::status code, std::string body, std::string_view type = "text/plain; charset=utf-8") {
  Response response(code, 11);
  response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.keep_alive(false);
  response.body() = std::move(body);
  return response;
}

Response page_of(const Status& status) {
  Response response = response_of(http::status::ok, status_page(status), "text/html; charset=utf-8");
  response.set("Content-Security-Policy", status_page_policy());
  response.set("Referrer-Policy", "no-referrer");
  return response;
}

/// What the page's charts are made of; nullopt for any other path.
std::optional<Response> chart_response(std::string_view path, const std::function<std::string()>& history) {
  if (path == "/charts.js") return response_of(http::status::ok, chart_script(), "text/javascript; charset=utf-8");
  if (path == "/charts.css") return response_of(http::status::ok, chart_style(), "text/css; charset=utf-8");
  if (path == "/history.json" && history) return response_of(http::status::ok, history(), "application/json");
  return std::nullopt;
}

/// What a request is answered from.
struct Sources {
  const std::function<Status()>& status;
  const std::function<std::string()>& history;
  const std::function<void()>& looked;
};

Response response_to(const Request::value_type& request, const Sources& from) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    Response response = response_of(http::status::method_not_allowed, "only GET and HEAD are answered here\n");
    response.set(http::field::allow, "GET");
    response.insert(http::field::allow, "HEAD");
    return response;
  }
  const std::string_view target(request.target().data(), request.target().size());
  const auto path = target.substr(0, target.find('?'));
  try {
    const bool page = path == "/" || path == "/index.html";
    if (from.looked && (page || path == "/status.json" || path == "/history.json")) from.looked();
    if (page) return page_of(from.status());
    if (path == "/metrics") return response_of(http::status::ok, status_metrics(from.status()), kMetricsType);
    if (path == "/status.json") return response_of(http::status::ok, status_json(from.status()), "application/json");
    if (auto response = chart_response(path, from.history)) return std::move(*response);
  } catch (const std::exception& error) {
    return response_of(http::status::internal_server_error, error.what() + std::string("\n"));
  }
  return response_of(http::status::not_found,
                     "there is nothing here; there is something at /, /metrics, /status.json, /history.json\n");
}

/// To bytes that are no request; nullopt where nobody waits for an answer.
std::optional<Response> response_to(const boost::system::error_code& failed) {
  if (failed == http::error::header_limit || failed == http::error::buffer_overflow) {
    return response_of(http::status::request_header_fields_too_large, "this request is too large\n");
  }
  const bool gone = failed == http::error::end_of_stream || failed == http::error::partial_message;
  if (gone || failed.category() != make_error_code(http::error::end_of_stream).category()) return std::nullopt;
  return response_of(http::status::bad_request, "this is not a request: " + failed.message() + "\n");
}

}  // namespace

MetricsServer::MetricsServer(const Endpoint& listen_on, std::function<Status()> status, const MetricsLimits& limits,
                             std::function<std::string()> history, std::function<void()> looked)
    : status_(std::move(status)),
      history_(std::move(history)),
      looked_(std::move(looked)),
      limits_(limits),
      acceptor_(io_),
      room_(io_) {
  listen(listen_on);
  asio::co_spawn(io_, accept_all(), asio::detached);
  thread_ = std::jthread([this] { io_.run(); });
}

MetricsServer::~MetricsServer() {
  io_.stop();
  thread_.join();
}

void MetricsServer::listen(const Endpoint& wanted) {
  try {
    const auto found = tcp::resolver(io_).resolve(wanted.host, std::to_string(wanted.port), tcp::resolver::passive);
    const tcp::endpoint address = found.begin()->endpoint();
    acceptor_.open(address.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(address);
    acceptor_.listen();
    port_ = acceptor_.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    throw ConfigError("cannot serve metrics on " + wanted.host + ":" + std::to_string(wanted.port) + ": " +
                      error.code().message() + "; give --metrics an address of this machine and a port that is free");
  }
}

Awaitable<void> MetricsServer::accept_all() {
  while (true) {
    boost::system::error_code failed;
    while (open_ >= limits_.connections) {
      room_.expires_at(asio::steady_timer::time_point::max());
      co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, failed));
    }
    auto socket = std::make_shared<tcp::socket>(io_);
    co_await acceptor_.async_accept(*socket, asio::redirect_error(asio::use_awaitable, failed));
    if (failed) {  // no file descriptor left, for one: it may have one again soon
      room_.expires_after(std::chrono::milliseconds(100));
      co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, failed));
    } else {
      ++open_;
      asio::co_spawn(io_, serve(std::move(socket)), asio::detached);
    }
  }
}

Awaitable<void> MetricsServer::serve(std::shared_ptr<tcp::socket> socket) {
  try {
    const Deadline deadline(socket, limits_.time);
    const bool all_read = co_await answer(*socket);
    socket->shutdown(tcp::socket::shutdown_send);
    // A socket that is closed with something unread takes back what the other side has not read yet.
    std::array<char, 4096> rest;
    boost::system::error_code ended;
    while (!all_read && !ended) {
      co_await socket->async_read_some(asio::buffer(rest), asio::redirect_error(asio::use_awaitable, ended));
    }
  } catch (const std::exception&) {
    // It broke, or took too long: nobody is left to be told.
  }
  --open_;
  room_.cancel();
}

Awaitable<bool> MetricsServer::answer(tcp::socket& socket) {
  Request request;
  request.header_limit(limits_.header);
  // A body is not read, however long. Not boost::none: 1.74 takes that for less than any length.
  request.body_limit(std::numeric_limits<std::uint64_t>::max());
  beast::flat_buffer buffer(limits_.header + 1);
  boost::system::error_code failed;
  co_await http::async_read_header(socket, buffer, request, asio::redirect_error(asio::use_awaitable, failed));
  std::optional<Response> response =
      failed ? response_to(failed) : response_to(request.get(), {status_, history_, looked_});
  if (!response) co_return true;
  response->prepare_payload();
  if (!failed && request.get().method() == http::verb::head)
    response->body().clear();  // its length is told all the same
  co_await http::async_write(socket, *response, asio::use_awaitable);
  co_return request.is_done() && buffer.size() == 0 && socket.available() == 0;
}

}  // namespace dipaco
