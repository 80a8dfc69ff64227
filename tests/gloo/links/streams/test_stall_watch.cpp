#include <catch2/catch.hpp>

#include "backends/gloo/links/streams/stall_watch.hpp"

namespace dipaco {
namespace {

using Sight = StallWatch::Sight;

/// Two streams and whatever else comes from the same peer, looked at every second.
class Watched {
 public:
  explicit Watched(std::shared_ptr<Pauses> pauses = std::make_shared<Pauses>())
      : pauses_(std::move(pauses)), watch_(Seconds(10), Seconds(1), pauses_) {}

  /// So many looks; before each the first stream moves, or does not.
  void look(int times, bool moves, bool others = true) {
    for (int k = 0; k < times; ++k) {
      if (moves) ++first_.moves;
      if (others) ++others_;
      watch_.look(now_, others_, {first_, second_});
      now_ += Seconds(1);
    }
  }
  void owe(bool owed) { first_.owed = owed; }
  void wait(Seconds time) { now_ += time; }
  StallWatch& watch() { return watch_; }
  bool stands() const { return watch_.stands(0); }
  Sight& second() { return second_; }
  Seconds now() const { return now_; }

 private:
  std::shared_ptr<Pauses> pauses_;
  StallWatch watch_;
  Seconds now_{100};
  std::uint64_t others_ = 0;
  Sight first_{.owed = true};
  Sight second_{};
};

}  // namespace

TEST_CASE("a stream stands once nothing has come on it for the limit, while other things came", "[gloo]") {
  Watched it;
  it.look(1, true);
  it.look(9, false);
  CHECK(it.watch().stood(0) == Seconds(9));
  CHECK_FALSE(it.stands());
  it.look(1, false);
  CHECK(it.stands());
  CHECK(it.watch().stood(0) == Seconds(10));
  CHECK_FALSE(it.watch().stands(1));
  it.look(1, true);
  CHECK_FALSE(it.stands());
}

TEST_CASE("a stream that moves by one byte every nine seconds never stands", "[gloo]") {
  Watched it;
  for (int k = 0; k < 400; ++k) {
    it.look(8, false);
    CHECK_FALSE(it.stands());
    it.look(1, true);
  }
}

TEST_CASE("a stream that is owed nothing does not stand, and is patient anew once it is", "[gloo]") {
  Watched it;
  it.owe(false);
  it.look(100, false);
  CHECK_FALSE(it.stands());
  it.owe(true);
  it.look(10, false);
  CHECK(it.watch().stood(0) == Seconds(9));  // it is owed since the first of these looks
  it.look(1, false);
  CHECK(it.stands());
}

TEST_CASE("where nothing at all comes from a peer, no stream of its stands", "[gloo]") {
  Watched it;
  it.look(1, true);
  it.look(60, false, false);
  CHECK_FALSE(it.stands());
  CHECK(it.watch().stood(0) == Seconds(0));
}

TEST_CASE("another stream that moves is as good as a frame, and no stream vouches for itself", "[gloo]") {
  Watched it;
  it.look(1, true);
  for (int k = 0; k < 11; ++k) {
    ++it.second().moves;
    it.look(1, false, false);
  }
  CHECK(it.stands());
  CHECK(it.watch().stood(1) == Seconds(0));
}

TEST_CASE("what this process was away for is not what a stream stood for", "[gloo]") {
  Watched it;
  it.look(1, true);
  it.look(3, false);
  it.wait(Seconds(30));
  it.look(1, false);
  CHECK(it.watch().stood(0) == Seconds(4));
  it.look(5, false);
  CHECK_FALSE(it.stands());
  it.look(1, false);
  CHECK(it.stands());
}

TEST_CASE("who has seen streams stand and move again waits four times as long for the next", "[gloo]") {
  const auto pauses = std::make_shared<Pauses>();
  Watched it(pauses);
  it.look(1, true);
  it.look(8, false);
  it.look(1, true);  // it stood for 9 s
  CHECK(pauses->longest(it.now()) == Seconds(9));
  CHECK(it.watch().patience() == Seconds(36));
  it.look(35, false);
  CHECK_FALSE(it.stands());
  it.look(1, false);
  CHECK(it.stands());
  // Another link of the same process, whose streams have not stood yet.
  Watched other(pauses);
  other.look(12, false);
  CHECK_FALSE(other.stands());
}

TEST_CASE("a pause is forgotten after a hundred times as long as it lasted, and hides no longer one", "[gloo]") {
  Pauses pauses;
  pauses.note(Seconds(0), Seconds(5));
  pauses.note(Seconds(100), Seconds(2));
  pauses.note(Seconds(400), Seconds(3));
  CHECK(pauses.longest(Seconds(500)) == Seconds(5));
  CHECK(pauses.longest(Seconds(501)) == Seconds(3));
  CHECK(pauses.longest(Seconds(700)) == Seconds(3));
  CHECK(pauses.longest(Seconds(701)) == Seconds(0));
}

TEST_CASE("a stream that goes on over another connection begins anew, and teaches no patience", "[gloo]") {
  const auto pauses = std::make_shared<Pauses>();
  Watched it(pauses);
  it.look(1, true);
  it.look(12, false);
  CHECK(it.stands());
  it.watch().renewed(0);
  CHECK_FALSE(it.stands());
  it.look(1, true);
  CHECK(pauses->longest(it.now()) <= Seconds(1));
}

TEST_CASE("a stream that moved between two looks is not cut for the look before", "[gloo]") {
  Watched it;
  it.look(1, true);
  it.look(11, false);
  REQUIRE(it.stands());
  it.watch().look_again(0, 1);
  CHECK(it.stands());
  it.watch().look_again(0, 2);
  CHECK_FALSE(it.stands());
}

}  // namespace dipaco
