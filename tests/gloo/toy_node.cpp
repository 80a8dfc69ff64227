// A process of a run of a few hundred parameters over links, for tests: no LibTorch, starts in milliseconds.
//
//   dipaco_toy_node OUT PORT ROLES EXPECT KIND [SIGNAL STAGE OUTER_STEP]
//
// ROLES as in "coordinator,store"; EXPECT is executors,stores,evaluators as in "2,2,0"; KIND is ToyKind's number. The
// last three: this process sends itself that signal once its first role is at that stage of that outer step (-1: any).
// The coordinator's prints the run's hash.

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <iostream>
#include <sstream>

#include "backends/gloo/run.hpp"
#include "core/cli/stop_signal.hpp"
#include "core/faults/board.hpp"
#include "core/faults/seams.hpp"
#include "tests/gloo/toy_run.hpp"

namespace dipaco::testing {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
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
  void end(NodeId /*node*/, std::optional<Seconds> /*back*/) override { ::kill(::getpid(), signal_); }
  void freeze(NodeId /*node*/, Seconds /*lasting*/) override { ::kill(::getpid(), signal_); }
  void delay(NodeId /*node*/, Seconds /*lasting*/) override {}
  void cut(NodeId /*node*/, std::optional<NodeId> /*peer*/, Seconds /*lasting*/) override {}

 private:
  int signal_;
};

/// Lets this process signal itself when its first role is at the stage.
class Self {
 public:
  Self(Role role, int signal, FaultStage stage, int outer_step) : role_(role), actions_(signal) {
    fault_ = {.kind = FaultKind::freeze, .target = {role, 0}, .stage = stage, .lasting = Seconds(1)};
    if (outer_step >= 0) fault_.outer_step = outer_step;
  }
  void serve(const Member& self, Seams seams, const std::function<void(Seams)>& serve) {
    if (self.role != role_) return serve(seams);
    const std::vector<NodeFacts> nodes{{.id = self.id, .role = self.role}};
    FaultBoard board({fault_}, nodes);
    FaultySeams faulty(self.role, board, actions_, seams.transport, seams.compute, seams.storage);
    serve({faulty.transport(), faulty.compute(), faulty.storage(), seams.log});
  }

 private:
  Role role_;
  Signals actions_;
  Fault fault_;
};

int run(const std::vector<std::string>& words) {
  const StopSignal stop;
  const ToyRun toy(static_cast<ToyKind>(std::stoi(words.at(4))));
  GlooOptions options = toy.options(words.at(0), static_cast<std::uint16_t>(std::stoi(words.at(1))));
  for (const std::string& role : split(words.at(2))) options.roles.push_back(role_named(role));
  const auto expected = split(words.at(3));
  options.expected = {.executors = std::stoi(expected.at(0)),
                      .stores = std::stoi(expected.at(1)),
                      .evaluators = std::stoi(expected.at(2))};
  options.stop = &stop.requested();
  std::optional<Self> self;
  if (words.size() > 5) {
    self.emplace(options.roles.front(), std::stoi(words.at(5)), stage_named(words.at(6)), std::stoi(words.at(7)));
    options.around = [&self](const Member& member, Seams seams, const std::function<void(Seams)>& serve) {
      self->serve(member, seams, serve);
    };
  }
  const GlooRun run = run_gloo(toy.plan, options);
  if (run.stopped) return run.awaited ? 128 + stop.number() : 0;
  if (run.result) std::cout << hash_of(*run.result) << std::endl;
  return 0;
}

}  // namespace
}  // namespace dipaco::testing

int main(int argc, char** argv) {
  try {
    return dipaco::testing::run({argv + 1, argv + argc});
  } catch (const dipaco::RunError& error) {
    std::cerr << error.what() << std::endl;
    return error.exit_status();
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 70;
  }
}
