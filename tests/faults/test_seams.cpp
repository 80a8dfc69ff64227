#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "core/compute/calling_thread.hpp"
#include "core/faults/parse.hpp"
#include "core/faults/seams.hpp"
#include "core/storage/memory_storage.hpp"

namespace dipaco {
namespace {

struct Ended {};

/// Notes what faults do; a node that they end is ended by Ended.
class NotedActions : public FaultActions {
 public:
  void end(NodeId /*node*/, std::optional<Seconds> back) override {
    note(back ? "back after " + std::to_string(static_cast<int>(back->count())) : "gone");
    throw Ended{};
  }
  void freeze(NodeId /*node*/, Seconds /*lasting*/) override { note("frozen"); }
  void delay(NodeId /*node*/, Seconds /*lasting*/) override { note("delayed"); }
  void cut(NodeId /*node*/, std::optional<NodeId> peer, Seconds /*lasting*/) override {
    note(peer ? "cut from " + std::to_string(index(*peer)) : "cut from all");
  }
  std::vector<std::string> notes;

 private:
  void note(const std::string& what) { notes.push_back(what); }
};

/// Gives what the test put there, and lets time pass where there is nothing.
class MadeUpTransport : public Transport {
 public:
  explicit MadeUpTransport(Seconds& now) : now_(now) {}
  NodeId self() const override { return NodeId{1}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId /*to*/, Message message) override {
    sent.push_back(message.kind());
    last = std::move(message.body);
  }
  std::optional<Incoming> receive(Seconds timeout) override {
    if (inbox.empty()) {
      now_ += timeout;
      return std::nullopt;
    }
    Incoming first = std::move(inbox.front());
    inbox.pop_front();
    return first;
  }
  std::vector<MessageKind> sent;
  Body last;
  std::deque<Incoming> inbox;

 private:
  Seconds& now_;
};

/// One node, with the faults that `options` has for it, and what it does.
struct Node {
  Node(Role role, const FaultOptions& options)
      : board(parse_faults(options),
              std::vector<NodeFacts>{{.id = NodeId{0}, .role = Role::coordinator}, {.id = NodeId{1}, .role = role}}),
        seams(role, board, actions, transport, compute, storage) {}

  Seconds now{};
  NotedActions actions;
  MadeUpTransport transport{now};
  LoopbackCompute compute{[this] { return now; }};
  MemoryStorage storage;
  FaultBoard board;
  FaultySeams seams;

  void get(Body body) {
    transport.inbox.push_back(Envelope{NodeId{0}, now, make_message(std::move(body))});
    seams.transport().receive(Seconds(0));
  }
  void send(Body body) { seams.transport().send(NodeId{0}, make_message(std::move(body))); }
  std::int64_t run(std::int64_t steps) {
    const Work work = [this](InnerSteps limit, const auto& /*stop*/) {
      asked.push_back(limit.value);
      return limit;
    };
    return seams.compute().run(InnerSteps{steps}, Flops{1}, work, std::nullopt).value;
  }
  std::vector<std::int64_t> asked;  ///< steps of each call of the work
};

Task task(std::int32_t path, std::int32_t outer_step) {
  Task made;
  made.id = {PathId{path}, OuterStep{outer_step}};
  return made;
}

PutPathState put_state(std::int32_t path, std::int32_t version) {
  return {1, NodeId{0}, {.path = PathId{path}, .version = version}};
}

const std::vector<std::byte> kFour(4, std::byte{7});

using Notes = std::vector<std::string>;

}  // namespace

TEST_CASE("a worker's faults strike at the path, outer step and stage that they name", "[faults]") {
  const std::vector<std::pair<std::string, int>> stages{
      {"hello", 0}, {"gathering", 1}, {"computing", 2}, {"storing", 3}, {"sending", 4}};
  for (const auto& [stage, place] : stages) {
    const std::string at = place == 0 ? "worker:0@hello" : "worker:0@outer_step=1,path=2," + stage;
    INFO(at);
    Node node(Role::worker, {.kill = at});
    int reached = 0;
    const auto work = [&] {
      node.send(Hello{});
      for (const std::int32_t outer_step : {0, 1}) {
        reached = 1;
        node.get(task(2, outer_step));
        reached = 2;
        node.run(4);
        reached = 3;
        node.send(put_state(2, outer_step + 1));
        reached = 4;
        node.send(OuterGradient{{0, 0}, {PathId{2}, OuterStep{outer_step}}, Version{0}, 1, {}});
        node.send(TaskDone{.id = {PathId{2}, OuterStep{outer_step}}});
      }
    };
    CHECK_THROWS_AS(work(), Ended);
    CHECK(reached == place);
    CHECK(node.actions.notes == Notes{"gone"});
    if (place > 0) CHECK(node.transport.sent.size() >= 4);  // of outer step 0
  }
}

TEST_CASE("who scores, fits a router or routes documents is evaluating until it has answered", "[faults]") {
  struct Job {
    Body request;
    Body answer;
  };
  const std::vector<Job> jobs{
      {Evaluate{}, Evaluated{}}, {FitRouter{}, RouterFitted{}}, {RouteDocuments{}, DocumentsRouted{}}};
  for (const Role role : {Role::worker, Role::evaluator}) {
    for (const Job& job : jobs) {
      INFO(name(role) << " " << job.request.index());
      Node asked(role, {.restart = std::string(name(role)) + ":0@evaluating,for=9s"});
      CHECK_THROWS_AS(asked.get(job.request), Ended);
      // After the answer it is at nothing: a fault of that time finds no such stage.
      Node answered(role, {.restart = std::string(name(role)) + ":0@evaluating,time=5s,for=9s"});
      answered.get(job.request);
      answered.send(job.answer);
      answered.now = Seconds(5);
      CHECK(answered.run(1) == 1);
      CHECK(answered.actions.notes.empty());
      Node computing(role, {.restart = std::string(name(role)) + ":0@evaluating,time=5s,for=9s"});
      computing.get(job.request);
      computing.now = Seconds(5);
      CHECK_THROWS_AS(computing.run(1), Ended);
      CHECK(computing.transport.sent.empty());
    }
  }
}

TEST_CASE("a fault at a send strikes before the message has left", "[faults]") {
  Node node(Role::worker, {.restart = "worker:0@sending,for=9s"});
  CHECK_THROWS_AS(node.send(OuterGradient{{0, 0}, {PathId{0}, OuterStep{0}}, Version{0}, 1, {}}), Ended);
  CHECK(node.transport.sent.empty());
  CHECK(node.actions.notes == Notes{"back after 9"});
}

TEST_CASE("a fault while computing strikes after half of the steps, and what goes on does the rest", "[faults]") {
  Node killed(Role::worker, {.kill = "worker:0@computing"});
  killed.get(task(0, 0));
  CHECK_THROWS_AS(killed.run(9), Ended);
  CHECK(killed.asked == std::vector<std::int64_t>{4});
  Node frozen(Role::worker, {.freeze = "worker:0@computing,for=1s"});
  frozen.get(task(0, 0));
  CHECK(frozen.run(9) == 9);
  CHECK(frozen.asked == std::vector<std::int64_t>{4, 9});  // from the start, as Work has it
  CHECK(frozen.actions.notes == Notes{"frozen"});
  CHECK(frozen.run(9) == 9);  // once
  CHECK(frozen.actions.notes.size() == 1);
}

TEST_CASE("the same task again says where things are, and begins nothing", "[faults]") {
  Node node(Role::worker, {.freeze = "worker:0@outer_step=3,gathering,for=1s"});
  node.get(task(0, 3));
  CHECK(node.actions.notes.size() == 1);
  Node storing(Role::worker, {.freeze = "worker:0@outer_step=3,time=5s,gathering,for=1s"});
  storing.get(task(0, 3));
  storing.run(2);
  storing.send(put_state(0, 4));
  storing.now = Seconds(6);
  storing.get(task(0, 3));
  CHECK(storing.actions.notes.empty());
}

TEST_CASE("an executor steps where it keeps a module, and a store stores where it writes", "[faults]") {
  Node executor(Role::executor, {.kill = "executor:0@outer_step=5,stepping"});
  executor.get(OuterGradient{{0, 0}, {PathId{1}, OuterStep{4}}, Version{0}, 1, {}});
  executor.seams.storage().put("modules/0.0/5", kFour);
  executor.get(OuterGradient{{0, 0}, {PathId{1}, OuterStep{5}}, Version{0}, 1, {}});
  executor.seams.storage().put("other", kFour);
  CHECK_THROWS_AS(executor.seams.storage().put("modules/0.0/6", kFour), Ended);
  CHECK_FALSE(executor.storage.get("modules/0.0/6"));
  Node store(Role::store, {.kill = "store:0@path=3,outer_step=0,storing"});
  store.get(put_state(3, 2));
  store.seams.storage().put_if_absent("paths/3/2", kFour);
  store.get(put_state(3, 1));
  CHECK_THROWS_AS(store.seams.storage().put_if_absent("paths/3/1", kFour), Ended);
}

TEST_CASE("a coordinator's faults strike as it assigns a task, and as it tells the end", "[faults]") {
  Node assigning(Role::executor, {});
  FaultBoard board(parse_faults(FaultKind::kill, "coordinator:0@path=1,assigning; coordinator:0@finishing"),
                   std::vector<NodeFacts>{{.id = NodeId{1}, .role = Role::coordinator}});
  FaultySeams seams(Role::coordinator, board, assigning.actions, assigning.transport, assigning.compute,
                    assigning.storage);
  seams.transport().send(NodeId{2}, make_message(task(0, 0)));
  CHECK_THROWS_AS(seams.transport().send(NodeId{2}, make_message(task(1, 0))), Ended);
  CHECK_THROWS_AS(seams.transport().send(NodeId{2}, make_message(Finish{})), Ended);
  CHECK(assigning.transport.sent.size() == 1);
}

TEST_CASE("a full disk keeps nothing, a short write half of a record, a failed sync all", "[faults]") {
  Node full(Role::store, {.disk_full = "store:0@storing,for=2s"});
  CHECK_THROWS_AS(full.seams.storage().append("log", kFour), Ended);
  CHECK_FALSE(full.storage.get("log"));
  CHECK(full.actions.notes == Notes{"back after 2"});
  full.seams.storage().append("log", kFour);  // struck once
  CHECK(full.storage.get("log")->size() == 4);

  Node part(Role::store, {.short_write = "store:0@time=5s,for=2s; store:0@time=9s,for=2s"});
  part.seams.storage().append("log", kFour);
  part.now = Seconds(5);
  CHECK_THROWS_AS(part.seams.storage().append("log", kFour), Ended);
  CHECK(part.storage.get("log")->size() == 6);
  part.now = Seconds(9);
  CHECK_THROWS_AS(part.seams.storage().put("value", kFour), Ended);
  CHECK_FALSE(part.storage.get("value"));

  Node sync(Role::store, {.sync_error = "store:0@storing,for=2s"});
  CHECK_THROWS_AS(sync.seams.storage().put_if_absent("value", kFour), Ended);
  CHECK(sync.storage.get("value") == kFour);
}

TEST_CASE("time alone strikes a node that waits, and the wait goes on", "[faults]") {
  Node node(Role::worker, {.cut = "worker:0-coordinator:0@time=10s,for=1s; worker:0@time=20s,for=1s"});
  CHECK_FALSE(node.seams.transport().receive(Seconds(15)));
  CHECK(node.now == Seconds(15));
  CHECK(node.actions.notes == Notes{"cut from 0"});
  node.transport.inbox.push_back(PeerLost{NodeId{0}});
  CHECK(node.seams.transport().receive(Seconds(-1)));
  CHECK(node.actions.notes.size() == 1);
  CHECK_FALSE(node.seams.transport().receive(Seconds(60)));
  CHECK(node.now == Seconds(75));
  CHECK(node.actions.notes == Notes{"cut from 0", "cut from all"});
}

TEST_CASE("a poisoned worker puts states that are not finite for as long as it lasts, and nothing else changes",
          "[faults]") {
  Node node(Role::worker, {.poison = "worker:0@outer_step=1,storing,for=2s"});
  PutPathState put = put_state(2, 2);
  put.state.parameters = {std::make_shared<const std::vector<float>>(3, 1.0F), 3};
  const auto sent = [&] { return std::get<PutPathState>(node.transport.last).state; };
  node.get(task(2, 1));
  node.send(put);
  CHECK(std::isnan((*sent().parameters.data)[1]));
  CHECK((*put.state.parameters.data)[1] == 1.0F);
  node.now = Seconds(1.5);
  node.send(put_state(2, 2));  // nothing is learned
  CHECK(std::isnan(sent().loss_sum));
  node.now = Seconds(2);
  node.send(put);
  CHECK((*sent().parameters.data)[1] == 1.0F);
  CHECK(node.actions.notes.empty());
  CHECK(node.board.pending().empty());
}

TEST_CASE("where no fault strikes, every call is the seam's own", "[faults]") {
  Node node(Role::store, {.kill = "store:0@time=9s"});
  Storage& storage = node.seams.storage();
  CHECK(storage.put_if_absent("a/1", kFour));
  CHECK_FALSE(storage.put_if_absent("a/1", kFour));
  storage.put("a/2", kFour);
  CHECK(storage.list("a/") == std::vector<std::string>{"a/1", "a/2"});
  storage.remove("a/1");
  CHECK_FALSE(storage.get("a/1"));
  CHECK(node.seams.transport().self() == NodeId{1});
  CHECK(node.run(7) == 7);
  CHECK(node.asked == std::vector<std::int64_t>{7});
  CHECK_FALSE(node.seams.compute().leaving());
  node.compute.notice();
  CHECK(node.seams.compute().leaving());
  node.now = Seconds(9);
  CHECK_THROWS_AS(storage.list(""), Ended);
}

}  // namespace dipaco
