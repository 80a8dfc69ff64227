#pragma once

#include "core/coordinator/job_giving.hpp"
#include "core/coordinator/model_collection.hpp"
#include "core/coordinator/tasks.hpp"
#include "tests/coordinator/known_run.hpp"

namespace dipaco::testing {

inline constexpr PathId kFirst{0};
inline constexpr NodeId kNear{2};
inline constexpr NodeId kFar{3};
inline constexpr NodeId kWorker{4};

/// Tasks of a run that has begun, with an executor, two stores and a worker.
struct BegunRun {
  explicit BegunRun(MadeUpRun& made) : known(made) {
    known.own_all(1);
    known.add(index(kNear), Role::store);
    known.add(index(kFar), Role::store, SiteId{1});
    known.run.awaited.start();
    tasks.start();
    join(kWorker);
  }
  /// A worker comes and is given the first task that waits.
  void join(NodeId worker) {
    known.add(index(worker), Role::worker);
    known.run.queue.dispatch().worker_up(worker, SiteId{0}, 1);
    tasks.assign();
  }
  const PathEntry& first() const { return known.run.queue.path(kFirst); }
  /// The store has what the attempt has made of the first path's first task.
  void arrives(NodeId store, Epoch epoch, NodeId worker = kWorker) {
    tasks.state_at(store, {.path = kFirst, .version = 1, .epoch = epoch, .worker = worker, .loss_sum = 1});
  }

  KnownRun known;
  OuterGradientDoubts doubts{known.run};
  Evaluations evaluations{known.run};
  ModelCollection model{known.run, evaluations};
  JobGiving jobs{known.run};
  StateRefusals refusals{known.run, jobs};
  Diagnosis diagnosis{known.run, evaluations, model, refusals};
  Tasks tasks{known.run, {doubts, evaluations, refusals, diagnosis}};
};

}  // namespace dipaco::testing
