#include "core/queue/fleet.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {

void Fleet::up(NodeId node, SiteId site, double speed, bool idle) {
  gone(node);
  workers_.insert(node, {.site = site, .speed = speed});
  sites_.add(site, speed);
  speeds_.add(speed);
  if (!idle) busy(node);
  ++changes_;
}

void Fleet::gone(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  speeds_.remove(worker->speed);
  sites_.remove(worker->site, worker->speed);
  workers_.erase(node);
  ++changes_;
}

void Fleet::set_free(NodeId node, Worker& worker) {
  if (worker.until) ends_.erase({*worker.until, node});
  worker.until.reset();
  worker.busy = false;
  unforeseen_.erase(node);
}

void Fleet::set_until(NodeId node, Worker& worker, Seconds until) {
  worker.busy = true;
  worker.until = until;
  ends_.insert({until, node});
  ++changes_;
}

void Fleet::speed_is(NodeId node, double speed) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr || std::abs(speed - worker->speed) <= Speeds::kSame * worker->speed) return;
  speeds_.remove(worker->speed);
  speeds_.add(speed);
  sites_.remove(worker->site, worker->speed);
  sites_.add(worker->site, speed);
  worker->speed = speed;
  ++changes_;
}

void Fleet::takes_besides(NodeId node, Seconds besides) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr || std::abs((besides - worker->besides).count()) <= Speeds::kSame * task_of(*worker).count())
    return;
  worker->besides = besides;
  ++changes_;
}

void Fleet::idle(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  ++changes_;
}

void Fleet::busy(NodeId node) {
  Worker* const worker = workers_.find(node);
  if (worker == nullptr) return;
  set_free(node, *worker);
  worker->busy = true;
  unforeseen_.insert(node);
  ++changes_;
}

void Fleet::begins(NodeId node, const PathEntry& path, Seconds now) {
  Worker& worker = workers_.at(node);
  set_free(node, worker);
  worker.outer_step = path.outer_step;
  set_until(node, worker, now + rest_of(worker, path));
}

void Fleet::look(Seconds now) {
  for (const NodeId node : unforeseen_) set_until(node, workers_.at(node), now);
  unforeseen_.clear();
}

Seconds Fleet::task_of(const Worker& worker) const {
  const double speed = worker.speed > 0 ? worker.speed : speeds_.fastest();
  const double cost = cost_.inner_step * static_cast<double>(cost_.inner_steps);
  return speed > 0 ? Seconds(cost / speed) + worker.besides : Seconds(0);
}

Seconds Fleet::rest_of(const Worker& worker, const PathEntry& path) const {
  const double done = static_cast<double>(path.inner_steps) / static_cast<double>(cost_.inner_steps);
  const Seconds task = task_of(worker);
  return task - done * (task - worker.besides);
}

std::optional<Seconds> Fleet::late_at(Seconds now) const {
  if (ends_.empty()) return std::nullopt;
  const auto& [end, node] = *ends_.begin();
  const Seconds late = end + Speeds::kSame * task_of(workers_.at(node));
  return late > now ? late : now + (now - end);
}

Seconds Fleet::free_at(const Worker& worker, Seconds now) {
  if (!worker.until) return now;
  return *worker.until >= now ? *worker.until : now + (now - *worker.until);
}

}  // namespace dipaco
