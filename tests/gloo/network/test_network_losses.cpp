// What links and who takes part come to when processes go, come back and are pestered.

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "tests/gloo/meeting/finding.hpp"
#include "tests/gloo/network/meeting.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {

using testing::Meeting;

TEST_CASE("a link that was given up brings nothing more, and another one brings it again", "[gloo]") {
  std::atomic<bool> frozen{false};
  std::atomic<int> reports{0};
  Meeting meeting;
  meeting.add([&](NetworkOptions& options) {
    options.note = [&](const std::string&) {  // on the links' thread
      while (frozen) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    options.report = [&](NodeId, std::span<const std::byte>) {
      ++reports;
      return std::uint64_t{1};
    };
  });
  Network& other = meeting.add();
  frozen = true;
  asio::io_context io;
  tcp::socket stranger(io);
  stranger.connect({asio::ip::make_address("127.0.0.1"), meeting.coordinator().port});
  asio::write(stranger, asio::buffer(std::vector<char>(48, 'x')));  // worth a note
  other.send_report(1, std::vector<std::byte>(1000));
  // Beyond the limit: that it is over, and what has come meanwhile, are found at the same moment.
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  frozen = false;
  CHECK(testing::eventually([&] { return reports > 0; }));
  CHECK(other.self().id == NodeId{1});
}

TEST_CASE("a coordinator that begins anew still knows who has taken part and has gone", "[gloo]") {
  Meeting meeting;
  meeting.add();
  meeting.add([](NetworkOptions& options) {
    options.self.role = Role::evaluator;
    options.self.site_name = "there";
  });
  meeting.kill(1);
  const auto members = meeting.restart_coordinator().members();
  REQUIRE(members.size() == 2);
  CHECK(members[1].id == NodeId{1});
  CHECK(members[1].role == Role::evaluator);
  CHECK(members[1].site_name == "there");
  CHECK(members[1].site == SiteId{1});
  CHECK(members[1].machine == "machine-1");
  CHECK_FALSE(members[1].up);
  CHECK(meeting.add().self().id == NodeId{2});
}

TEST_CASE("a registry that is opened again knows nodes by their keys, and sites by their names", "[gloo]") {
  const TemporaryFolder folder;
  const Member worker{.role = Role::worker, .site_name = "there", .machine = "m", .host = "h", .port = 1, .up = true};
  const Token key = make_token();
  {
    Registry registry(folder.path() / "registry");
    CHECK(registry.site("here") == SiteId{0});
    CHECK(registry.admit(key, worker).id == NodeId{1});
    CHECK(registry.admit(make_token(), worker).id == NodeId{2});
    CHECK(registry.admit(key, worker).site == SiteId{1});
  }
  Registry again(folder.path() / "registry");
  CHECK(again.members().size() == 2);
  CHECK(again.admit(key, worker).id == NodeId{1});
  CHECK(again.admit(make_token(), worker).id == NodeId{3});
  CHECK(again.site("there") == SiteId{1});
}

TEST_CASE("a registry remembers who has left until it is admitted again", "[gloo]") {
  const TemporaryFolder folder;
  const Member worker{.role = Role::worker, .site_name = "there", .machine = "m", .host = "h", .port = 1, .up = true};
  const Token key = make_token();
  {
    Registry registry(folder.path() / "registry");
    registry.admit(key, worker);
    registry.admit(make_token(), worker);
    registry.note_left(NodeId{1});
  }
  {
    Registry again(folder.path() / "registry");
    CHECK(again.members()[0].left);
    CHECK_FALSE(again.members()[1].left);
    CHECK_FALSE(again.admit(key, worker).left);
  }
  CHECK_FALSE(Registry(folder.path() / "registry").members()[0].left);
}

TEST_CASE(
    "a message to who has left is lost at once, also of a coordinator that begins anew, one to who was lost is not",
    "[gloo]") {
  Meeting meeting({.period = Seconds(0.1), .limit = Seconds(600)});
  const Network& coordinator = meeting.add();
  meeting.add().leave(Seconds(10));
  while (!coordinator.members()[1].left) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  meeting.kill(1);
  meeting.add();
  meeting.kill(2);
  Network& again = meeting.restart_coordinator();
  const auto transport = again.transport();
  transport->send(NodeId{2}, make_message(WhoIsThere{}));
  transport->send(NodeId{1}, make_message(WhoIsThere{}));
  const auto first = transport->receive(Seconds(10));
  REQUIRE(first);
  CHECK(std::get<PeerLost>(*first).node == NodeId{1});
  CHECK_FALSE(transport->receive(Seconds(0)));
  CHECK(again.members()[1].left);
  CHECK_FALSE(again.members()[2].left);
}

TEST_CASE("whoever is linked at the run's end hears of it behind all that came before", "[gloo]") {
  Meeting meeting;
  Network& coordinator = meeting.add();
  Network& other = meeting.add();
  const auto transport = other.transport();
  coordinator.transport()->send(NodeId{1}, make_message(Goodbye{}));
  std::jthread end([&] { coordinator.finish(Seconds(30)); });
  const auto first = transport->receive(Seconds(10));
  REQUIRE(first);
  CHECK(std::holds_alternative<Envelope>(*first));
  CHECK_THROWS_AS(transport->receive(Seconds(10)), RunIsOver);
  other.leave(Seconds(10));
}

TEST_CASE("an executor that comes back after the run's end hears of it - one that has left is not waited for",
          "[gloo]") {
  Meeting meeting;
  Network& coordinator = meeting.add();
  Token key;
  const auto executor = [&](NetworkOptions& options) {
    options.self.role = Role::executor;
    key = options.key;
  };
  meeting.add(executor);
  meeting.at(1).leave(Seconds(10));
  meeting.kill(1);
  meeting.add(executor);
  meeting.kill(2);
  REQUIRE(testing::eventually([&] { return !coordinator.members().at(2).up; }));
  const auto begin = std::chrono::steady_clock::now();
  coordinator.finish(Seconds(0.5));
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(500));
  {
    const std::jthread end([&] { coordinator.finish(Seconds(30)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto again = [&](NetworkOptions& options) {
      options.key = key;
      options.self.role = Role::executor;
      options.self.incarnation = 1;
    };
    CHECK_THROWS_AS(meeting.add(again), RunIsOver);
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("hundreds of connections that say nothing keep no node out, and are worth one note", "[gloo]") {
  std::atomic<int> notes{0};
  SessionOptions session = Meeting::quick();
  session.limit = Seconds(60);
  Meeting meeting(session, testing::secret_of("0123456789abcdef"));
  meeting.add([&](NetworkOptions& options) {
    options.note = [&](const std::string& text) { notes += text.find("ended before") == std::string::npos ? 0 : 1; };
  });
  asio::io_context io;
  std::vector<tcp::socket> strangers;
  for (int k = 0; k < 400; ++k) {
    strangers.emplace_back(io);
    strangers.back().connect({asio::ip::make_address("127.0.0.1"), meeting.coordinator().port});
  }
  CHECK(meeting.add().self().id == NodeId{1});
  char byte = 0;
  boost::system::error_code ended;
  asio::read(strangers.front(), asio::buffer(&byte, 1), ended);
  CHECK(ended == asio::error::eof);
  CHECK(notes == 1);
}

}  // namespace dipaco
