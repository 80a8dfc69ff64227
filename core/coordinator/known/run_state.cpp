#include "core/coordinator/known/run_state.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/outer/gradient_format.hpp"
#include "core/plan/regions.hpp"
#include "core/queue/exchange_times.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

std::vector<std::uint64_t> module_sizes(const RunPlan& plan) {
  std::vector<std::uint64_t> sizes;
  for (const auto& level : plan.charged.levels) sizes.push_back(level.size);
  return sizes;
}

/// What a task sends the owners of shared modules, and gets from them.
void note_modules(const RunPlan& plan, ExchangeTimes& exchange) {
  const auto format = gradient_format(plan.config.outer.outer_gradient_format);
  const RunOptions& run = plan.config.run;
  const bool sums = run.site_cache && run.site_sums && plan.policy.adds_shares;
  for (const ModuleId module : plan.topology.modules()) {
    if (plan.topology.path_specific(module)) continue;
    const std::uint64_t size = plan.charged.levels[static_cast<std::size_t>(module.level)].size;
    const auto through = static_cast<double>(plan.topology.paths_through(module).size());
    const Bytes version{size * sizeof(float)};
    exchange.module_is(
        module, {.share = through / plan.topology.paths(),
                 .gradient = {.each = Bytes{encoded_size(format, size)}, .shared = Bytes{sums ? kSumBytes * size : 0}},
                 .version = {.each = version, .shared = run.site_cache && plan.policy.rounds ? version : Bytes{}}});
  }
}

TaskLengths lengths_of_tasks(const RunConfig& config) {
  const std::int64_t most = config.inner.steps;
  return config.inner.dylu ? TaskLengths(most, config.outer.steps * most) : TaskLengths(most);
}

}  // namespace

RunState::RunState(const RunPlan& its_plan, Seams its_seams, const CoordinatorOptions& its_options)
    : plan(its_plan),
      seams(its_seams),
      options(its_options),
      order(its_seams.storage, !its_plan.policy.rounds && its_plan.learner->learns()),
      ledger(its_seams.storage, its_plan),
      lengths(lengths_of_tasks(its_plan.config)),
      queue(
          its_plan.topology, its_plan.timetable.end(), its_plan.policy,
          [&its_plan](PathId path, OuterStep step) { return its_plan.timetable.next_trained(path, step); }, lengths),
      ownership(its_plan.topology, module_sizes(its_plan), its_plan.config.run.replicas),
      resharding(its_plan, its_seams.storage, its_seams.archive),
      retention(its_plan.timetable, its_plan.topology),
      awaited(6 * its_plan.config.liveness.limit, its_plan.config.liveness.limit),
      losses(its_plan.topology.paths()) {
  const bool stay = plan.config.run.place == "stay";
  // Where paths stay with their worker, or in their region, they would wait there for others.
  const bool free_to_go = plan.policy.rounds || !(stay || plan.policy.merge);
  queue.dispatch().plan_by(free_to_go ? plan.schedule : nullptr, {.inner_step = plan.inner_step_cost.value,
                                                                  .lengths = lengths,
                                                                  .state = state_size(plan),
                                                                  .rounds = plan.policy.rounds,
                                                                  .stays = stay || plan.policy.merge,
                                                                  .with_worker = stay});
  for (const auto& [way, seconds_a_byte] : ledger.state().ways) {
    ways.add(way.first, way.second, seconds_a_byte);
    queue.dispatch().reserve().ways().way_takes(way.first, way.second, seconds_a_byte);
  }
  if (plan.policy.merge) return;
  ExchangeTimes& exchange = queue.dispatch().reserve().ways().exchange();
  note_modules(plan, exchange);
  if (free_to_go && plan.config.run.known_lines) exchange.known_are(options.lines);
}

void RunState::send(NodeId to, Body body) {
  order.flush();
  ledger.flush();
  seams.transport.send(to, make_message(std::move(body)));
}

/// With a worker its site's cache is asked: what the worker waits for may be on its way there.
void RunState::inquire(NodeId node) {
  const NodeId cache = cache_for(node);
  const auto ask = [this](NodeId one) {
    inquiries.asked(one);
    send(one, HowFar{});
  };
  inquiries.asked_with(node, cache);
  ask(node);
  const Inquiries::Answers* const answers = inquiries.find(cache);
  if (cache != NodeId{-1} && (answers == nullptr || !answers->open)) ask(cache);
}

bool RunState::hopeful(NodeId node) const {
  if (inquiries.hopeful(node)) return true;
  const NodeId cache = cache_for(node);
  if (inquiries.cache_moved(node, cache)) return true;
  return std::ranges::any_of(seams.transport.in_motion().in_turns,
                             [&](NodeId other) { return other == node || other == cache; });
}

void RunState::record(EventKind kind, PathId path, NodeId node, Epoch attempt) const {
  const PathEntry& entry = queue.path(path);
  const bool says_length = kind == EventKind::task_assigned && lengths.differ();
  seams.log.record({.time = now(),
                    .kind = kind,
                    .attempt = static_cast<std::int16_t>(attempt),
                    .node = node,
                    .path = path,
                    .outer_step = entry.outer_step,
                    .inner_steps = entry.inner_steps,
                    .value = says_length ? static_cast<double>(entry.length) : 0});
}

void RunState::note_order(PathId id) {
  const PathEntry& path = queue.path(id);
  order.note(OrderedTask{{id, path.outer_step}, path.length, path.base});
}

void RunState::note_order(const ModuleRecord& record) {
  OrderedVersion version{record.module, record.version};
  for (const auto& [path, end] : record.settled) {
    if (!is_path(plan, path)) {
      // In a regional part, where its merge point is follows from what it merged when.
      const bool of_region = plan.topology.is_regional(record.module) && path != global_contributor(plan);
      if (!of_region) version.applied.push_back({path, OuterStep{number(end) - 1}});
      continue;
    }
    for (OuterStep step = queue.modules().settled(record.module, path); step < end; step = next(step)) {
      const auto is_it = [&](const Dropped& each) { return each.path == path && each.outer_step == step; };
      if (std::ranges::none_of(record.dropped, is_it)) version.applied.push_back({path, step});
    }
  }
  if (!version.applied.empty()) order.note(version);
}

void RunState::note_path(PathId id) {
  const PathEntry& path = queue.path(id);
  PathRecord place{.path = id,
                   .version = path.version,
                   .inner_steps = path.inner_steps,
                   .site = path.site,
                   .state_epoch = path.state_epoch,
                   .loss_sum = losses.of(id) * static_cast<double>(plan.config.inner.steps),
                   .epoch = path.attempt.epoch,
                   .last_epoch = path.last_epoch,
                   .worker = path.attempt.worker,
                   .to_stores = path.attempt.to_stores,
                   .state_base = path.state_base,
                   .base = path.base};
  if (!lengths.differ()) return ledger.note(std::move(place));
  ledger.note(MeasuredPathRecord{std::move(place), path.length, path.state_length, path.trained});
}

bool RunState::reachable(PathId id) const {
  const PathEntry& path = queue.path(id);
  if (members.count(Role::store) == 0) return false;
  if (path.inner_steps > 0) return !holders.of(id, number(path.outer_step), path.inner_steps).empty();
  return path.version == 0 || !holders.of(id, path.version).empty();
}

NodeId RunState::nearest(const std::set<NodeId>& stores, SiteId site) const {
  check(!stores.empty(), "there is a store to choose");
  for (const NodeId store : stores) {
    if (members.at(store).site == site) return store;
  }
  return *stores.begin();
}

NodeId RunState::cache_of(SiteId site) const {
  const auto& stores = members.stores_near(site);
  const bool store_there = !stores.empty() && members.at(stores.front()).site == site;
  const bool wanted = plan.config.run.site_cache && members.workers_at(site) > 1;
  return wanted && store_there ? stores.front() : NodeId{-1};
}

NodeId RunState::cache_for(NodeId node) const {
  const KnownNode* const member = members.find(node);
  return member != nullptr && member->role == Role::worker ? cache_of(member->site) : NodeId{-1};
}

SiteCache RunState::cache_at(SiteId site, PathId path) const {
  SiteCache cache{.store = cache_of(site)};
  if (cache.store == NodeId{-1}) return cache;
  for (const Owner& owner : owners_of(path)) {
    const KnownNode* const member = members.find(owner.executor);
    if (member != nullptr && member->site == site) cache.near.push_back(owner.executor);
  }
  return cache;
}

std::vector<Owner> RunState::owners_of(PathId path) const {
  std::vector<Owner> owners;
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    const ModuleId module = plan.topology.module(path, l);
    if (!plan.topology.path_specific(module)) owners.push_back(ownership.owner(module));
  }
  return owners;
}

std::int32_t RunState::state_before(PathId path, std::int32_t version) const {
  return version == 0 ? 0 : plan.timetable.state_version(path, version - 1);
}

}  // namespace dipaco
