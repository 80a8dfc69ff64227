// What dipaco-sim is measured against: a SimGrid program of the plainest kind (S4U actors and mailboxes, no data, no
// bookkeeping) that sends the same messages over the same platform as scenarios/paper_16x16.xml.
//
// bare_rounds SCENARIO.xml ROUNDS MODULE_BYTES STATE_BYTES STEP_FLOPS, the last three as in that run's summary.json

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace {

namespace sg = simgrid::s4u;

constexpr int kExperts = 16;  // of each of two levels
constexpr int kPaths = kExperts * kExperts;
constexpr int kExecutors = 2 * kExperts;
constexpr std::uint64_t kNotice = 40;  // bytes of a message without values
const std::vector<std::string> kSites{"east", "west", "north", "south"};

struct Sizes {
  int rounds = 0;
  std::uint64_t module = 0;
  std::uint64_t state = 0;
  double flops = 0;
};

/// An inbox that takes transfers before its owner asks.
class Inbox {
 public:
  explicit Inbox(const std::string& name) : mailbox_(sg::Mailbox::by_name(name)) {
    mailbox_->set_receiver(sg::Actor::self());
  }
  void take(int messages) {
    for (int i = 0; i < messages; ++i) mailbox_->get<int>();
  }
  ~Inbox() { mailbox_->set_receiver(nullptr); }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

 private:
  sg::Mailbox* mailbox_;
};

class Bare {
 public:
  explicit Bare(const Sizes& sizes) : sizes_(sizes) {}

  void create_actors() {
    sg::Actor::create("coordinator", sg::Host::by_name(kSites.front() + "-72"), [this] { coordinate(); });
    for (std::size_t site = 0; site < kSites.size(); ++site) {
      sg::Actor::create("store", sg::Host::by_name(kSites[site] + "-72"),
                        [this, site] { store(static_cast<int>(site)); });
    }
    for (int e = 0; e < kExecutors; ++e) {
      sg::Actor::create("executor",
                        sg::Host::by_name(kSites[static_cast<std::size_t>(e / 8)] + "-" + std::to_string(64 + e % 8)),
                        [this, e] { execute(e); });
    }
    for (int p = 0; p < kPaths; ++p) {
      sg::Actor::create("worker",
                        sg::Host::by_name(kSites[static_cast<std::size_t>(p / 64)] + "-" + std::to_string(p % 64)),
                        [this, p] { work(p); });
    }
  }
  long messages() const { return messages_; }

 private:
  void send(const std::string& to, std::uint64_t bytes) {
    ++messages_;
    sg::Mailbox::by_name(to)->put_init(&messages_, bytes)->detach();
  }
  static std::string worker(int path) { return "w" + std::to_string(path); }
  static std::string executor(int e) { return "x" + std::to_string(e); }

  void coordinate() {
    Inbox inbox("c");
    for (int round = 0; round < sizes_.rounds; ++round) {
      for (int p = 0; p < kPaths; ++p) send(worker(p), kNotice);
      inbox.take(2 * kPaths + kExecutors);  // committed, done; module ready
    }
  }

  void work(int path) {
    Inbox inbox(worker(path));
    for (int round = 0; round < sizes_.rounds; ++round) {
      inbox.take(round == 0 ? 1 : 3);  // the task, and both modules from the second round on
      sg::this_actor::execute(sizes_.flops);
      send("s" + std::to_string(path / 64), sizes_.state);
      inbox.take(1);
      send(executor(path / kExperts), sizes_.module);
      send(executor(kExperts + path % kExperts), sizes_.module);
      send("c", kNotice);
    }
  }

  void store(int site) {
    Inbox inbox("s" + std::to_string(site));
    const int paths = kPaths / static_cast<int>(kSites.size());
    // All paths are alike: whoever's state comes k-th, the k-th path is answered.
    for (int state = 0; state < sizes_.rounds * paths; ++state) {
      inbox.take(1);
      send(worker(site * paths + state % paths), kNotice);
      send("c", kNotice);
    }
  }

  void execute(int e) {
    Inbox inbox(executor(e));
    for (int round = 0; round < sizes_.rounds; ++round) {
      inbox.take(kExperts);
      send("c", kNotice);
      if (round + 1 == sizes_.rounds) return;
      for (int k = 0; k < kExperts; ++k) {
        send(worker(e < kExperts ? e * kExperts + k : k * kExperts + e - kExperts), sizes_.module);
      }
    }
  }

  Sizes sizes_;
  long messages_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> words{argv[0],
                                 "--log=root.thres:critical",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=network/TCP-gamma:536870912",
                                 "--cfg=contexts/stack-size:256"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg::Engine engine(&count, arguments.data());
  if (argc != 6) {
    std::cerr << "usage: bare_rounds SCENARIO.xml ROUNDS MODULE_BYTES STATE_BYTES STEP_FLOPS\n";
    return 2;
  }
  engine.load_platform(argv[1]);
  Bare bare({.rounds = std::atoi(argv[2]),
             .module = std::strtoull(argv[3], nullptr, 10),
             .state = std::strtoull(argv[4], nullptr, 10),
             .flops = std::strtod(argv[5], nullptr)});
  bare.create_actors();
  engine.run();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << "messages " << bare.messages() << "\nsimulated_s " << sg::Engine::get_clock() << "\nwall_s " << wall
            << "\n";
}
