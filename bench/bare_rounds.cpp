// What dipaco-sim is measured against: a SimGrid program of the plainest kind (S4U actors and mailboxes, no data, no
// bookkeeping) that sends the same messages over the same platform as a run of two levels with --learn off.
//
// bare_rounds SCENARIO.xml KEY=VALUE...     all of these keys but second_module_bytes, disk and intake;
//                                           scripts/bench_rounds.sh has examples
//
//   rounds=100          outer steps
//   experts=16x16       of the two levels
//   sites=east,west     the names of the zones; a site's hosts are called SITE-0, SITE-1, ...
//   workers=64          of a site: its hosts from SITE-0 on; path p is the p-th worker's
//   executors=8         of a site: its hosts from SITE-executor on; module m is at executor m modulo their number
//   executor=64
//   store=72            a site's store is at SITE-store; the coordinator is at the first site's
//   module_bytes=N state_bytes=N            of a message with a module and with a path state
//   second_module_bytes=N                   of one with a module of the second level [module_bytes]
//   task_bytes=N stored_bytes=N committed_bytes=N done_bytes=N ready_bytes=N
//                       of the messages without values: a task; a store's two, to the worker and to the coordinator;
//                       that a task is done; that a module is ready
//   flops=N             of a task
//   disk=N intake=N     bytes a second that disks write, and that an actor takes in; 0: that takes no time. A store
//                       writes each path state, an executor each version of its module with the optimizer's momentum,
//                       the coordinator a record before each task that it gives

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "bench/rounds_shape.hpp"

namespace {

namespace sg = simgrid::s4u;

constexpr double kRecord = 137;  // bytes of a record of the coordinator's journal, most often

/// What a message is about, and its size, for who takes it in.
struct Note {
  int about = 0;
  double bytes = 0;
};

/// An inbox that takes transfers before its owner asks.
class Inbox {
 public:
  Inbox(const std::string& name, double intake) : mailbox_(sg::Mailbox::by_name(name)), intake_(intake) {
    mailbox_->set_receiver(sg::Actor::self());
  }
  /// What the next message is about.
  int take() {
    const Note& note = *mailbox_->get<Note>();
    if (intake_ > 0) sg::this_actor::sleep_for(note.bytes / intake_);
    return note.about;
  }
  void take(int messages) {
    for (int i = 0; i < messages; ++i) take();
  }
  ~Inbox() { mailbox_->set_receiver(nullptr); }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

 private:
  sg::Mailbox* mailbox_;
  double intake_;
};

class Bare {
 public:
  explicit Bare(const Shape& shape)
      : shape_(shape) {
    for (const std::uint64_t Sizes::*kind : {&Sizes::module, &Sizes::second_module, &Sizes::state, &Sizes::task,
                                             &Sizes::stored, &Sizes::committed, &Sizes::done, &Sizes::ready}) {
      for (int about = 0; about <= about_nothing(); ++about) {
        notes_.push_back({about, static_cast<double>(shape.bytes.*kind)});
      }
    }
  }

  void create_actors() {
    for (int site = 0; shape_.disk > 0 && site < static_cast<int>(shape_.sites.size()); ++site) {
      add_disk(host(site, shape_.store));
      for (int e = 0; e < shape_.executors; ++e) add_disk(host(site, shape_.executor + e));
    }
    sg::Actor::create("coordinator", host(0, shape_.store), [this] { coordinate(); });
    for (int site = 0; site < static_cast<int>(shape_.sites.size()); ++site) {
      const int states = shape_.rounds * std::clamp(shape_.paths() - site * shape_.workers, 0, shape_.workers);
      sg::Actor::create("store", host(site, shape_.store), [this, site, states] { store(site, states); });
    }
    for (int m = 0; m < shape_.modules(); ++m) sg::Actor::create("executor", machine(m), [this, m] { execute(m); });
    for (int p = 0; p < shape_.paths(); ++p) {
      sg::Actor::create("worker", host(p / shape_.workers, p % shape_.workers), [this, p] { work(p); });
    }
  }
  long messages() const { return messages_; }

 private:
  sg::Host* host(int site, int number) const {
    return sg::Host::by_name(shape_.sites.at(static_cast<std::size_t>(site)) + "-" + std::to_string(number));
  }
  /// The executor's that has the module.
  sg::Host* machine(int module) const {
    const int e = module % (shape_.executors * static_cast<int>(shape_.sites.size()));
    return host(e / shape_.executors, shape_.executor + e % shape_.executors);
  }
  void add_disk(sg::Host* host) const { host->create_disk("disk", shape_.disk, shape_.disk)->seal(); }
  /// By an actor of its own: SimGrid 3.32 leaves each write in its actor's list of activities, and looks through all of
  /// them whenever a message of that actor's has come.
  void write(double bytes) const {
    if (shape_.disk <= 0) return;
    sg::Host* const here = sg::this_actor::get_host();
    const auto size = static_cast<sg_size_t>(bytes);
    sg::Actor::create("write", here, [here, size] { here->get_disks().front()->write(size); })->join();
  }
  /// @param about  the number of a path; of a module, after those of the paths; or, after all, of nothing
  sg::CommPtr made(const std::string& to, int about, Kind kind) {
    ++messages_;
    Note& note = notes_[static_cast<std::size_t>(kind * (about_nothing() + 1) + about)];
    return sg::Mailbox::by_name(to)->put_init(&note, static_cast<std::uint64_t>(note.bytes));
  }
  void send(const std::string& to, int about, Kind kind) { made(to, about, kind)->detach(); }
  static std::string worker(int path) { return "w" + std::to_string(path); }
  static std::string executor(int module) { return "x" + std::to_string(module); }
  int about_module(int module) const { return shape_.paths() + module; }
  int about_nothing() const { return shape_.paths() + shape_.modules(); }

  std::vector<int> paths_through(int module) const {
    std::vector<int> paths;
    const int second = shape_.second_experts;
    if (module < shape_.first_experts) {
      for (int k = 0; k < second; ++k) paths.push_back(module * second + k);
    } else {
      for (int k = 0; k < shape_.first_experts; ++k) paths.push_back(k * second + module - shape_.first_experts);
    }
    return paths;
  }

  Kind module_of(int module) const { return module < shape_.first_experts ? kModule : kSecondModule; }

  /// A path's next task is given once its state is stored and both its modules are there. It is written down first, so
  /// workers are not in step.
  void coordinate() {
    Inbox inbox("c", shape_.intake);
    std::vector<int> heard(static_cast<std::size_t>(shape_.paths()));
    std::vector<int> given(heard.size(), 1);
    const auto give = [&](int path) {
      write(kRecord);
      send(worker(path), path, kTask);
    };
    const auto hear = [&](int path) {
      const auto at = static_cast<std::size_t>(path);
      if (++heard[at] % 3 == 0 && given[at]++ < shape_.rounds) give(path);
    };
    for (int p = 0; p < shape_.paths(); ++p) give(p);
    const int messages = shape_.rounds * (2 * shape_.paths() + shape_.modules());
    for (int i = 0; i < messages; ++i) {
      const int about = inbox.take();
      if (about < shape_.paths()) {
        hear(about);
      } else if (about != about_nothing()) {
        for (const int path : paths_through(about - shape_.paths())) hear(path);
      }
    }
  }

  void work(int path) {
    Inbox inbox(worker(path), shape_.intake);
    const std::string store = "s" + std::to_string(path / shape_.workers);
    const int first = path / shape_.second_experts;
    const int second = shape_.first_experts + path % shape_.second_experts;
    for (int round = 0; round < shape_.rounds; ++round) {
      inbox.take(round == 0 ? 1 : 3);  // the task, and both modules from the second round on
      sg::this_actor::execute(shape_.flops);
      send(store, path, kState);
      inbox.take(1);
      // To one machine large messages go one after the other.
      if (machine(first) == machine(second)) {
        const sg::CommPtr gradient = made(executor(first), path, module_of(first));
        gradient->start();
        send("c", about_nothing(), kDone);
        gradient->wait();
      } else {
        send(executor(first), path, module_of(first));
        send("c", about_nothing(), kDone);
      }
      send(executor(second), path, module_of(second));
    }
  }

  void store(int site, int states) {
    Inbox inbox("s" + std::to_string(site), shape_.intake);
    for (int i = 0; i < states; ++i) {
      const int path = inbox.take();
      write(static_cast<double>(shape_.bytes.state));
      send(worker(path), path, kStored);
      send("c", path, kCommitted);
    }
  }

  void execute(int module) {
    Inbox inbox(executor(module), shape_.intake);
    const std::vector<int> paths = paths_through(module);
    const std::uint64_t bytes = module_of(module) == kModule ? shape_.bytes.module : shape_.bytes.second_module;
    for (int round = 0; round < shape_.rounds; ++round) {
      inbox.take(static_cast<int>(paths.size()));
      write(2 * static_cast<double>(bytes));
      send("c", about_module(module), kReady);
      if (round + 1 == shape_.rounds) return;
      for (const int path : paths) send(worker(path), about_module(module), module_of(module));
    }
  }

  Shape shape_;
  std::vector<Note> notes_;  ///< of messages, by kind, and then what they are about
  long messages_ = 0;
};

void run(const char* program, const char* scenario, const Shape& shape) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> words{program,
                                 "--log=root.thres:critical",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=network/TCP-gamma:536870912",
                                 "--cfg=contexts/stack-size:256"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg::Engine engine(&count, arguments.data());
  engine.load_platform(scenario);
  Bare bare(shape);
  bare.create_actors();
  engine.run();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << "messages " << bare.messages() << "\nsimulated_s " << sg::Engine::get_clock() << "\nwall_s " << wall
            << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::invalid_argument("usage: bare_rounds SCENARIO.xml KEY=VALUE...; its source has all keys");
    run(argv[0], argv[1], read_shape(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
