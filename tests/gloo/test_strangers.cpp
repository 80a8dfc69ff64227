// Whoever reaches the network but has not the run's secret cannot change, end or stall a run.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "backends/gloo/meeting/rendezvous_file.hpp"
#include "backends/gloo/meeting/rendezvous_redis.hpp"
#include "tests/gloo/meeting/redis_server.hpp"
#include "tests/gloo/processes.hpp"
#include "tests/gloo/strangers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr Seconds kStrangersLimit{120};
constexpr const char* kSecret = "a secret of this run";

Secret secret_of(const std::string& text) { return Secret(std::as_bytes(std::span(text))); }

std::string kill_at(const std::string& stage) { return "fault=" + std::to_string(SIGKILL) + "," + stage + ",-1"; }

/// Coordinator and worker die once and come back: there is joining and finding throughout.
ToySetting with_losses() {
  return {.processes = {{"coordinator", {kill_at("storing")}},
                        {"store"},
                        {"executor"},
                        {"worker", {kill_at("computing")}},
                        {"worker"}},
          .expect = "1,1,0",
          .words = {"secret=" + std::string(kSecret)}};
}

void bother(Strangers::Manner manner, int at_least) {
  static const std::string kHash = loopback_hash(ToyRun());
  for (int k = 0; k < repetitions(1); ++k) {
    Strangers strangers(manner, static_cast<std::uint64_t>(k));
    ToyProcesses processes(with_losses());
    const std::string answer = run(processes, kStrangersLimit, [&] { strangers.bother(processes.pids()); });
    INFO("repetition " << k << ", " << strangers.connections() << " connections\n" << processes.logs());
    CHECK(answer == kHash);
    CHECK(processes.signals() == std::vector{SIGKILL, SIGKILL});
    CHECK(strangers.connections() > at_least);
  }
}

/// Overwrites the coordinator's entry all the time: with nothing, garbage, an entry of others, an old one that is ours.
class Overwriter {
 public:
  explicit Overwriter(Board& board) : board_(board) {}
  void tend() {
    if (now() < next_) return;
    next_ = now() + 0.05 + moments_.below(0.5);
    try {
      board_.write(entries_[static_cast<std::size_t>(times_) % entries_.size()]);
      ++times_;
    } catch (const BoardError&) {
      // The coordinator mended the same file at that moment.
    }
  }
  int times() const { return times_; }

 private:
  static std::vector<std::vector<std::byte>> make_entries() {
    const Secret ours = secret_of(kSecret);
    const Secret theirs = secret_of("a secret of another");
    const Endpoint nobody{"127.0.0.1", 1};
    return {{std::byte{0}},
            std::vector<std::byte>(60, std::byte{'x'}),
            std::vector<std::byte>(100'000, std::byte{'x'}),
            EntryFormat("toy", &theirs).seal(nobody),
            EntryFormat("toy", nullptr).seal(nobody),
            EntryFormat("toy", &ours).seal(nobody)};
  }

  Board& board_;
  Moments moments_;
  std::vector<std::vector<std::byte>> entries_ = make_entries();
  double next_ = 0;
  int times_ = 0;
};

void overwrite(Board& board, const std::string& url) {
  static const std::string kHash = loopback_hash(ToyRun());
  for (int k = 0; k < repetitions(1); ++k) {
    Overwriter overwriter(board);
    ToySetting setting = with_losses();
    setting.words.push_back("rendezvous=" + url);
    ToyProcesses processes(std::move(setting));
    const std::string answer = run(processes, kStrangersLimit, [&] { overwriter.tend(); });
    INFO("repetition " << k << ", " << overwriter.times() << " times\n" << processes.logs());
    CHECK(answer == kHash);
    CHECK(processes.signals() == std::vector{SIGKILL, SIGKILL});
    CHECK(overwriter.times() > 6);
  }
}

std::string entry_name() {
  const Secret ours = secret_of(kSecret);
  return EntryFormat("toy", &ours).name();
}

}  // namespace

TEST_CASE("garbage on all ports of all nodes, from beginning to end, changes no parameter", "[gloo]") {
  bother(Strangers::Manner::garbage, 300);
}

TEST_CASE("hundreds of connections to each port that say nothing neither end nor stall a run", "[gloo]") {
  // Each of the five ports has more strangers than it keeps (listener.cpp), whatever the machine's speed.
  bother(Strangers::Manner::silent, 5 * 256);
}

TEST_CASE("an entry in a folder that is overwritten all the time changes no parameter", "[gloo]") {
  const TemporaryFolder folder;
  FileBoard board(folder.path(), entry_name());
  overwrite(board, "file://" + folder.path().string());
}

TEST_CASE("an entry on a Redis server that is overwritten all the time changes no parameter", "[gloo]") {
  const RedisServer server;
  RedisBoard board({{"127.0.0.1", server.port()}, 0, entry_name()}, Seconds(2));
  overwrite(board, server.url());
}

}  // namespace dipaco::testing
