#include "tests/report/made_up_run.hpp"

#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace dipaco::testing {
namespace {

constexpr NodeId kExecutor{1};
constexpr NodeId kStore{2};
constexpr NodeId kFast{3};
constexpr NodeId kSlow{4};

class Script {
 public:
  void up(double time, NodeId node) { add({.time = Seconds(time), .kind = EventKind::node_up, .node = node}); }
  void down(double time, NodeId node) { add({.time = Seconds(time), .kind = EventKind::node_down, .node = node}); }
  void queued(double time, int path, int step) {
    add({.time = Seconds(time), .kind = EventKind::task_queued, .path = PathId{path}, .outer_step = OuterStep{step}});
  }
  /// From now on `task` is about this attempt.
  void attempt(NodeId node, int path, int step, int attempt) {
    task_ = {.attempt = static_cast<std::int16_t>(attempt),
             .node = node,
             .path = PathId{path},
             .outer_step = OuterStep{step}};
  }
  void task(double time, EventKind kind, int inner_steps = 0, double loss_sum = 0) {
    Event event = task_;
    event.time = Seconds(time);
    event.kind = kind;
    event.inner_steps = inner_steps;
    event.value = loss_sum;
    add(event);
  }
  void transfer(double begin, double end, NodeId from, NodeId to, MessageKind kind, std::uint64_t bytes) {
    add({.time = Seconds(end),
         .kind = EventKind::transfer,
         .detail = static_cast<std::uint8_t>(kind),
         .node = to,
         .peer = from,
         .begin = Seconds(begin),
         .bytes = bytes});
  }
  void stepped(double time, int expert, int version, double norm) {
    add({.time = Seconds(time),
         .kind = EventKind::module_stepped,
         .node = kExecutor,
         .module = {0, expert},
         .version = version,
         .value = norm});
  }
  /// Of worker 3: gather until `started`, compute until `computed`, store for 3 s, outer gradient 1 s later for 2 s.
  void whole_task(double begin, double started, double computed, int inner_steps, double loss_sum,
                  MessageKind gathered) {
    task(begin, EventKind::task_assigned);
    transfer(begin, started, gathered == MessageKind::module ? kExecutor : kStore, kFast, gathered, 1000);
    task(started, EventKind::task_started);
    task(computed, EventKind::task_computed, inner_steps, loss_sum);
    transfer(computed, computed + 3, kFast, kStore, MessageKind::put_path_state, 3000);
    task(computed + 4, EventKind::task_committed);
    transfer(computed + 4, computed + 6, kFast, kExecutor, MessageKind::outer_gradient, 1000);
  }
  std::vector<Event> take() { return std::move(events_); }

 private:
  void add(const Event& event) { events_.push_back(event); }

  Event task_;
  std::vector<Event> events_;
};

std::vector<Event> script() {
  Script run;
  for (int node = 0; node < 5; ++node) run.up(0, NodeId{node});
  run.queued(0, 0, 0);
  run.queued(0, 1, 0);
  run.attempt(kFast, 0, 0, 1);
  run.whole_task(0, 2, 12, 10, 40, MessageKind::module);
  run.attempt(kSlow, 1, 0, 1);
  run.task(0, EventKind::task_assigned);
  run.transfer(0, 5, kExecutor, kSlow, MessageKind::module, 1000);
  run.task(5, EventKind::task_started);
  run.down(13, kSlow);
  run.task(20, EventKind::task_requeued);
  run.attempt(kFast, 1, 0, 2);
  run.whole_task(20, 22, 32, 10, 44, MessageKind::module);
  run.up(30, kSlow);
  run.stepped(39, 0, 1, 3);
  run.stepped(40, 1, 1, 4);

  run.queued(40, 0, 1);
  run.queued(40, 1, 1);
  run.attempt(kFast, 0, 1, 1);
  run.whole_task(40, 42, 52, 10, 30, MessageKind::module);
  run.attempt(kSlow, 1, 1, 1);
  run.task(40, EventKind::task_assigned);
  run.transfer(40, 45, kExecutor, kSlow, MessageKind::module, 1000);
  run.task(45, EventKind::task_started);
  run.task(60, EventKind::notice);
  run.task(61, EventKind::task_computed, 8, 24);
  run.transfer(61, 64, kSlow, kStore, MessageKind::put_path_state, 3000);
  run.task(64, EventKind::task_handed_back, 8);
  run.down(66, kSlow);
  run.attempt(kFast, 1, 1, 2);
  run.whole_task(64, 67, 69, 2, 5, MessageKind::path_state);
  run.stepped(76, 0, 2, 0.6);
  run.stepped(80, 1, 2, 0.8);
  run.attempt(kFast, 0, 2, 0);
  run.task(81, EventKind::evaluation_started);
  run.task(85, EventKind::evaluation_done);
  return run.take();
}

}  // namespace

MadeUpRun made_up_run() {
  MadeUpRun run;
  run.events = script();
  RunFacts& facts = run.facts;
  facts.name = "made_up";
  facts.simulated = true;
  facts.duration = Seconds(80);
  facts.outer_steps = 2;
  facts.inner_steps = 10;
  facts.paths = 2;
  for (const int expert : {0, 1}) facts.shared_modules[{0, expert}] = {PathId{0}, PathId{1}};
  facts.sites = {"east", "west"};
  facts.nodes = {
      {.id = NodeId{0}, .role = Role::coordinator, .site = SiteId{0}, .host = "e0"},
      {.id = kExecutor, .role = Role::executor, .site = SiteId{0}, .host = "e1"},
      {.id = kStore, .role = Role::store, .site = SiteId{0}, .host = "e2"},
      {.id = kFast, .role = Role::worker, .site = SiteId{0}, .host = "e3", .speed = 2e12},
      {.id = kSlow, .role = Role::worker, .site = SiteId{1}, .host = "w0", .speed = 1e12, .preemptible = true}};
  for (const Event& event : run.events) {
    if (event.kind != EventKind::transfer) continue;
    const auto site = [&](NodeId node) { return facts.nodes[static_cast<std::size_t>(index(node))].site; };
    facts.traffic.count(static_cast<MessageKind>(event.detail), Bytes{event.bytes}, site(event.peer), site(event.node));
  }
  facts.traffic.by_sites[{SiteId{0}, SiteId{1}}].arrived(Bytes{2000}, Seconds(4), Seconds(8));
  facts.links = {{.name = "wan",
                  .bandwidth = 1000,
                  .latency_s = 0.05,
                  .bytes = Bytes{5000},
                  .turn_bytes = Bytes{12},
                  .peak_use = 1},
                 {.name = "lan, east", .bandwidth = 1e6, .latency_s = 0.0001, .bytes = Bytes{20000}, .peak_use = 0.5}};
  facts.more = {{"validation_perplexity", 43.25},
                {"validation_bits_per_byte", 1.5},
                {"dense_validation_perplexity", 60.5},
                {"dense_equal_steps_validation_perplexity", 50.75},
                {"parameters_hash", std::string("00ff")},
                {"config_hash", std::string("0a0b")},
                {"seed", std::int64_t{1}},
                {"version", std::string("0.1.0")},
                {"bitwise", std::string("yes")},
                {"validation_documents", std::int64_t{12}},
                {"validation_tokens", std::int64_t{3400}},
                {"validation_perplexity_outer_step_N", 44.0},
                {"dense_validation_bits_per_byte", 1.75},
                {"dense_equal_steps_validation_bits_per_byte", 1.625},
                {"dropped_documents", std::int64_t{0}},
                {"prepared_hash", std::string("0c0d")},
                {"tokens_hash", std::string("0e0f")},
                {"routing_hash", std::string("1011")},
                {"start_hash", std::string("1213")},
                {"arithmetic", std::string("made up")},
                {"learned", true},
                {"why_unfinished", std::string("no progress for 60 s")},
                {"backend", std::string("sim")},
                {"scenario", std::string("made_up.xml")},
                {"parameters_per_path", std::int64_t{100}},
                {"parameters_total", std::int64_t{150}},
                {"batch_tokens", std::int64_t{64}},
                {"charged_parameters_per_path", std::int64_t{100}},
                {"charged_inner_steps", std::int64_t{10}},
                {"charged_batch_tokens", std::int64_t{64}},
                {"network_model", std::string("CM02")},
                {"resumed_from_outer_step", std::int64_t{1}},
                {"wall_s", 0.25},
                {"peak_rss_bytes", std::int64_t{12000000}}};
  return run;
}

}  // namespace dipaco::testing
