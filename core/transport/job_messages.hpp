#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/transport/module_messages.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Messages about jobs: what free workers and evaluators do beside training. See messages.hpp.

/// What an evaluation is for, which says what is scored.
enum class Purpose : std::uint8_t {
  routing,         ///< all router documents, each by itself: the labels of a discriminative router (§2.4.2)
  early_stopping,  ///< the path's hold-out (§2.7)
  progress,        ///< the path's validation documents, on the way
  result,          ///< the same at the end, under the path's best version
};

/// Coordinator to worker or evaluator: score documents under this path. The same once more: only where things are has
/// changed.
struct Evaluate {
  PathId path{};
  std::int32_t version = 0;
  Purpose purpose{};
  NodeId store{-1};
  std::vector<Owner> owners;
  Base base{};  ///< of the path's shared modules, that are scored
  template <class A>
  void fields(A& a) {
    a(path, version, purpose, store, owners, base);
  }
};

/// Worker or evaluator to coordinator: the path's score (score.hpp has the same fields).
struct Evaluated {
  PathId path{};
  std::int32_t version = 0;
  Purpose purpose{};
  double nats = 0;
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
  std::int64_t documents = 0;
  Values by_document{};  ///< [router documents] nats of each, for routing only
  template <class A>
  void fields(A& a) {
    a(path, version, purpose, nats, tokens, bytes, documents, by_document);
  }
};

/// Coordinator to worker or evaluator: fit the discriminative router of this phase to the best path of each router
/// document (§2.4.2, §7.2.1).
struct FitRouter {
  std::int32_t phase = 0;
  Values labels;  ///< [router documents] path numbers
  template <class A>
  void fields(A& a) {
    a(phase, labels);
  }
};

/// The answer.
struct RouterFitted {
  std::int32_t phase = 0;
  std::string router;  ///< a router's file
  template <class A>
  void fields(A& a) {
    a(phase, router);
  }
};

/// Coordinator to worker or evaluator: find the paths of documents [first, first + count) of those that are routed.
struct RouteDocuments {
  std::int32_t phase = 0;
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::string router;
  template <class A>
  void fields(A& a) {
    a(phase, first, count, router);
  }
};

/// The answer.
struct DocumentsRouted {
  std::int32_t phase = 0;
  std::int32_t first = 0;
  Values paths;  ///< [count, routing.overlap] path numbers, best first
  template <class A>
  void fields(A& a) {
    a(phase, first, paths);
  }
};

/// Coordinator to worker, where gradients are exchanged: an executor lacks what this committed task gave to these
/// modules; do its inner step once more and send that. The same once more: only where things are has changed.
struct MakeGradients {
  TaskId task;
  NodeId store{-1};  ///< has the state that the task made: cursor, and the path's own modules before the step
  std::vector<Owner> owners;
  Base base{};  ///< that the task began with
  std::vector<ModuleId> modules;
  template <class A>
  void fields(A& a) {
    a(task.path, task.outer_step, store, owners, base, modules);
  }
};

/// The answer, behind the gradients.
struct GradientsMade {
  TaskId task;
  bool finite = true;          ///< false: nothing was sent, as a value is infinite or not a number
  std::vector<Owner> sent_to;  ///< by module, as the worker knew them
  template <class A>
  void fields(A& a) {
    a(task.path, task.outer_step, finite, sent_to);
  }
};

/// Worker or evaluator to coordinator: which documents has this path in this phase?
struct FetchShard {
  std::int32_t phase = 0;
  PathId path{};
  template <class A>
  void fields(A& a) {
    a(phase, path);
  }
};

/// The answer: places in the token file.
struct ShardDocuments {
  std::int32_t phase = 0;
  PathId path{};
  std::vector<DocumentId> train;
  std::vector<DocumentId> holdout;
  std::vector<DocumentId> validation;
  template <class A>
  void fields(A& a) {
    a(phase, path, train, holdout, validation);
  }
};

/// Coordinator to executors and stores: |D_i| of Eq. 2-3 from this phase on.
struct ShardSizes {
  std::int32_t phase = 0;
  std::vector<double> sizes;  ///< [P] tokens
  template <class A>
  void fields(A& a) {
    a(phase, sizes);
  }
};

}  // namespace dipaco
