#include "core/coordinator/coordinator.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dipaco {

Coordinator::Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options)
    : run_(plan, seams, options),
      doubts_(run_),
      evaluations_(run_),
      model_(run_, evaluations_),
      modules_(run_, doubts_, evaluations_, model_),
      jobs_(run_),
      resharding_(run_, jobs_, evaluations_),
      refusals_(run_, jobs_),
      diagnosis_(run_, evaluations_, model_, refusals_),
      standstill_(run_, diagnosis_),
      tasks_(run_, {doubts_, evaluations_, refusals_, diagnosis_}),
      membership_(run_, {tasks_, modules_, jobs_, model_, refusals_}) {}

RunResult Coordinator::run() {
  run_.made_progress();
  run_.awaited.begin(run_.now());
  restore();
  while (!model_.over()) receive_one();
  return std::move(run_.result);
}

/// Goes on where the journal ends. A coordinator that began anew in a run that goes on asks all whom it knew to say
/// hello; in a run that was begun anew as a whole they come by themselves, and no attempt is out any more.
void Coordinator::restore() {
  evaluations_.note_every();
  if (!run_.ledger.begun()) return;
  const LedgerState& state = run_.ledger.state();
  const bool run_goes_on = run_.seams.transport.incarnation() > 0;
  for (const auto& [module, owner] : state.owners) run_.ownership.restore(owner, run_goes_on);
  for (const auto& [module, known] : state.modules) {
    run_.ownership.restore(module, known.version);
    run_.queue.restore(module, known.version, known.settled);
  }
  evaluations_.restore();
  tasks_.restore(run_goes_on);
  if (state.finished) {
    model_.finish();
  } else if (run_goes_on) {
    membership_.call_all();
  }
}

void Coordinator::receive_one() {
  const auto incoming = run_.seams.transport.receive(patience());
  if (!incoming) {
    tasks_.look_after_late();
    jobs_.expire_leases();
    standstill_.look();
  } else if (const auto* envelope = std::get_if<Envelope>(&*incoming)) {
    handle(envelope->from, envelope->message);
  } else {
    membership_.lost(std::get<PeerLost>(*incoming).node);
  }
  go_on();
}

/// Does what has become possible by what came, or by the time that has passed.
void Coordinator::go_on() {
  membership_.start_if_late();
  doubts_.mend();
  if (jobs_.overdue()) jobs_.give();
  tasks_.assign();
  modules_.deadlocks().look();
  jobs_.give();
  if (evaluations_.trained() && !model_.finishing() && run_.jobs.empty()) model_.finish();
  diagnosis_.tell_waiting();
}

/// How long nothing is to be done, if nothing comes.
Seconds Coordinator::patience() const {
  Seconds until = standstill_.due();
  if (const auto lease = tasks_.late_at()) until = std::min(until, *lease);
  if (const auto lease = run_.jobs.first_lease()) until = std::min(until, lease->first);
  if (const auto late = membership_.late_at()) until = std::min(until, *late);
  if (const auto unheard = doubts_.due()) until = std::min(until, *unheard);
  if (const auto tells = diagnosis_.tells_at()) until = std::min(until, *tells);
  return std::max(Seconds(0), until - run_.now());
}

void Coordinator::handle(NodeId from, const Message& message) {
  if (const auto* hi = std::get_if<Hello>(&message.body)) {
    membership_.hello(from, *hi);
    return;
  }
  if (!run_.members.contains(from)) return;  // it will say hello, and with it all that it has
  if (const auto* commit = std::get_if<Committed>(&message.body)) {
    note_ways(run_, from, commit->ways);
    tasks_.state_at(from, commit->state);
  } else if (const auto* ready = std::get_if<ModuleReady>(&message.body)) {
    modules_.ready(from, *ready);
    tasks_.module_ready(ready->module);
  } else if (const auto* done = std::get_if<TaskDone>(&message.body)) {
    task_done(from, *done);
  } else if (const auto* undelivered = std::get_if<GradientsLost>(&message.body)) {
    doubts_.undelivered(from, *undelivered);
  } else if (const auto* refused = std::get_if<StateRefused>(&message.body)) {
    refusals_.refused(*refused);
  } else if (const auto* status = std::get_if<PathStatus>(&message.body)) {
    tasks_.answer(from, *status);
  } else if (const auto* score = std::get_if<Evaluated>(&message.body)) {
    evaluated(from, *score);
  } else if (const auto* made = std::get_if<GradientsMade>(&message.body)) {
    gradients_made(from, *made);
  } else if (const auto* answer = std::get_if<NobodyElse>(&message.body)) {
    modules_.deadlocks().waits(*answer);
  } else if (const auto* fitted = std::get_if<RouterFitted>(&message.body)) {
    resharding_.fitted(from, *fitted);
  } else if (const auto* routed = std::get_if<DocumentsRouted>(&message.body)) {
    resharding_.routed(from, *routed);
  } else if (const auto* fetch = std::get_if<FetchShard>(&message.body)) {
    resharding_.send_shard(from, *fetch);
  } else if (const auto* finished = std::get_if<Finished>(&message.body)) {
    model_.collect(*finished);
  } else if (const auto* movement = std::get_if<Movement>(&message.body)) {
    (movement->for_person ? run_.watched : run_.inquiries).answered(from, *movement, run_.now());
  }
}

void Coordinator::task_done(NodeId worker, const TaskDone& message) {
  if (message.leaving) jobs_.leaves(worker);
  if (message.id.path != PathId{-1}) tasks_.ended(worker, message);  // else it had a job
}

void Coordinator::evaluated(NodeId node, const Evaluated& message) {
  jobs_.done(node, job_of(message.purpose, message.version, message.path));
  message.purpose == Purpose::routing ? resharding_.scored(message) : evaluations_.scored(message);
}

void Coordinator::gradients_made(NodeId worker, const GradientsMade& message) {
  jobs_.done(worker, gradients_of(message.task));
  run_.lost_gradients.made(worker, message);
  if (!message.finite) refusals_.not_finite(worker, message.task);
}

RunResult run_coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options) {
  return Coordinator(plan, seams, options).run();
}

}  // namespace dipaco
