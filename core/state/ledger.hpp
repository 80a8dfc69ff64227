#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/eval/score.hpp"
#include "core/plan/plan.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

// What the coordinator must not forget, as records of its journal (docs/file-formats.md). What other nodes say again in
// their Hello is not among them: who has which path state, which version of a module lies where.

/// The first record.
struct RunRecord {
  std::string config_hash;
  std::string prepared_hash;
  template <class A>
  void fields(A& a) {
    a(config_hash, prepared_hash);
  }
};

/// A node that has said hello.
struct MemberRecord {
  NodeId node{};
  Role role{};
  template <class A>
  void fields(A& a) {
    a(node, role);
  }
};

/// This version of a module is out, and what has become of contributions since the record before.
struct ModuleRecord {
  ModuleId module;
  Version version{};
  std::vector<SettledPath> settled{};
  std::vector<Dropped> dropped{};
  template <class A>
  void fields(A& a) {
    a(module, version, settled, dropped);
  }
};

/// Where a path is: its newest state, and the newest attempt at its next task.
struct PathRecord {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;  ///< of the next task, handed back so far
  SiteId site{-1};
  Epoch state_epoch = 0;  ///< of the attempt that made that state
  double loss_sum = 0;    ///< of the newest committed task
  Epoch epoch = 0;        ///< of the attempt that runs; 0: no attempt yet
  Epoch last_epoch = 0;   ///< of all attempts at the next task
  NodeId worker{-1};
  std::vector<NodeId> to_stores;
  Base state_base{};  ///< that the newest committed task began with
  Base base{};        ///< that the next one does; empty before its first attempt
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, site, state_epoch, loss_sum, epoch, last_epoch, worker, to_stores, state_base, base);
  }
};

/// Documents of an evaluation that was closed without being made.
inline constexpr std::int64_t kGivenUp = -1;

/// All paths were evaluated at this version, or will not be any more.
struct ClosedRecord {
  std::int32_t version = 0;
  Purpose purpose{};
  double nats = 0;
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
  std::int64_t documents = 0;  ///< or kGivenUp
  template <class A>
  void fields(A& a) {
    a(version, purpose, nats, tokens, bytes, documents);
  }
};

/// How many versions lie between evaluations on the way: which were due, and so were kept, when the run was stopped.
struct EveryRecord {
  std::int32_t every = 0;  ///< evaluate.every; 0: none
  template <class A>
  void fields(A& a) {
    a(every);
  }
};

/// Attempts at a path's next task whose state its stores refused as not finite.
struct RefusedTaskRecord {
  PathId path{};
  OuterStep outer_step{};
  std::vector<Epoch> epochs;
  std::vector<NodeId> workers;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, epochs, workers);
  }
};

/// How many states of a worker were refused one after the other.
struct RefusalsRecord {
  NodeId worker{};
  std::int32_t incarnation = 0;
  std::int32_t in_a_row = 0;
  template <class A>
  void fields(A& a) {
    a(worker, incarnation, in_a_row);
  }
};

/// What a byte takes from site to site, as far as it is known: so a coordinator that begins anew moves no state that
/// its way makes late.
struct WayRecord {
  SiteId from{};
  SiteId to{};
  double seconds_a_byte = 0;
  template <class A>
  void fields(A& a) {
    a(from, to, seconds_a_byte);
  }
};

/// What an inner step takes a worker.
struct StepTimeRecord {
  NodeId worker{};
  std::int32_t incarnation = 0;  ///< the next one may be another machine
  double seconds = 0;
  template <class A>
  void fields(A& a) {
    a(worker, incarnation, seconds);
  }
};

/// The same where tasks differ in length.
struct MeasuredPathRecord {
  PathRecord place{};
  std::int32_t length = 0;        ///< of the next task, in inner steps; 0: it was not given out yet
  std::int32_t state_length = 0;  ///< of the newest committed task
  std::int64_t trained = 0;       ///< inner steps behind the newest state
  template <class A>
  void fields(A& a) {
    place.fields(a);
    a(length, state_length, trained);
  }
};

/// The last module's last version is out.
struct TrainedRecord {
  double duration_s = 0;
  template <class A>
  void fields(A& a) {
    a(duration_s);
  }
};

/// The run is over: what it came to.
struct FinishedRecord {
  std::string parameters_hash;   ///< "" where nothing is learned
  std::string mixed_arithmetic;  ///< see RunResult
  template <class A>
  void fields(A& a) {
    a(parameters_hash, mixed_arithmetic);
  }
};

/// Where a worker or an executor is, and how fast a worker is known to be: one at a task cannot say hello to a
/// coordinator that begins anew, and what was chosen by place outlasts who is away then.
struct PlaceRecord {
  NodeId node{};
  SiteId site{};
  double speed = 0;  ///< floating-point operations a second in training; 0: not known
  template <class A>
  void fields(A& a) {
    a(node, site, speed);
  }
};

/// The order is part of the format. Owner: a module's new one; Evaluated: one path's score.
using LedgerRecord = std::variant<RunRecord, MemberRecord, Owner, ModuleRecord, PathRecord, Evaluated, ClosedRecord,
                                  TrainedRecord, FinishedRecord, EveryRecord, RefusedTaskRecord, RefusalsRecord,
                                  WayRecord, StepTimeRecord, MeasuredPathRecord, PlaceRecord>;

std::vector<std::byte> encode(LedgerRecord record);
/// @throws DataError naming `source`
LedgerRecord decode_ledger_record(std::span<const std::byte> bytes, const std::string& source);

/// An evaluation of all paths.
using Due = std::pair<std::int32_t, Purpose>;  // version

/// Takes a path's evaluation for early stopping: the lowest loss, of equal ones the earlier, is the best (§2.7).
void note_best(std::map<PathId, Evaluated>& best, const Evaluated& evaluated);

/// A module as the coordinator knows it.
struct KnownModule {
  Version version{};                      ///< the newest that is out
  std::map<PathId, OuterStep> settled{};  ///< see SettledPath
  std::vector<Dropped> dropped{};         ///< contributions, in the order of the drops
};

/// What the records come to: the newest of each.
struct LedgerState {
  RunRecord run;
  std::map<NodeId, Role> members;
  std::map<ModuleId, Owner> owners;
  std::map<ModuleId, KnownModule> modules;
  std::map<PathId, PathRecord> paths;
  std::map<Due, std::map<PathId, Evaluated>> scores;  ///< of evaluations that are not closed
  std::map<PathId, Evaluated> best;                   ///< of each path on its hold-out
  std::map<PathId, Evaluated> results;
  std::map<Due, ClosedRecord> closed;
  std::optional<TrainedRecord> trained;
  std::optional<FinishedRecord> finished;
  std::optional<EveryRecord> every;
  std::map<PathId, RefusedTaskRecord> refused;       ///< of tasks that are not committed
  std::map<NodeId, RefusalsRecord> refusals;         ///< of workers with a row that has not ended
  std::map<std::pair<SiteId, SiteId>, double> ways;  ///< seconds a byte, from and to
  std::map<NodeId, StepTimeRecord> step_times;
  std::map<NodeId, PlaceRecord> places;
  std::map<PathId, MeasuredPathRecord> measured_paths;  ///< those of `paths`, where tasks differ in length

  bool begun() const { return !owners.empty() || !paths.empty(); }
  void apply(const LedgerRecord& record);
  void apply(const Evaluated& score);
  void apply(const ModuleRecord& module);
  void apply(const PathRecord& path);
  /// The fewest records that come to the same.
  std::vector<LedgerRecord> records() const;
};

/// Where the run is that the records tell of: outer steps that all paths have done; nullopt where none was begun.
std::optional<std::int32_t> begun_until(const LedgerState& state, const RunPlan& plan);

/// The coordinator's journal: what is noted is durable once flush() has returned, and before any message leaves that
/// follows from it. Rewritten now and then from what it comes to, so that it does not grow with the run.
class Ledger {
 public:
  /// Reads what an earlier incarnation left. A torn last record is dropped: nothing that followed from it has left.
  /// @throws DataError naming the byte where the journal is damaged; ConfigError where it is another run's
  Ledger(Storage& storage, const RunPlan& plan);

  const LedgerState& state() const { return state_; }
  /// Whether an earlier incarnation had begun the run.
  bool begun() const { return state_.begun(); }
  void note(LedgerRecord record);
  void flush();

 private:
  void rewrite();

  Storage& storage_;
  LedgerState state_;
  std::vector<std::byte> pending_;
  std::uint64_t size_ = 0;       ///< of the journal in storage
  std::uint64_t rewritten_ = 0;  ///< its size when it was last rewritten
};

}  // namespace dipaco
