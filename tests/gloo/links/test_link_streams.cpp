#include <catch2/catch.hpp>
#include <csignal>
#include <deque>
#include <mutex>

#include "backends/gloo/links/link_streams.hpp"
#include "tests/gloo/meeting/finding.hpp"

namespace dipaco {
namespace {

using testing::eventually;

/// A link's streams, and what they tell; the links' thread is the test's.
class Told {
 public:
  explicit Told(bool initiator)
      : streams_(set_,
                 {.initiator = initiator, .each_way = 1, .limit = Seconds(10), .pauses = std::make_shared<Pauses>()},
                 {.open = [this](std::uint32_t streams) { opened.push_back(streams); },
                  .ready = [this] { ++ready; },
                  .later =
                      [this](std::function<void()> work) {
                        return [this, work = std::move(work)] {
                          const std::lock_guard lock(mutex_);
                          work_.push_back(work);
                        };
                      },
                  .renewal = {.connect = [this](std::uint32_t stream) { opened_anew.push_back(stream); },
                              .send = [](FrameKind, const std::vector<std::byte>&) {},
                              .stalled = [](const Stall&) {},
                              .failed = [this](const std::string& why) { failed.push_back(why); }}}),
        set_(initiator) {}

  LinkStreams& streams() { return streams_; }
  StreamSet& set() { return set_; }
  /// Does what was left for the links' thread. @returns whether there was something
  bool work() {
    std::deque<std::function<void()>> work;
    {
      const std::lock_guard lock(mutex_);
      work.swap(work_);
    }
    for (const auto& piece : work) piece();
    return !work.empty();
  }

  std::vector<std::uint32_t> opened;
  std::vector<std::uint32_t> opened_anew;
  std::vector<std::string> failed;
  int ready = 0;

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> work_;
  LinkStreams streams_;
  StreamSet set_;
};

/// Adds a stream to it whose other end is the returned socket.
tcp::socket add_stream(Told& told, asio::io_context& io, std::uint32_t stream) {
  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
  tcp::socket here(io);
  here.connect(acceptor.local_endpoint());
  tcp::socket there = acceptor.accept();
  const OpenStream which{.stream = stream, .streams = 2};
  told.streams().add(which, std::make_unique<Stream>(make_gloo_device(), here.release(), SessionKeys{},
                                                     told.streams().way(which), told.streams().hooks_of(stream)));
  return there;
}

}  // namespace

TEST_CASE("a link's streams are wanted once - the initiator knows how many there will be", "[gloo]") {
  Told initiator(true);
  Told other(false);
  for (Told* const told : {&initiator, &other}) {
    told->streams().want();
    told->streams().want();
    CHECK(told->opened == std::vector<std::uint32_t>{2});
  }
  CHECK(initiator.streams().count() == 2);
  CHECK(other.streams().count() == 0);
}

TEST_CASE("a stream that does not fit, or that cannot be had, ends its link", "[gloo]") {
  Told told(true);
  told.streams().want();
  told.streams().add({.stream = 0, .streams = 4}, nullptr);
  told.streams().not_opened("nobody is there");
  CHECK(told.failed ==
        std::vector<std::string>{"its streams do not fit", "no stream for large messages: nobody is there"});
  CHECK(told.ready == 0);
}

TEST_CASE("what a stream's thread tells is left for the links' thread", "[gloo]") {
  Told told(true);
  told.streams().hooks_of(0).failed("a chunk was changed on its way");
  told.streams().hooks_of(1).broke("");
  CHECK(told.failed.empty());
  CHECK(told.work());
  CHECK(told.failed == std::vector<std::string>{"a chunk was changed on its way",
                                                "a stream for large messages broke before all were there"});
}

TEST_CASE("streams are ready once all are there, and the initiator opens one anew whose connection breaks", "[gloo]") {
  std::signal(SIGPIPE, SIG_IGN);  // which streams ask for
  asio::io_context io;
  Told told(true);
  told.streams().want();
  const tcp::socket out = add_stream(told, io, 0);
  CHECK(told.ready == 0);
  tcp::socket in = add_stream(told, io, 1);
  CHECK(told.ready == 1);
  std::vector<std::byte> chunk(100);
  told.set().at(1).receive({.into = chunk, .came = [] {}});
  in.close();
  REQUIRE(eventually([&] { return told.work(); }));
  CHECK(told.opened_anew.empty());
  told.streams().renewals().look(Seconds(1), 0);
  CHECK(told.opened_anew == std::vector<std::uint32_t>{1});
  CHECK(told.failed.empty());
}

}  // namespace dipaco
