// A run in two network namespaces whose link is cut. Needs root.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>

#include "tests/gloo/processes.hpp"

namespace dipaco::testing {
namespace {

constexpr Seconds kCutLimit{120};
constexpr double kCutFor = 2.5;  // two and a half liveness limits of the toy run

void sh(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed; it needs root, and iproute2: " + command);
}

/// A network namespace of this test's own.
class Namespace {
 public:
  explicit Namespace(const std::string& side) : name_("dipaco-" + side + "-" + std::to_string(::getpid())) {
    sh("ip netns add " + name_);
  }
  ~Namespace() { [[maybe_unused]] const int status = std::system(("ip netns del " + name_).c_str()); }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  const std::string& name() const { return name_; }
  void ip(const std::string& words) const { sh("ip -n " + name_ + " " + words); }
  void tc(const std::string& words) const { sh("tc -n " + name_ + " " + words); }

 private:
  std::string name_;
};

/// Two namespaces with a link between them.
class TwoNetworks {
 public:
  enum class Cut : std::uint8_t {
    down,    ///< one end is down: it hears of an error, and the other of nothing
    silent,  ///< what is sent is gone, from both ends
  };

  TwoNetworks() {
    sh("ip link add veth-a netns " + a_.name() + " type veth peer name veth-b netns " + b_.name());
    a_.ip("addr add 10.213.0.1/24 dev veth-a");
    b_.ip("addr add 10.213.0.2/24 dev veth-b");
    a_.ip("link set veth-a up");
    b_.ip("link set veth-b up");
    a_.ip("link set lo up");
    b_.ip("link set lo up");
  }

  ToyProcess at_a(const std::string& roles) const {
    return {roles, {}, {"network=" + a_.name(), "address=10.213.0.1"}};
  }
  ToyProcess at_b(const std::string& roles) const {
    return {roles, {}, {"network=" + b_.name(), "address=10.213.0.2"}};
  }
  void cut(Cut how) const {
    if (how == Cut::down) return b_.ip("link set veth-b down");
    a_.tc("qdisc replace dev veth-a root pfifo limit 0");
    b_.tc("qdisc replace dev veth-b root pfifo limit 0");
  }
  void mend(Cut how) const {
    if (how == Cut::down) return b_.ip("link set veth-b up");
    a_.tc("qdisc del dev veth-a root");
    b_.tc("qdisc del dev veth-b root");
  }

 private:
  Namespace a_{"a"};
  Namespace b_{"b"};
};

/// Cuts the network some time after all take part, and mends it; as often as it is asked for.
class Cutter {
 public:
  Cutter(const TwoNetworks& networks, TwoNetworks::Cut how, std::vector<double> pauses)
      : networks_(networks), how_(how), pauses_(std::move(pauses)) {}
  void tend(const ToyProcesses& processes) {
    if (next_ == 0 && processes.log_of(0).find("worker on") != std::string::npos) next_ = now() + pauses_.at(0);
    if (next_ == 0 || now() < next_ || cuts_ == pauses_.size()) return;
    if (!is_cut_) {
      networks_.cut(how_);
      next_ = now() + kCutFor;
    } else {
      networks_.mend(how_);
      if (++cuts_ < pauses_.size()) next_ = now() + pauses_.at(cuts_);
    }
    is_cut_ = !is_cut_;
  }
  std::size_t cuts() const { return cuts_; }

 private:
  const TwoNetworks& networks_;
  TwoNetworks::Cut how_;
  std::vector<double> pauses_;  ///< before each cut
  double next_ = 0;
  bool is_cut_ = false;
  std::size_t cuts_ = 0;
};

void cut_a_run(TwoNetworks::Cut how, const std::vector<double>& pauses) {
  static const std::string kHash = loopback_hash(ToyRun());
  const TwoNetworks networks;
  ToySetting setting{.expect = "2,2,1", .words = {"rendezvous=tcp://10.213.0.1:29400", "secret=0123456789abcdef"}};
  for (const char* const role : {"coordinator", "store", "executor", "worker"}) {
    setting.processes.push_back(networks.at_a(role));
  }
  for (const char* const role : {"store", "executor", "worker", "worker", "evaluator"}) {
    setting.processes.push_back(networks.at_b(role));
  }
  ToyProcesses processes(std::move(setting));
  Cutter cutter(networks, how, pauses);
  const std::string answer = run(processes, kCutLimit, [&] { cutter.tend(processes); });
  INFO((how == TwoNetworks::Cut::down ? "down" : "silent") << ", after " << pauses.front() << " s\n"
                                                           << processes.logs());
  CHECK(answer == kHash);
  CHECK(cutter.cuts() == pauses.size());
  CHECK_THAT(processes.log_of(0), Catch::Contains("no sign of life"));
  CHECK(processes.signals().empty());
}

}  // namespace

TEST_CASE("a network that is cut for longer than the liveness limit, and mended, changes no parameter", "[gloo]") {
  cut_a_run(TwoNetworks::Cut::down, {0.5});
  cut_a_run(TwoNetworks::Cut::silent, {1});
}

TEST_CASE("a network that is cut again and again at drawn moments changes no parameter", "[gloo][.slow]") {
  Moments moments;
  for (int k = 0; k < repetitions(3); ++k) {
    const auto how = k % 2 == 0 ? TwoNetworks::Cut::down : TwoNetworks::Cut::silent;
    cut_a_run(how, {moments.below(1), moments.below(0.5), moments.below(0.5)});
  }
}

}  // namespace dipaco::testing
