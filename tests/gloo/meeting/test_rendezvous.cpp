#include <atomic>
#include <catch2/catch.hpp>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "backends/gloo/meeting/rendezvous_polled.hpp"
#include "core/base/error.hpp"
#include "tests/gloo/meeting/finding.hpp"

namespace dipaco {
namespace {

using namespace testing;

/// A board that counts how often it is read.
class CountingBoard : public Board {
 public:
  explicit CountingBoard(std::atomic<int>& reads) : reads_(reads) {}
  std::optional<std::vector<std::byte>> read() override {
    ++reads_;
    return std::nullopt;
  }
  void write(std::span<const std::byte> /*entry*/) override {}
  void remove() override {}
  void try_writing() override {}

 private:
  std::atomic<int>& reads_;
};

}  // namespace

TEST_CASE("behind tcp:// the coordinator listens at the address itself, and nothing is looked up", "[gloo]") {
  const auto rendezvous = make_rendezvous("tcp://node-1:4711", {});
  CHECK(rendezvous->find() == Endpoint{"node-1", 4711});
  CHECK(listens_at("tcp://node-1:4711") == Endpoint{"node-1", 4711});
  CHECK(listens_at("tcp://[::1]:65535") == Endpoint{"::1", 65535});
  CHECK_FALSE(listens_at("redis://node-1"));
  CHECK_FALSE(listens_at("file:///tmp"));
}

TEST_CASE("a rendezvous that cannot be read names the address, what is wrong and what to do", "[gloo]") {
  using Catch::Contains;
  const auto refuses = [](const std::string& url, const std::string& why) {
    INFO(url);
    CHECK_THROWS_AS(listens_at(url), ConfigError);
    CHECK_THROWS_WITH(listens_at(url), Contains("--rendezvous " + url + ": ") && Contains(why));
    CHECK_THROWS_AS(make_rendezvous(url, {}), ConfigError);
  };
  refuses("etcd://a:1", "unknown scheme \"etcd\"; known are tcp://HOST:PORT, file:///DIR and redis://");
  refuses("node-1:4711", "no scheme; known are tcp://");
  refuses("", "no scheme");
  refuses("tcp://node-1:0", "the port \"0\" is no number from 1 to 65535");
  refuses("tcp://node-1:65536", "the port \"65536\"");
  refuses("tcp://node-1:47x", "the port \"47x\"");
  refuses("tcp://node-1:-1", "the port \"-1\"");
  refuses("tcp://node-1", "the port is missing");
  refuses("tcp://:4711", "the host is missing");
  refuses("tcp://*:4711", "\"*\" is no host; for all addresses of a machine write 0.0.0.0 or [::]");
  refuses("tcp://:::4711", "stands in brackets");
  refuses("tcp://node-1:4711/x", "the port \"4711/x\"");
  refuses("tcp://::1:4711", "stands in brackets; write [::1]:PORT");
  refuses("tcp://[::1:4711", "the bracket does not end");
  refuses("tcp://[node-1]:4711", "is no IPv6 address");
  refuses("tcp://[::1]4711", "the port is missing");
  refuses("file://DIR", "three slashes");
  refuses("redis://", "the host is missing");
  refuses("redis://user:word@host", "no password can be given");
  refuses("redis://word@host", "no password can be given");
  refuses("redis://host:1/x", "the database \"x\" is no number");
  refuses("redis://host:1/-1", "the database \"-1\"");
}

TEST_CASE("what was sealed opens with the same secret and run alone", "[gloo]") {
  const Secret ours = secret_of("0123456789abcdef");
  const Secret theirs = secret_of("0123456789abcdeF");
  const EntryFormat format("run", &ours);
  const auto entry = format.seal(kThere);
  CHECK(format.open(entry) == kThere);
  CHECK(EntryFormat("run", &ours).open(entry) == kThere);
  CHECK_FALSE(EntryFormat("run", &theirs).open(entry));
  CHECK_FALSE(EntryFormat("another", &ours).open(entry));
  CHECK_FALSE(EntryFormat("run", nullptr).open(entry));
  CHECK_FALSE(format.open(EntryFormat("run", nullptr).seal(kThere)));
  CHECK(EntryFormat("run", nullptr).open(EntryFormat("run", nullptr).seal(kHere)) == kHere);
  CHECK_FALSE(EntryFormat("another", nullptr).open(EntryFormat("run", nullptr).seal(kHere)));
  CHECK(format.seal(kThere) != entry);
}

TEST_CASE("neither an entry nor its name says which run it is of, or where that is", "[gloo]") {
  const Secret secret = secret_of("0123456789abcdef");
  const EntryFormat format("a-run", &secret);
  CHECK(format.name().size() == std::string("dipaco-").size() + 64);
  CHECK(format.name() == EntryFormat("a-run", &secret).name());
  CHECK(format.name() != EntryFormat("b-run", &secret).name());
  CHECK(format.name() != EntryFormat("a-run", nullptr).name());
  const auto bytes = format.seal({"a-host", 4711});
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const char* word : {"a-run", "a-host", "DIPACO"}) CHECK(text.find(word) == std::string::npos);
}

TEST_CASE("an entry with any bit flipped, cut anywhere, or longer does not open", "[gloo]") {
  const Secret secret = secret_of("0123456789abcdef");
  for (const Secret* const with : {static_cast<const Secret*>(nullptr), &secret}) {
    const EntryFormat format("run", with);
    const auto entry = format.seal(kHere);
    for (std::size_t bit = 0; bit < 8 * entry.size(); ++bit) {
      auto flipped = entry;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      CHECK_FALSE(format.open(flipped));
    }
    for (std::size_t size = 0; size < entry.size(); ++size) CHECK_FALSE(format.open(std::span(entry).first(size)));
    auto longer = entry;
    longer.push_back({});
    CHECK_FALSE(format.open(longer));
    longer.resize(kLargestEntry + 1);
    CHECK_FALSE(format.open(longer));
  }
}

TEST_CASE("nobody looks while nobody asks, and somebody does again once asked", "[gloo]") {
  std::atomic<int> reads = 0;
  RendezvousOptions options = options_of("run", nullptr);
  options.period = Seconds(0.01);
  options.idle = Seconds(0.1);
  PolledRendezvous rendezvous(std::make_unique<CountingBoard>(reads), EntryFormat("run", nullptr), "board", options);
  const auto looks = [&] {
    const int before = reads;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return reads > before;
  };
  CHECK(eventually([&] { return !looks(); }));
  rendezvous.find();
  CHECK(eventually(looks));
  CHECK(eventually([&] { return !looks(); }));
  rendezvous.publish(kHere);
  CHECK(eventually(looks));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(eventually(looks));
}

}  // namespace dipaco
