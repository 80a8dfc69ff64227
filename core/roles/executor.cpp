#include "core/roles/executor.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/giving.hpp"
#include "core/plan/regions.hpp"
#include "core/roles/contribution_events.hpp"
#include "core/roles/modules/finish_modules.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

/// Whether the path's contributions before it are settled, and no other is between.
bool in_order(const RunPlan& plan, const OwnedModule& mine, const TaskId& task) {
  return task.outer_step == next_given(plan, task.path, mine.contributions.settled(task.path));
}

}  // namespace

Executor::Executor(const RunPlan& plan, Seams seams, const NodeSelf& self)
    : plan_(plan),
      seams_(seams),
      presence_(plan, seams, self, [this](Hello& hello) { say(hello); }),
      files_(plan, seams.storage),
      stepper_(plan, seams.archive),
      errands_(seams.transport, files_),
      requests_(seams.transport, files_),
      merges_(plan, seams.transport, files_) {}

void Executor::run() {
  presence_.greet();
  while (!finished_) receive_one();
}

void Executor::receive_one() {
  for (const ModuleId module : wakes_.take_ended(seams_.compute.now())) {
    const auto found = modules_.find(module);
    if (found != modules_.end() && found->second.here) step_if_due(module, found->second);
  }
  // Nobody wakes for nothing: the policy is asked again when it wants to be, and errands that could not be sent are
  // tried again.
  const bool unsent = errands_.unsent(modules_) || merges_.unsent(modules_);
  const Seconds retry = unsent ? plan_.config.liveness.period : Seconds(-1);
  auto incoming = presence_.receive(wakes_.patience(seams_.compute.now(), retry));
  if (!incoming) {
    errands_.run(modules_);
  } else if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
    errands_.lost(lost->node);
    requests_.lost(lost->node);
    merges_.lost(modules_, lost->node, seams_.compute.now());
    for (auto& [module, mine] : modules_) mine.lost(lost->node);
  } else {
    auto& envelope = std::get<Envelope>(*incoming);
    handle(envelope.from, std::move(envelope.message));
  }
  for (bool any = plan_.policy.merge.has_value(); any;) {
    merges_.run(modules_, seams_.compute.now());
    const auto global = merges_.add_next(modules_, stepper_, seams_.compute.now());
    any = global && step_if_due(*global, modules_.at(*global));
  }
}

void Executor::handle(NodeId from, Message message) {
  if (merges_.take(modules_, from, message.body)) return;
  if (auto given = given_gradient(from, message.body)) {
    early_.gradients.push_back(std::move(*given));
    take_early();
  } else if (auto* fetch = std::get_if<FetchModule>(&message.body)) {
    requests_.serve(modules_, from, *fetch);
  } else if (auto* lost = std::get_if<GradientsLost>(&message.body)) {
    make_again(*lost);
  } else if (auto* after = std::get_if<PathModule>(&message.body)) {
    add_from_store(*after);
  } else if (auto* own = std::get_if<OwnModules>(&message.body)) {
    take(*own);
  } else if (auto* copy = std::get_if<ModuleCopy>(&message.body)) {
    take_copy(from, *copy);
  } else if (auto* answer = std::get_if<ModuleStored>(&message.body)) {
    stored(from, *answer);
  } else if (const auto* sizes = std::get_if<ShardSizes>(&message.body)) {
    stepper_.learn(*sizes);
    take_early();
    errands_.run(modules_);
  } else if (auto* release = std::get_if<Release>(&message.body)) {
    files_.release(release->released);
  } else if (const auto* bases = std::get_if<KeepVersions>(&message.body)) {
    files_.keep_only(*bases);
    const auto found = modules_.find(bases->module);
    if (found != modules_.end()) found->second.heard_of(bases->newest);
  } else if (const auto* last = std::get_if<NobodyElse>(&message.body)) {
    const auto found = modules_.find(last->module);
    if (found == modules_.end()) return;
    found->second.hear(*last);
    if (found->second.here) step_if_due(last->module, found->second);
  } else if (auto* request = std::get_if<Finish>(&message.body)) {
    seams_.transport.send(kCoordinator,
                          make_message(finish_modules(plan_, seams_.storage, modules_, files_, *request)));
  } else if (std::holds_alternative<Goodbye>(message.body)) {
    finished_ = true;
  }
}

/// Adds the outer gradients that have come and can be added now. One for a later epoch than is known here waits for the
/// coordinator's word of it: its sender says no more of it.
void Executor::take_early() {
  for (GivenGradient& each : std::exchange(early_.gradients, {})) {
    const auto found = modules_.find(each.module());
    const auto told = early_.told.find(each.module());
    const bool later = told == early_.told.end() || each.epoch() > told->second;
    const bool wait = later || (found != modules_.end() && !found->second.here);
    if (wait || !stepper_.knows_sizes(each.outer_step())) {
      if (each.relay != NodeId{-1} && !std::exchange(each.told, true))
        seams_.transport.send(each.relay, make_message(GradientTaken{.number = each.number, .waits = true}));
      early_.gradients.push_back(std::move(each));
      continue;
    }
    GradientTaken taken{.number = each.number};
    if (found == modules_.end()) {
      if (expects_next(plan_, each.pushed_to, each.outer_step()))
        requests_.expect(each.module(), {{each.pushed_to, next(each.base())}});
    } else if (const auto* sum = std::get_if<GradientSum>(&each.what)) {
      taken.lacking = add(*sum);
    } else {
      add(std::get<OuterGradient>(each.what), each.pushed_to);
    }
    if (each.relay != NodeId{-1}) seams_.transport.send(each.relay, make_message(std::move(taken)));
  }
}

void Executor::add(const OuterGradient& given, NodeId from) {
  const auto& [module, task, base, inner_steps, values, epoch, awaits] = given;
  Module& mine = modules_.at(module);
  Contributions& contributions = mine.contributions;
  if (task.outer_step < contributions.settled(task.path)) {
    // It came twice. Who sent it expects the version that came of it all the same.
    const bool newest = next(task.outer_step) == contributions.settled(task.path);
    if (newest && expects_next(plan_, from, task.outer_step))
      requests_.serve(modules_, from, {module, mine.version, mine.epoch});
    return;
  }
  if (contributions.contains(task.path)) {
    if (from != NodeId{-1}) contributions.sent_again(task.path, from);
    return requests_.serve_late(plan_, modules_, from, given);
  }
  // Of an owner that was ahead of this one, or after one that is not here: it is asked for again.
  if (base > mine.version || !in_order(plan_, mine, task)) {
    if (expects_next(plan_, from, task.outer_step)) mine.awaited.expected.emplace(from, next(base));
    return;
  }
  stepper_.weigh(module, mine);
  mine.remaking.erase(task.path);
  if (awaits == Awaits::no_version) contributions.note_last(task.path);
  const ContributionView view{task.path, task.outer_step, base, InnerSteps{inner_steps},
                              stepper_.share_of(mine, task.path, inner_steps)};
  const Seconds now = seams_.compute.now();
  const Verdict verdict = plan_.policy.step->arrived(stepper_.view(mine, now), view);
  if (const auto* out = std::get_if<Drop>(&verdict)) {
    tell_dropped(seams_, module, mine.version, view);
    drop(module, mine, {task.path, task.outer_step, out->why}, from);
  } else {
    const double weight = std::get<Add>(verdict).weight;
    const bool old = plan_.policy.combine != nullptr && base < mine.version;
    stepper_.add(mine, given, old ? files_.parameters(module, base) : mine.parameters, weight);
    contributions.add({view, weight, from, now});
  }
  if (!step_if_due(module, mine)) requests_.serve_late(plan_, modules_, from, given);
}

/// All that it is of, or none: what is here or settled already cannot be taken out of it.
/// @returns those of a sum that is not added that are lacking
std::vector<TaskId> Executor::add(const GradientSum& given) {
  Module& mine = modules_.at(given.module);
  stepper_.weigh(given.module, mine);
  std::vector<TaskId> lacking;
  std::vector<Contributions::InHand> all;
  const Seconds now = seams_.compute.now();
  for (const auto& [task, inner_steps] : given.tasks) {
    const auto same = [&](const Contributions::InHand& other) { return other.what.path == task.path; };
    const bool in_hand = mine.contributions.contains(task.path) || std::ranges::any_of(all, same);
    if (in_hand || given.base != mine.version || !in_order(plan_, mine, task)) continue;
    lacking.push_back(task);
    const double share = mine.contributions.shares().at(task.path);
    const ContributionView view{task.path, task.outer_step, given.base, InnerSteps{inner_steps}, share};
    all.push_back({view, share, NodeId{-1}, now});
  }
  if (all.size() < given.tasks.size()) return lacking;
  stepper_.add(mine, given);
  for (const Contributions::InHand& each : all) {
    mine.remaking.erase(each.what.path);
    mine.contributions.add(each);
  }
  step_if_due(given.module, mine);
  return {};
}

bool Executor::step_if_due(ModuleId module, Module& mine) {
  const PartView view = stepper_.view(mine, seams_.compute.now());
  const auto due = plan_.policy.step->step(view);
  wakes_.note(module, due ? std::nullopt : plan_.policy.step->wake(view));
  if (due) {
    step(module, mine, due->scale);
  } else if (auto answer = mine.waits()) {
    seams_.transport.send(kCoordinator, make_message(std::move(*answer)));
  }
  return due.has_value();
}

/// It changes nothing of its path, whose sender goes on from the newest version.
void Executor::drop(ModuleId module, Module& mine, const Dropped& dropped, NodeId from) {
  mine.contributions.drop(dropped.path, dropped.outer_step);
  mine.dropped.push_back(dropped);
  mine.news.settled.insert(dropped.path);
  mine.news.dropped.push_back(dropped);
  if (mine.out) announce(module, mine);
  if (expects_next(plan_, from, dropped.outer_step))
    requests_.serve(modules_, from, {module, mine.version, mine.epoch});
}

void Executor::step(ModuleId module, Module& mine, double scale) {
  mine.contributions.made(seams_.compute.now());
  if (mine.merging.global) mine.news.settled.insert({global_contributor(plan_), region_contributor(plan_, module)});
  for (const auto& [what, weight, sender, came] : stepper_.step(module, mine, scale)) {
    mine.news.settled.insert(what.path);
    if (!plan_.policy.rounds) mine.came_at[what.path] = came;
    if (expects_next(plan_, sender, what.outer_step)) mine.receivers.insert(sender);
  }
  mine.out = false;
  if (!plan_.policy.rounds) mine.unheard[mine.version] = mine.update;
  files_.keep(module, mine.state());
  mine.unstored = {mine.copies.begin(), mine.copies.end()};
  errands_.put_copies(module, mine);
  publish_if_durable(module, mine);
}

void Executor::make_again(const GradientsLost& lost) {
  const auto found = modules_.find(lost.module);
  if (found == modules_.end()) return;
  Module& mine = found->second;
  const Contributions& contributions = mine.contributions;
  const bool known = lost.task.outer_step < contributions.settled(lost.task.path) ||
                     contributions.contains(lost.task.path) || lost.base > mine.version;
  if (!mine.here || known) return;
  if (exchanges_gradients(plan_)) {
    // No store has what it is made of: the coordinator has the step done once more.
    seams_.transport.send(kCoordinator, make_message(lost));
    return;
  }
  mine.remaking[lost.task.path] = lost;
  errands_.run(modules_);
}

void Executor::add_from_store(const PathModule& after) {
  errands_.fetched(after.module, after.path);
  const auto found = modules_.find(after.module);
  if (found == modules_.end()) return;
  const Module& mine = found->second;
  const auto wanted = mine.remaking.find(after.path);
  const TaskId task{after.path, OuterStep{after.version - 1}};
  if (wanted == mine.remaking.end() || wanted->second.task != task || !stepper_.knows_sizes(task.outer_step)) return;
  const auto [base, inner_steps] = std::pair(wanted->second.base, wanted->second.inner_steps);
  const Values before = base == mine.version ? mine.parameters : files_.parameters(after.module, base);
  GradientValues difference = make_gradient(plan_, after.module.level, floats_of(before), floats_of(after.parameters));
  add({after.module, task, base, inner_steps, std::move(difference)}, NodeId{-1});
}

void run_executor(const RunPlan& plan, Seams seams, const NodeSelf& self) { Executor(plan, seams, self).run(); }

}  // namespace dipaco
