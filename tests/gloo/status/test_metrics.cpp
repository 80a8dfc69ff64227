#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "backends/gloo/status/metrics_server.hpp"
#include "backends/gloo/status/status_desk.hpp"
#include "backends/gloo/status/status_json.hpp"
#include "backends/gloo/status/status_metrics.hpp"
#include "backends/gloo/status/status_page.hpp"
#include "core/base/error.hpp"
#include "tests/gloo/status/http_client.hpp"
#include "tests/gloo/status/made_up_status.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
using Catch::StartsWith;
using testing::ask;
using testing::body_of;
using testing::get;
using testing::HttpClient;
using testing::kAnyPort;
using testing::made_up_status;

bool serves(const MetricsServer& server) { return get(server, "/metrics").starts_with("HTTP/1.1 200 OK\r\n"); }

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

TEST_CASE("the server has what the charts of its page are drawn with and from", "[gloo]") {
  const MetricsServer server(kAnyPort, made_up_status, {}, [] { return std::string("{\"charts\": []}\n"); });
  CHECK_THAT(get(server, "/charts.js"), Contains("text/javascript") && Contains("uPlot, under this licence") &&
                                            Contains("function linesPlot(") && Contains("/history.json"));
  CHECK_THAT(get(server, "/charts.css"), Contains("text/css") && Contains(".u-legend") && Contains("--c0:"));
  CHECK_THAT(get(server, "/history.json"), StartsWith("HTTP/1.1 200") && Contains("{\"charts\": []}"));
  const MetricsServer without(kAnyPort, made_up_status);
  CHECK_THAT(get(without, "/history.json"), StartsWith("HTTP/1.1 404"));
}

TEST_CASE("who asks for the page or for what it shows is noticed, and Prometheus is not", "[gloo]") {
  std::atomic<int> looked{0};
  const MetricsServer server(
      kAnyPort, made_up_status, {}, [] { return std::string("{}"); }, [&looked] { ++looked; });
  for (const char* const path : {"/metrics", "/charts.js", "/charts.css", "/nothing"}) get(server, path);
  CHECK(looked == 0);
  for (const char* const path : {"/", "/index.html", "/status.json", "/history.json"}) get(server, path);
  CHECK(looked == 4);
}

TEST_CASE("metrics, page and status are served, each request's anew", "[gloo]") {
  Status status = made_up_status();
  MetricsServer server(kAnyPort, [&] { return status; });
  const std::string metrics = get(server, "/metrics");
  CHECK_THAT(metrics, StartsWith("HTTP/1.1 200 OK\r\n"));
  CHECK_THAT(metrics, Contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  CHECK_THAT(metrics, Contains("Connection: close\r\n") && Contains("Cache-Control: no-store\r\n"));
  CHECK(body_of(metrics) == status_metrics(status));
  CHECK_THAT(metrics, Contains("Content-Length: " + std::to_string(body_of(metrics).size()) + "\r\n"));
  const std::string page = get(server, "/");
  CHECK_THAT(page, Contains("Content-Type: text/html; charset=utf-8\r\n"));
  CHECK_THAT(page, Contains("Content-Security-Policy: " + status_page_policy() + "\r\n"));
  CHECK(body_of(page) == status_page(status));
  CHECK(body_of(get(server, "/index.html?now=1")) == status_page(status));
  CHECK_THAT(get(server, "/status.json"), Contains("Content-Type: application/json\r\n"));
  CHECK(body_of(get(server, "/status.json")) == status_json(status));
  status.progress.outer_step = 3;
  CHECK_THAT(get(server, "/metrics"), Contains("dipaco_outer_step 3\n"));
}

TEST_CASE("what is not there is 404, and what is no GET is 405, with a body or without", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  for (const char* target :
       {"/metric", "/metrics/", "/../etc/passwd", "//", "*", "/index.html%00", "http://a/metrics"}) {
    CHECK_THAT(get(server, target), StartsWith("HTTP/1.1 404 Not Found\r\n"));
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"}) {
    const std::string answer = ask(server, std::string(method) + " /metrics HTTP/1.1\r\n\r\n");
    CHECK_THAT(answer, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n") && Contains("Allow: GET\r\n"));
    CHECK_THAT(answer, Contains("Allow: HEAD\r\n"));
  }
  // A connection that is closed with something unread in it may take the answer with it.
  HttpClient large(server);
  CHECK(large.send("POST / HTTP/1.1\r\nContent-Length: 16777216\r\n\r\n" + std::string(1 << 24, 'x')));
  large.say_no_more();
  CHECK_THAT(large.rest(), StartsWith("HTTP/1.1 405"));
}

TEST_CASE("a HEAD is answered as a GET, without its body", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  for (const char* target : {"/", "/status.json", "/charts.js", "/charts.css", "/nowhere"}) {
    const std::string whole = get(server, target);
    CHECK_THAT(whole, Contains("Content-Length: " + std::to_string(body_of(whole).size()) + "\r\n"));
    CHECK(ask(server, std::string("HEAD ") + target + " HTTP/1.1\r\n\r\n") ==
          whole.substr(0, whole.find("\r\n\r\n") + 4));
  }
}

TEST_CASE("the page ends with its process, and one that is open says so", "[gloo]") {
  std::optional<MetricsServer> server(std::in_place, kAnyPort, made_up_status);
  CHECK_THAT(get(*server, "/"), Contains("No answer since ") && Contains("the run has ended, or cannot be reached"));
  const std::uint16_t port = server->port();
  server.reset();
  CHECK_THROWS_AS(HttpClient(port), boost::system::system_error);
}

TEST_CASE("an old client and one that sends two requests at once get one answer", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  CHECK_THAT(ask(server, "GET /metrics HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  const std::string one = "GET /status.json HTTP/1.1\r\nHost: here\r\nConnection: keep-alive\r\n\r\n";
  CHECK(body_of(ask(server, one + one)) == status_json(made_up_status()));
}

TEST_CASE("bytes that are no request are refused, and cost their connection alone", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  for (const std::string garbage :
       {"hello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n bad\r\n\r\n",
        "\x16\x03\x01\x02 TLS\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"}) {
    CHECK_THAT(ask(server, garbage), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  }
  std::mt19937 draw(1);  // NOLINT: the same bytes each time
  for (int k = 0; k < 200; ++k) {
    std::string bytes = k % 2 == 0 ? std::string(draw() % 9000, 'x') : "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n";
    for (std::size_t n = 0; n < bytes.size(); n += k % 2 == 0 ? 1 : 11) bytes[n] = static_cast<char>(draw() % 256);
    HttpClient client(server);
    client.send(bytes);
    client.say_no_more();
    const std::string answer = client.rest();
    CHECK((answer.empty() || answer.starts_with("HTTP/1.1 ")));
  }
  CHECK(serves(server));
}

TEST_CASE("a request of more than 8 KiB is refused", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  const auto with_header = [](std::size_t size) {
    return "GET /metrics HTTP/1.1\r\nX: " + std::string(size, 'x') + "\r\n\r\n";
  };
  CHECK_THAT(ask(server, with_header(8000)), StartsWith("HTTP/1.1 200 OK\r\n"));
  for (const std::size_t size : {8200, 70'000, 3'000'000}) {
    CHECK_THAT(ask(server, with_header(size)), StartsWith("HTTP/1.1 431 "));
  }
  CHECK_THAT(get(server, "/" + std::string(9000, 'x')), StartsWith("HTTP/1.1 431 "));
  CHECK(serves(server));
}

TEST_CASE("half a request, and one that never ends, are cut off in time while others are served", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status, {.time = Seconds(0.5)});
  HttpClient silent(server);
  HttpClient half(server);
  half.send("GET /metrics HTTP/1.1\r\nHo");
  HttpClient gone(server);
  gone.send("GET /metrics HTTP/1.1\r\nHo");
  gone.say_no_more();
  CHECK(gone.rest().empty());
  CHECK(serves(server));
  CHECK_FALSE(half.has_answer());
  HttpClient slow(server);
  for (int k = 0; k < 20; ++k) {
    slow.send("X");
    sleep(0.05);
  }
  CHECK(slow.rest().empty());
  CHECK(half.rest().empty());
  CHECK(silent.rest().empty());
  CHECK(serves(server));
}

TEST_CASE("a reader who never reads a long page holds nobody else up", "[gloo]") {
  Status status = made_up_status();
  status.members.resize(60'000, status.members[0]);
  std::atomic<int> asked = 0;
  MetricsServer server(kAnyPort,
                       [&] {
                         ++asked;
                         return asked == 1 ? status : made_up_status();
                       },
                       {.time = Seconds(2)});
  HttpClient idle(server);
  idle.send("GET / HTTP/1.1\r\n\r\n");
  while (asked == 0) sleep(0.01);
  CHECK(serves(server));
  sleep(2.5);
  // Only what had room in the sockets has come.
  CHECK(idle.rest().size() < status_page(status).size());
}

TEST_CASE("no more connections are served at once than the limit, and others wait for their turn", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status, {.time = Seconds(60), .connections = 2});
  auto first = std::make_unique<HttpClient>(server);
  const HttpClient second(server);
  HttpClient third(server);
  third.send("GET /metrics HTTP/1.1\r\n\r\n");
  sleep(0.3);
  CHECK_FALSE(third.has_answer());
  first.reset();
  CHECK_THAT(third.rest(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a hundred connections at once all get their answer", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int k = 0; k < 100; ++k) clients.push_back(std::make_unique<HttpClient>(server));
  std::vector<std::future<std::string>> answers;
  for (const auto& client : clients) {
    answers.push_back(std::async(std::launch::async, [&client] {
      client->send("GET /metrics HTTP/1.1\r\n\r\n");
      return client->rest();
    }));
  }
  int served = 0;
  for (auto& answer : answers) served += body_of(answer.get()) == status_metrics(made_up_status()) ? 1 : 0;
  CHECK(served == 100);
}

TEST_CASE("a status that cannot be had is an answer, too", "[gloo]") {
  bool fails = true;
  MetricsServer server(kAnyPort, [&] {
    if (fails) throw std::runtime_error("the run has no status yet");
    return made_up_status();
  });
  const std::string answer = get(server, "/metrics");
  CHECK_THAT(answer, StartsWith("HTTP/1.1 500 ") && Contains("the run has no status yet"));
  fails = false;
  CHECK(serves(server));
}

TEST_CASE("an address that cannot be listened on is named with its reason and a remedy", "[gloo]") {
  MetricsServer server(kAnyPort, made_up_status);
  const auto again = [&] { MetricsServer({"127.0.0.1", server.port()}, made_up_status); };
  CHECK_THROWS_AS(again(), ConfigError);
  CHECK_THROWS_WITH(again(), "cannot serve metrics on 127.0.0.1:" + std::to_string(server.port()) +
                                 ": Address already in use; give --metrics an address of this machine and a port that "
                                 "is free");
}

TEST_CASE("a server that ends lets go of its connections and of its port", "[gloo]") {
  auto server = std::make_unique<MetricsServer>(kAnyPort, made_up_status);
  const std::uint16_t port = server->port();
  HttpClient half(*server);
  half.send("GET / HT");
  CHECK(serves(*server));
  server.reset();
  CHECK(half.rest().empty());
  CHECK(serves(MetricsServer({"127.0.0.1", port}, made_up_status)));
}

TEST_CASE("a process serves its status from its start: its preparation, the run, and how that had ended", "[gloo]") {
  StatusDesk desk(kAnyPort, "tiny", {Role::worker});
  const auto status = [&] {
    HttpClient client(desk.port());
    client.send("GET /status.json HTTP/1.1\r\nHost: here\r\n\r\n");
    return nlohmann::json::parse(body_of(client.rest()));
  };
  CHECK(status()["preparing"] == "");
  desk.prepares({"tokens", 3, 7});
  CHECK(status()["preparing"] == "tokens");
  CHECK(status()["run"] == "tiny");
  Status now = made_up_status();
  desk.open([&now] { return now; });
  CHECK_FALSE(status().contains("preparing"));
  CHECK(status()["tasks_completed"] == 10);
  now.finished = true;
  desk.close();
  now.progress.tasks_committed = 11;
  CHECK(status()["finished"] == true);
  CHECK(status()["tasks_completed"] == 10);
}

}  // namespace dipaco
