#include "backends/gloo/run.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "backends/gloo/node.hpp"
#include "backends/gloo/said_once.hpp"
#include "backends/gloo/status/status_desk.hpp"
#include "backends/gloo/status_source.hpp"
#include "core/base/ended_early.hpp"

namespace dipaco {
namespace {

/// The run's clock is 0 at its first task; what was before, when nodes met, counts as that.
void begin_with_first_task(GlooRun& run) {
  const auto first = std::ranges::find(run.events, EventKind::task_assigned, &Event::kind);
  if (first == run.events.end()) return;
  const Seconds begin = first->time;
  for (Event& event : run.events) {
    event.time = std::max(event.time - begin, Seconds(0));
    event.begin = std::max(event.begin - begin, Seconds(0));
  }
  run.ended -= begin;
  if (run.result) run.result->duration -= begin;
}

/// The nodes of this process, a thread each.
class Process {
 public:
  Process(const RunPlan& plan, const GlooOptions& options)
      : limit_(plan.config.liveness.limit), options_(options), said_(options.note) {
    options_.expected.tell_waiting = options.status != nullptr;
    if (options.status != nullptr)
      options_.expected.looked_at = [desk = options.status] { return desk->is_looked_at(); };
    options_.expected.progress = [this, show = options.expected.progress](const RunProgress& progress) {
      if (show) show(progress);
      if (status_) status_->note(progress);
    };
    std::vector<const GlooNode*> nodes;
    for (const Role role : options.roles) {
      Served& served = nodes_.emplace_back();
      options_.note = said_.of_next_node();
      served.node = std::make_unique<GlooNode>(plan, options_, role);
      nodes.push_back(served.node.get());
      if (role != Role::coordinator) continue;
      const Endpoint published = served.node->endpoint();
      options_.publish(published);
      // The way back to this machine by its outer address may be closed.
      options_.find = [here = Endpoint{options.coordinator.host, published.port}] { return std::optional(here); };
    }
    if (options.status == nullptr) return;
    status_.emplace(plan, std::move(nodes));
    options.status->open([this] { return status_->status(); });
  }
  ~Process() {
    if (options_.status != nullptr) options_.status->close();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  GlooRun run() {
    {
      std::vector<std::jthread> threads;
      for (Served& served : nodes_) threads.emplace_back([this, &served] { serve(served); });
      watch();
    }
    if (failure_) fail();
    GlooRun run;
    for (const Served& served : nodes_) {
      run.stopped = run.stopped || !served.ended;
      run.awaited = run.awaited || (!served.ended && !may_leave(served.node->role()));
      if (served.node->role() == Role::coordinator && served.node->books().result) add_result(run, *served.node);
    }
    return run;
  }

 private:
  [[noreturn]] void fail() const {
    try {
      std::rethrow_exception(failure_);
    } catch (const RunError& why) {
      for (const Served& served : nodes_) {
        if (served.node->role() != Role::coordinator) continue;
        GlooRun run;
        add_result(run, *served.node);
        throw EndedEarly<GlooRun>(why, std::move(run));
      }
      throw;
    }
  }

  struct Served {
    std::unique_ptr<GlooNode> node;
    std::atomic<bool> over{false};
    bool ended = false;  ///< with the run
  };

  void serve(Served& served) {
    try {
      served.ended = served.node->serve();
      if (served.ended && status_) status_->note_finished();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
    served.over = true;
  }

  using Clock = std::chrono::steady_clock;

  static bool is_over(const Served& served) { return served.over; }
  /// Whether it has nothing more to hand back.
  static bool is_idle(const Served& served) { return served.over || !may_leave(served.node->role()); }

  /// First those go who hand something back: what they hand it to may be here, too.
  void watch() {
    std::optional<Clock::time_point> told;
    bool told_all = false;
    while (!std::ranges::all_of(nodes_, is_over)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const bool stop = options_.stop != nullptr && *options_.stop;
      if (failed_) {
        for (Served& served : nodes_) served.node->stop();
      } else if (stop && !told) {
        told = Clock::now();
        tell_workers();
      } else if (told && !told_all && std::ranges::all_of(nodes_, is_idle)) {
        told_all = !workers_elsewhere() || Clock::now() - *told > 2 * limit_;
        for (Served& served : nodes_) {
          if (told_all) served.node->leave();
        }
      } else if (told) {
        give_up_handing_back();
      }
    }
  }

  void tell_workers() {
    for (Served& served : nodes_) {
      if (may_leave(served.node->role())) served.node->leave();
    }
    if (options_.note && std::ranges::all_of(nodes_, is_idle) && workers_elsewhere()) {
      options_.note("told to stop: workers that are told, too, may hand back what they have in hand within " +
                    std::to_string(static_cast<int>(2 * limit_.count())) + " s");
    }
  }

  /// A notice often goes to all processes of a job at once.
  bool workers_elsewhere() const {
    const auto members = nodes_.front().node->members();
    return std::ranges::any_of(members, [](const Member& member) { return member.up && may_leave(member.role); });
  }

  /// Whoever would take it has gone, too.
  void give_up_handing_back() {
    for (Served& served : nodes_) {
      if (!is_idle(served) && served.node->is_cut_off(limit_)) served.node->stop();
    }
  }

  static void add_result(GlooRun& run, const GlooNode& coordinator) {
    const CoordinatorBooks& books = coordinator.books();
    run.result = books.result;
    run.state = coordinator.state();
    run.resumed_from = books.resumed_from;
    run.ended = coordinator.now();
    run.events = books.reports.events();
    run.traffic = books.reports.traffic();
    for (const Member& member : coordinator.members()) {
      run.nodes.push_back(
          {.id = member.id, .role = member.role, .site = member.site, .host = member.machine, .left = member.left});
      const auto site = static_cast<std::size_t>(index(member.site));
      if (run.sites.size() <= site) run.sites.resize(site + 1);
      run.sites[site] = member.site_name;
    }
    begin_with_first_task(run);
  }

  Seconds limit_;
  GlooOptions options_;
  SaidOnce said_;
  std::deque<Served> nodes_;
  std::optional<StatusSource> status_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
};

}  // namespace

GlooRun run_gloo(const RunPlan& plan, const GlooOptions& options) { return Process(plan, options).run(); }

void forget_run(const GlooRun& run) {
  if (run.state.empty()) return;
  std::filesystem::path going = run.state;
  going += ".over";  // a part of it would be a damaged state
  std::error_code ignored;
  std::filesystem::rename(run.state, going, ignored);
  std::filesystem::remove_all(going, ignored);
}

}  // namespace dipaco
