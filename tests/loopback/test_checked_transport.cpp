// What a node of another run might send is dropped, whoever gets it.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "backends/loopback/run.hpp"
#include "backends/loopback/transport.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/report/report.hpp"
#include "core/roles/checked_transport.hpp"
#include "core/roles/message_check.hpp"
#include "core/state/archive.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/strange_messages.hpp"

namespace dipaco::testing {
namespace {

void shape(RunConfig& config) {
  config.outer.steps = 6;
  config.evaluate.every = 2;
  config.evaluate.early_stopping = true;
  config.data.holdout_fraction = 0.2;
  config.routing.reshard_at = "3";
}

constexpr std::array kRoles{Role::coordinator, Role::store,  Role::executor,
                            Role::worker,      Role::worker, Role::evaluator};
constexpr NodeId kStranger{kRoles.size()};

/// A run on threads, beside whose nodes is a stranger: it sends all strange messages to each of them before they begin,
/// and again with each commit.
class VisitedRun {
 public:
  explicit VisitedRun(const RunPlan& plan)
      : plan_(plan), strange_(strange_messages(plan)), network_(kRoles.size() + 1) {
    for (std::size_t k = 0; k <= kRoles.size(); ++k) {
      transports_.push_back(network_.connect(NodeId{static_cast<std::int32_t>(k)}));
    }
  }

  RunResult run() {
    visit();
    {
      std::vector<std::jthread> threads;
      for (std::size_t k = 0; k < kRoles.size(); ++k) threads.emplace_back([this, k] { serve(k); });
    }
    if (failure_) std::rethrow_exception(failure_);
    return std::move(result_);
  }
  std::size_t sent() const { return sent_; }
  std::vector<Event> events() { return log_.take(); }

 private:
  void visit() {
    for (std::size_t k = 0; k < kRoles.size(); ++k) {
      for (const Body& body : strange_) {
        transports_.back()->send(NodeId{static_cast<std::int32_t>(k)}, make_message(body));
      }
      sent_ += strange_.size();
    }
  }

  void serve(std::size_t k) {
    LoopbackCompute compute([this] { return network_.now(); });
    MemoryStorage storage;
    CheckedTransport checked(*transports_[k], plan_, compute, log_);
    const Seams seams{checked, compute, storage, log_, archive_};
    try {
      if (kRoles[k] == Role::coordinator) {
        result_ = run_coordinator(
            plan_, seams,
            {.executors = 1, .stores = 1, .evaluators = 1, .progress = [this](const RunProgress&) { visit(); }});
      } else {
        run_role(plan_, seams, {.role = kRoles[k], .machine = std::to_string(k)});
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      network_.kill_all();
    }
    network_.leave(transports_[k]->self());
  }

  const RunPlan& plan_;
  NoArchive archive_;
  std::vector<Body> strange_;
  LoopbackNetwork network_;
  std::vector<std::unique_ptr<Transport>> transports_;
  LockedEventLog log_;
  RunResult result_;
  std::size_t sent_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Gives what it was made with, one after the other, each after a second.
class Given : public Transport, public Compute {
 public:
  explicit Given(std::deque<Incoming> given) : given_(std::move(given)) {}
  NodeId self() const override { return NodeId{5}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId /*to*/, Message /*message*/) override {}
  std::optional<Incoming> receive(Seconds timeout) override {
    asked.push_back(timeout);
    if (given_.empty() || (timeout >= Seconds(0) && timeout < Seconds(1))) {
      now_ += std::max(timeout, Seconds(0));
      return std::nullopt;
    }
    now_ += Seconds(1);
    Incoming next = std::move(given_.front());
    given_.pop_front();
    return next;
  }
  Seconds now() const override { return now_; }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one*/, const Work& /*work*/,
                 std::optional<Seconds> /*reserve*/) override {
    return steps;
  }
  bool leaving() const override { return false; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }

  std::vector<Seconds> asked;

 private:
  std::deque<Incoming> given_;
  Seconds now_{};
};

Incoming strange(NodeId from) { return Envelope{from, {}, make_message(TaskDone{.id = {PathId{99}, OuterStep{0}}})}; }
Incoming known(NodeId from) { return Envelope{from, {}, make_message(Goodbye{})}; }

}  // namespace

TEST_CASE("what names a path, module, outer step, version or phase that a run does not have is none of its messages",
          "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  shape(made.config);
  const RunPlan plan = made.plan();
  std::set<MessageKind> kinds;
  for (const Body& body : strange_messages(plan)) {
    const Message message = make_message(body);
    INFO(name(message.kind()) << " " << kinds.size());
    CHECK_FALSE(exists_in(plan, message));
    kinds.insert(message.kind());
  }
  // All but those that name nothing of a run: who_is_there, how_far, goodbye, and a preflight's five.
  CHECK(kinds.size() == kMessageKinds - 8);
}

TEST_CASE("messages that name what does not exist reach no role: a run that gets them by the thousand ends as usual",
          "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  shape(made.config);
  const RunPlan plan = made.plan();
  const RunResult usual = run_loopback(plan, {.evaluators = 1, .test_clock = true}).result;
  VisitedRun visited(plan);
  const RunResult result = visited.run();
  CHECK(result.parameters_hash == usual.parameters_hash);
  CHECK(result.routing_hash == usual.routing_hash);
  CHECK(result.scores.size() == usual.scores.size());
  CHECK(result.evaluations.size() == usual.evaluations.size());
  const auto events = visited.events();
  const auto refused = std::count_if(events.begin(), events.end(), [](const Event& event) {
    return event.kind == EventKind::message_refused && event.peer == kStranger;
  });
  CHECK(static_cast<std::size_t>(refused) == visited.sent());
  CHECK(visited.sent() > 10'000);
  RunFacts facts;
  for (std::size_t k = 0; k < kRoles.size(); ++k) {
    facts.nodes.push_back({.id = NodeId{static_cast<std::int32_t>(k)}, .role = kRoles[k]});
  }
  CHECK(std::get<std::int64_t>(summarize(facts, events).at("messages_refused")) == refused);
}

TEST_CASE("of its own messages a run refuses none", "[loopback]") {
  for (const std::string sampled : {"1", "0.5"}) {
    INFO("sample_paths " << sampled);
    MadeUpRun made("2x2", "blocks:0");
    shape(made.config);
    if (sampled != "1") {
      made.config.routing.sample_paths = 0.5;
      made.config.evaluate.early_stopping = false;
    }
    made.config.run.replicas = 2;
    made.config.faults.restart =
        "worker:0@outer_step=1,computing,for=4s; executor:0@outer_step=2,stepping,for=4s; "
        "store:0@outer_step=3,storing,for=4s; coordinator:0@outer_step=4,assigning,for=4s";
    const LoopbackRun run =
        run_loopback(made.plan(), {.executors = 2, .evaluators = 1, .stores = 2, .test_clock = true});
    CHECK(run.never_struck.empty());
    CHECK(std::none_of(run.events.begin(), run.events.end(),
                       [](const Event& event) { return event.kind == EventKind::message_refused; }));
  }
}

TEST_CASE("who waits for a message for some time waits no longer for strange ones in between", "[loopback]") {
  MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  Given given({strange(NodeId{6}), strange(NodeId{7}), known(NodeId{3}), strange(NodeId{6}), PeerLost{NodeId{2}}});
  MemoryEventLog log;
  CheckedTransport checked(given, plan, given, log);
  const auto first = checked.receive(Seconds(3.5));
  REQUIRE(first.has_value());
  CHECK(std::get<Envelope>(*first).from == NodeId{3});
  CHECK_FALSE(checked.receive(Seconds(1.5)).has_value());
  CHECK(std::get<PeerLost>(checked.receive(Seconds(-1)).value()).node == NodeId{2});
  CHECK(given.asked ==
        std::vector<Seconds>{Seconds(3.5), Seconds(2.5), Seconds(1.5), Seconds(1.5), Seconds(0.5), Seconds(-1)});
  const auto events = log.events();
  REQUIRE(events.size() == 3);
  CHECK(events[1].node == NodeId{5});
  CHECK(events[1].peer == NodeId{7});
  CHECK(events[1].detail == static_cast<std::uint8_t>(MessageKind::task_done));
}

}  // namespace dipaco::testing
