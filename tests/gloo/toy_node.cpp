// A process of a run of a few hundred parameters over links, for tests: no LibTorch, starts in milliseconds. The
// coordinator's prints the run's hash. Words of the form name=value say what it does; the last one of a name counts.
//
//   out=DIR roles=coordinator,store expect=EXECUTORS,STORES,EVALUATORS
//   kind=NUMBER                    of ToyKind
//   rendezvous=URL [secret=TEXT]   where they meet, and what they need to know for it
//   address=NUMBER                 where this process is reached, instead of 127.0.0.1
//   network=NAME                   the network namespace that it is in
//   fault=SIGNAL,STAGE,OUTER_STEP  it sends itself that signal once its first role is there (-1: at any outer step)
//   poison=SECONDS                for so long, from its first state on, what its first role puts is not finite
//   slow=FACTOR                    its inner steps take so many times as long
//   strange=NODES                  it first sends so many nodes all messages that name what the run does not have
//   fault_at_end=SIGNAL            it sends itself that signal once it has the run's result, and has not kept it
//   fault_in_send=SIGNAL,NUMBER    it sends itself that signal in the middle of what it sends so many-th over a link

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "backends/gloo/meeting/rendezvous.hpp"
#include "backends/gloo/run.hpp"
#include "core/base/file.hpp"
#include "core/faults/board.hpp"
#include "core/faults/seams.hpp"
#include "core/replay/replay.hpp"
#include "programs/shared/stop_signal.hpp"
#include "tests/gloo/toy_run.hpp"
#include "tests/support/strange_messages.hpp"

namespace dipaco::testing {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

using Words = std::map<std::string, std::string>;

Words read_words(const std::vector<std::string>& words) {
  Words values{{"address", "127.0.0.1"}};
  for (const std::string& word : words) {
    const auto equals = std::min(word.find('='), word.size());
    values[word.substr(0, equals)] = word.substr(std::min(equals + 1, word.size()));
  }
  return values;
}

Role role_named(const std::string& text) {
  for (const Role role : {Role::coordinator, Role::worker, Role::executor, Role::store, Role::evaluator}) {
    if (text == name(role)) return role;
  }
  throw ConfigError(text + " is no role");
}

FaultStage stage_named(const std::string& text) {
  for (std::size_t k = 0; k < kFaultStages; ++k) {
    if (text == name(static_cast<FaultStage>(k))) return static_cast<FaultStage>(k);
  }
  throw ConfigError(text + " is no stage");
}

/// What a fault does here: to the whole process.
class Signals : public FaultActions {
 public:
  explicit Signals(int signal) : signal_(signal) {}
  void end(NodeId /*node*/, std::optional<Seconds> /*back*/) override { strike(); }
  void freeze(NodeId /*node*/, Seconds /*lasting*/) override { strike(); }
  void delay(NodeId /*node*/, Seconds /*lasting*/) override {}
  void cut(NodeId /*node*/, std::optional<NodeId> /*peer*/, Seconds /*lasting*/) override {}

 private:
  void strike() const {
    std::cerr << "strikes itself with " + std::to_string(signal_) + "\n" << std::flush;
    ::kill(::getpid(), signal_);
  }

  int signal_;
};

/// Lets a fault strike this process's first role, by itself.
class Self {
 public:
  /// Signals itself. @param words  signal, stage, outer step
  static Self signalled(Role role, const std::vector<std::string>& words) {
    const int outer_step = std::stoi(words.at(2));
    Fault fault{.kind = FaultKind::freeze, .stage = stage_named(words.at(1)), .lasting = Seconds(1)};
    if (outer_step >= 0) fault.outer_step = OuterStep{outer_step};
    return {role, fault, std::stoi(words.at(0))};
  }
  static Self poisoned(Role role, Seconds lasting) {
    return {role, {.kind = FaultKind::poison, .stage = FaultStage::storing, .lasting = lasting}, 0};
  }
  void serve(const Member& self, Seams seams, const std::function<void(Seams)>& serve) {
    if (self.role != role_) return serve(seams);
    const std::vector<NodeFacts> nodes{{.id = self.id, .role = self.role}};
    FaultBoard board({fault_}, nodes);
    FaultySeams faulty(self.role, board, actions_, seams.transport, seams.compute, seams.storage);
    serve({faulty.transport(), faulty.compute(), faulty.storage(), seams.log, seams.archive});
  }

 private:
  Self(Role role, Fault fault, int signal) : role_(role), actions_(signal), fault_(std::move(fault)) {
    fault_.target = {role, 0};
  }

  Role role_;
  Signals actions_;
  Fault fault_;
};

/// As a node of another run would, to nodes 0 to `nodes` - 1.
void send_strange_messages(const RunPlan& plan, Transport& transport, int nodes) {
  for (std::int32_t node = 0; node < nodes; ++node) {
    for (const Body& body : strange_messages(plan)) transport.send(NodeId{node}, make_message(body));
  }
}

/// From here on this thread, and those that it starts, are in the namespace.
void enter_network(const std::string& name) {
  const int fd = ::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || ::setns(fd, CLONE_NEWNET) != 0) throw ConfigError("there is no network namespace " + name);
  ::close(fd);
}

GlooOptions options_of(const ToyRun& toy, const Words& words) {
  GlooOptions options = toy.options(words.at("out"), words.at("address"));
  for (const std::string& role : split(words.at("roles"))) options.roles.push_back(role_named(role));
  const auto expected = split(words.at("expect"));
  options.expected = {.executors = std::stoi(expected.at(0)),
                      .stores = std::stoi(expected.at(1)),
                      .evaluators = std::stoi(expected.at(2))};
  if (words.contains("slow")) *options.step_time *= std::stod(words.at("slow"));
  if (words.contains("secret")) options.secret = Secret(std::as_bytes(std::span(words.at("secret"))));
  options.coordinator = listens_at(words.at("rendezvous")).value_or(Endpoint{options.address, 0});
  options.note = [](const std::string& text) { std::cerr << text + "\n" << std::flush; };
  options.expected.note = options.note;
  return options;
}

/// Without rounds, whether the order that the run left gives its parameters again.
std::string replayed(const ToyRun& toy, const std::filesystem::path& out, const RunResult& result) {
  if (toy.plan.policy.rounds) return "";
  const MappedFile order(out / "model/order");
  return replay(toy.plan, order.bytes(), "order").parameters_hash == result.parameters_hash ? ", replayed"
                                                                                            : ", another";
}

int run(const Words& words) {
  const StopSignal stop;
  const ToyRun toy(static_cast<ToyKind>(std::stoi(words.at("kind"))));
  GlooOptions options = options_of(toy, words);
  const auto rendezvous = make_rendezvous(
      words.at("rendezvous"), {.run_name = "toy",
                               .secret = options.secret ? &*options.secret : nullptr,
                               .publishes = std::ranges::find(options.roles, Role::coordinator) != options.roles.end(),
                               .note = options.note});
  options.publish = [&](const Endpoint& where) { rendezvous->publish(where); };
  options.find = [&] { return rendezvous->find(); };
  options.stop = &stop.requested();
  std::optional<Self> self;
  const Role first = options.roles.front();
  if (words.contains("fault")) self = Self::signalled(first, split(words.at("fault")));
  if (words.contains("poison")) self = Self::poisoned(first, Seconds(std::stod(words.at("poison"))));
  if (self) {
    options.around = [&self](const Member& member, Seams seams, const std::function<void(Seams)>& serve) {
      self->serve(member, seams, serve);
    };
  }
  if (words.contains("strange")) {
    options.around = [&](const Member& /*member*/, Seams seams, const std::function<void(Seams)>& serve) {
      send_strange_messages(toy.plan, seams.transport, std::stoi(words.at("strange")));
      serve(seams);
    };
  }
  const GlooRun run = run_gloo(toy.plan, options);
  if (run.stopped) return run.awaited ? 128 + stop.number() : 0;
  if (run.result && words.contains("fault_at_end")) ::kill(::getpid(), std::stoi(words.at("fault_at_end")));
  if (run.result) {
    for (const EventKind kind : {EventKind::message_refused, EventKind::state_refused, EventKind::worker_set_aside}) {
      std::cerr << name(kind) << ": " << std::ranges::count(run.events, kind, &Event::kind) << "\n";
    }
    std::cout << told_of(toy, *run.result) << replayed(toy, options.out, *run.result) << std::endl;
  }
  forget_run(run);
  return 0;
}

/// A signal that this process sends itself in a call of send().
struct FaultInSend {
  int signal = 0;
  std::atomic<int> calls_left{0};  ///< until that one; below 1: there is none, or it has been
};
FaultInSend& fault_in_send() {
  static FaultInSend fault;
  return fault;
}

/// @param words  signal, number of the call
void plan_fault_in_send(const std::string& words) {
  const auto parts = split(words);
  fault_in_send().signal = std::stoi(parts.at(0));
  fault_in_send().calls_left = std::stoi(parts.at(1));
}

}  // namespace
}  // namespace dipaco::testing

/// The C library's, which Asio calls: links' first connections go by it, from their first byte.
extern "C" ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
  auto& fault = dipaco::testing::fault_in_send();
  if (fault.calls_left.fetch_sub(1) != 1) return ::sendto(socket, bytes, size, flags, nullptr, 0);
  const ssize_t sent = ::sendto(socket, bytes, (size + 1) / 2, flags, nullptr, 0);
  ::kill(::getpid(), fault.signal);
  return sent;
}

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);  // which links ask for
  try {
    const auto words = dipaco::testing::read_words({argv + 1, argv + argc});
    if (words.contains("fault_in_send")) dipaco::testing::plan_fault_in_send(words.at("fault_in_send"));
    if (words.contains("network")) dipaco::testing::enter_network(words.at("network"));
    return dipaco::testing::run(words);
  } catch (const dipaco::RunError& error) {
    std::cerr << error.what() << std::endl;
    return error.exit_status();
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 70;
  }
}
