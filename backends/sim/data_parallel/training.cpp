#include "backends/sim/data_parallel/training.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <simgrid/s4u.hpp>
#include <utility>

#include "backends/sim/data_parallel/ranks.hpp"
#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/varying_links.hpp"
#include "backends/sim/machines/machines.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

namespace sg = simgrid::s4u;

/// When bandwidths change after the start.
std::set<Seconds> times_of_change(const LinkRates& rates) {
  std::set<Seconds> times;
  for (const auto& [link, rate] : rates) {
    for (const LinkRateStep& step : rate.steps()) {
      if (step.time > Seconds(0)) times.insert(step.time);
    }
  }
  return times;
}

/// A job, seen to by an actor of its own.
class Job {
 public:
  Job(const Placement& placement, const DataParallelOptions& options)
      : options_(options), ranks_(placement), alarms_(options.stride), watch_(placement) {
    vary_over_time(options_.link_rates, options_.seed, alarms_);
    machines_ = std::make_unique<Machines>(placement, options_.seed, alarms_, [](const std::string&, Seconds) {});
  }

  DataParallelReport run() {
    sg::Host::on_state_change_cb([this](const sg::Host& host) {
      watch_.changed(host);
      const auto begins = ranks_.changed(host);
      if (begins) alarms_.at(*begins, [this, &host] { tell([&] { ranks_.begins(host); }); });
      if (!begins) tell([] {});
    });
    machines_->start();
    ranks_.take_gone();  // those that are not there at the start were never at work
    for (const Seconds time : times_of_change(options_.link_rates))
      alarms_.at(time, [this] { tell([&] { ranks_.lines_changed(); }); });
    sg::Actor::create("data-parallel", ranks_.home(), [this] { train(); });
    sg::Engine::get_instance()->run();
    if (failure_) std::rethrow_exception(failure_);
    if (done_ < options_.steps)
      throw RunError(static_cast<int>(ExitStatus::peers_lost),
                     "the coordinator's host, " + ranks_.home()->get_name() + ", went off, which sees to the job");
    report_.host_times = watch_.until(report_.duration);
    return std::move(report_);
  }

 private:
  bool enough() const {
    return options_.on_loss == OnLoss::restart ? ranks_.there() == ranks_.all() : ranks_.there() > 0;
  }

  /// Something has changed: the job's actor looks.
  void tell(const std::function<void()>& change) {
    change();
    changed_->release();
  }

  void train() {
    try {
      while (done_ < options_.steps) {
        try {
          stretch();
        } catch (const LineOff&) {
          stand_still();
        } catch (const StoreOff&) {
          stand_still();
        }
        check_progress();
      }
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
    report_.duration = clock_now();
    alarms_.cancel_all();
  }

  /// @throws RunError where steps are done again and again, and none is new
  void check_progress() {
    if (done_ > furthest_) {
      furthest_ = done_;
      furthest_at_ = clock_now();
    }
    if (clock_now() - furthest_at_ <= options_.deadline) return;
    throw RunError(static_cast<int>(ExitStatus::no_progress),
                   "no step beyond step " + std::to_string(furthest_) + " in " + human_seconds(options_.deadline) +
                       ": machines go before a checkpoint is written; write them more often (--checkpoint-every), or "
                       "let the job shrink (--on-loss shrink)");
  }

  /// Until it is worth trying again.
  void stand_still() {
    const Seconds begin = clock_now();
    change_before(begin + options_.stride);
    if (const int gone = ranks_.take_gone(); gone > 0) lose(gone, false);
    report_.waiting += clock_now() - begin;
  }

  /// Whether a machine, or a line, has changed before `time`.
  bool change_before(Seconds time) {
    while (!ranks_.any_change()) {
      const Seconds left = time - clock_now();
      if (left <= Seconds(0) || changed_->acquire_timeout(left.count())) break;
    }
    return ranks_.any_change();
  }

  /// Up to the next checkpoint, or the next change of machines.
  void stretch() {
    if (!enough()) return wait();
    recover();
    if (!enough() || ranks_.holding() < ranks_.there()) return;
    ranks_.gather();
    const Seconds begin = clock_now();
    const DataParallelStep step = measure();
    if (const int gone = ranks_.take_gone(); gone > 0) return lose(gone, false);
    if (report_.first_step.whole == Seconds(0)) report_.first_step = step;
    const std::int64_t due = steps_to_checkpoint(step);
    const std::int64_t steps = std::min(options_.steps - done_, due);
    const bool changed = change_before(begin + static_cast<double>(steps) * step.whole);
    const auto passed = static_cast<std::int64_t>((clock_now() - begin) / step.whole);
    const std::int64_t whole = changed ? std::min(steps, passed) : steps;
    note(begin, whole, step);
    if (!changed && steps == due && done_ < options_.steps) return checkpoint();
    if (!changed) return;
    int gone = ranks_.take_gone();
    // What else has changed counts from the next step on.
    const Seconds end = begin + static_cast<double>(whole + 1) * step.whole;
    while (gone == 0 && whole < steps && change_before(end)) gone = ranks_.take_gone();
    if (gone > 0) return lose(gone, true);
    if (whole < steps) note(end - step.whole, 1, step);
  }

  void wait() {
    const Seconds begin = clock_now();
    if (!change_before(begin + options_.deadline)) {
      const std::string there = std::to_string(ranks_.there()) + " of " + std::to_string(ranks_.all());
      const std::string all = options_.on_loss == OnLoss::restart
                                  ? ", and the job needs all; let it shrink (--on-loss shrink), or leave machines out "
                                    "(--without)"
                                  : "; give it some that stay";
      throw RunError(static_cast<int>(ExitStatus::no_progress),
                     "no step in " + human_seconds(options_.deadline) + ": " + there + " machines are there" + all);
    }
    ranks_.take_gone();
    report_.waiting += clock_now() - begin;
  }

  std::int64_t steps_to_checkpoint(const DataParallelStep& step) const {
    if (!options_.interval) return options_.steps;
    const double steps = std::min(std::ceil(*options_.interval / step.whole), static_cast<double>(options_.steps));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps) - (done_ - kept_));
  }

  std::vector<CollectivePhase> sum_of(Bytes size) const {
    return plan_all_reduce(options_.all_reduce, ranks_.sites(), size);
  }

  /// What a step takes with the ranks that take part. What a sum takes grows with its bytes by a straight line, which
  /// two sums show.
  DataParallelStep measure() const {
    const Bytes little{options_.gradients.value / 64 + 1};
    const Seconds least = ranks_.time_of(sum_of(little));
    const Seconds most = ranks_.time_of(sum_of(options_.gradients));
    const Seconds a_byte = (most - least) / static_cast<double>((options_.gradients - little).value);
    const Seconds compute(options_.step.value / ranks_.speed(options_.share).value);
    const auto takes = [&](Bytes size) {
      return least + (static_cast<double>(size.value) - static_cast<double>(little.value)) * a_byte;
    };
    return options_.overlap ? step_with_overlap(compute, options_.gradients, takes)
                            : step_in_turn(compute, options_.gradients, takes);
  }

  /// So many steps have been done since.
  void note(Seconds begin, std::int64_t steps, const DataParallelStep& step) {
    done_ += steps;
    ranks_.computed(report_.busy, options_.share, {begin, begin + static_cast<double>(steps) * step.compute});
    ranks_.count(report_.traffic, sum_of(options_.gradients), steps);
  }

  /// @param under_way  whether a step was, which is lost
  void lose(int machines, bool under_way) {
    report_.losses += machines;
    const bool all_lost = options_.on_loss == OnLoss::restart || ranks_.holding() == 0;
    report_.restarts += all_lost ? 1 : 0;
    report_.steps_lost += under_way ? 1 : 0;
    if (!all_lost || options_.keeps_each_step) return;
    report_.steps_redone += done_ - kept_;
    done_ = kept_;
    ranks_.forget_state();
  }

  /// Machines that lack the job's state get it, each site from one that has it, or from the last checkpoint.
  void recover() {
    const Seconds begin = clock_now();
    ranks_.recover(kept_ == 0 && done_ == 0 ? Bytes{} : options_.state, report_.traffic);
    report_.recovering += clock_now() - begin;
    if (const int gone = ranks_.take_gone(); gone > 0) lose(gone, false);
  }

  void checkpoint() {
    const Seconds begin = clock_now();
    try {
      ranks_.write_checkpoint(options_.state, report_.traffic);
    } catch (const StoreOff&) {
      return;  // the job goes on without
    }
    report_.checkpointing += clock_now() - begin;
    if (const int gone = ranks_.take_gone(); gone > 0) return lose(gone, false);
    ++report_.checkpoints;
    kept_ = done_;
  }

  const DataParallelOptions& options_;
  Ranks ranks_;
  Alarms alarms_;
  HostWatch watch_;
  std::unique_ptr<Machines> machines_;
  sg::SemaphorePtr changed_ = sg::Semaphore::create(0);
  std::int64_t done_ = 0;
  std::int64_t kept_ = 0;  ///< steps in the last checkpoint
  std::int64_t furthest_ = 0;
  Seconds furthest_at_{};
  std::exception_ptr failure_;
  DataParallelReport report_;
};

}  // namespace

DataParallelReport train_data_parallel(const Placement& placement, const DataParallelOptions& options) {
  return Job(placement, options).run();
}

}  // namespace dipaco
