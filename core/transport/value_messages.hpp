#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.hpp"
#include "core/outer/gradient_format.hpp"

namespace dipaco {

// Messages that carry parameters, and those that ask for them. See messages.hpp.

/// Floats that a message carries. `charged` is how many the wire pays for: it differs from data->size() where a study
/// charges another model than it learns, and data is null where there are none, as where nothing is learned.
struct Values {
  std::shared_ptr<const std::vector<float>> data;
  std::uint64_t charged = 0;
};

/// The values of an outer gradient as they travel. The wire pays for encoded_size(format, charged) bytes; `bytes` is
/// null, and `charged` another number than it holds, as with Values.
struct GradientValues {
  GradientFormat format = GradientFormat::fp32;
  std::shared_ptr<const std::vector<std::byte>> bytes{};
  std::uint64_t charged = 0;
};

/// A sum of weighted outer gradients as it travels, exact. The wire pays for kSumBytes * charged; `bytes` is null, and
/// `charged` another number than it holds, as with Values.
struct SumValues {
  std::shared_ptr<const std::vector<std::byte>> bytes{};
  std::uint64_t charged = 0;
};

/// A (path, outer step): the unit of work (§3). Its inputs have version `outer_step`, its result the one after.
struct TaskId {
  PathId path{};
  OuterStep outer_step{};
  friend bool operator==(const TaskId&, const TaskId&) = default;
  template <class A>
  void fields(A& a) {
    a(path, outer_step);
  }
};

/// One attempt at a task.
struct AttemptId {
  TaskId task;
  Epoch epoch = 0;
};

/// The version of a module that a task begins with, or that is evaluated.
struct BaseVersion {
  ModuleId module;
  Version version{};
  friend bool operator==(const BaseVersion&, const BaseVersion&) = default;
  template <class A>
  void fields(A& a) {
    a(module, version);
  }
};

/// Of the shared modules of a path, by level. Fixed when a task is first given out: two attempts make the same bits.
using Base = std::vector<BaseVersion>;

/// The version of a module in a base. @throws std::logic_error where the base lacks the module
Version version_in(const Base& base, ModuleId module);

/// Worker, evaluator or a site's cache to executor: I lack this version.
struct FetchModule {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;         ///< at which the executor owns the module, as far as the sender knows
  bool evaluates = false;  ///< no task waits for it
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, evaluates);
  }
};

/// Worker to the store of its site, where that is the site's cache: I lack this version. The store has it, or asks the
/// owner for it once, whoever else of the site lacks it.
struct FetchThroughCache {
  FetchModule wanted;
  NodeId owner{};
  template <class A>
  void fields(A& a) {
    wanted.fields(a);
    a(owner);
  }
};

/// Store to worker: the owner that I have asked for it was lost to me. It is to be asked for again.
struct FetchFailed {
  ModuleId module;
  Version version{};
  template <class A>
  void fields(A& a) {
    a(module, version);
  }
};

/// Executor, or a site's cache, to worker or evaluator; executor to a site's cache.
struct ModuleValues {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;  ///< of its ownership
  Values parameters;
  bool evaluates = false;  ///< as in the request. Only the sender's transport needs it: it is not sent
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, parameters);
  }
};

/// Worker or evaluator to store. The newest partial state of the task is meant where first_inner_step > 0.
struct FetchPathState {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;
  bool moments = true;  ///< an evaluator needs the parameters alone
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, moments);
  }
};

/// Path state `version`, one atomic value: path-specific modules (parameters and velocity) already stepped, shared
/// modules as they were after the inner steps, AdamW's moments. `inner_steps` > 0: in the middle of task `version`.
///
/// Where gradients are exchanged, [n] is [floats of path-specific modules], there are no moments, and `specific_before`
/// is in each state but the prepared start (docs/decisions/0020).
struct PathStateBody {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;
  std::int64_t inner_steps_total = 0;  ///< since the start of pretraining: the data cursor
  double loss_sum = 0;                 ///< of the mean losses of this task's inner steps so far, nats a token
  Values parameters{};                 ///< [n]
  Values first_moment{};               ///< [n]
  Values second_moment{};              ///< [n]
  Values velocity{};                   ///< [floats of path-specific modules]
  Values specific_before{};            ///< [the same]: path-specific parameters at the task's start; in its middle only
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, inner_steps_total, loss_sum, parameters, first_moment, second_moment, velocity,
      specific_before);
  }
};

/// The task that makes the state, or that it is in the middle of.
inline TaskId task_of(const PathStateBody& state) {
  return {state.path, OuterStep{state.inner_steps > 0 ? state.version : state.version - 1}};
}

/// Store to who fetched.
struct PathState {
  PathStateBody state;
  template <class A>
  void fields(A& a) {
    state.fields(a);
  }
};

/// Worker to store: keep this. It is the result of a task (state.version = outer_step + 1, inner_steps 0), or of a part
/// of it, handed back.
struct PutPathState {
  Epoch epoch = 0;
  NodeId worker{};  ///< whose attempt it was
  PathStateBody state;
  template <class A>
  void fields(A& a) {
    a(epoch, worker);
    state.fields(a);
  }
};

/// Store to worker: the put is durable, or refused.
struct Stored {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;
  Epoch epoch = 0;  ///< of the attempt
  bool accepted = false;
  NodeId store{};
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, epoch, accepted, store);
  }
};

/// What the sender of an outer gradient expects of the version after it.
enum class Awaits : std::uint8_t {
  nothing_unasked,  ///< it asks for it
  push,             ///< its owner sends it, unasked
  no_version,       ///< it has given its path's last outer gradient, where no outer step says so
};

/// Worker to executor: a contribution to one module, before - after of a committed task (Alg. 1 line 13).
struct OuterGradient {
  ModuleId module;
  TaskId task;
  Version base{};                ///< of the module, that the task began with
  std::int32_t inner_steps = 0;  ///< of the task
  GradientValues difference;
  Epoch epoch = 0;  ///< of the owner that it goes to
  Awaits awaits = Awaits::push;
  template <class A>
  void fields(A& a) {
    a(module, task.path, task.outer_step, base, inner_steps, epoch, awaits, difference);
  }
};

/// Worker to the store of its site, and store to executor: an outer gradient for this owner, on its way through the
/// site's store.
struct RelayedGradient {
  OuterGradient gradient;
  NodeId owner{};
  std::uint64_t number = 0;  ///< by which the store knows the executor's answer
  template <class A>
  void fields(A& a) {
    gradient.fields(a);
    a(owner, number);
  }
};

/// What a sum has of a task.
struct SummedTask {
  TaskId task;
  std::int32_t inner_steps = 0;
  friend bool operator==(const SummedTask&, const SummedTask&) = default;
  template <class A>
  void fields(A& a) {
    a(task.path, task.outer_step, inner_steps);
  }
};

/// Store to executor: several contributions to one version of a module, each times its share, added. The executor adds
/// all or none.
struct GradientSum {
  ModuleId module;
  Version base{};  ///< of the module, that each of the tasks began with
  Epoch epoch = 0;
  std::vector<SummedTask> tasks;
  SumValues sum;
  std::uint64_t number = 0;
  template <class A>
  void fields(A& a) {
    a(module, base, epoch, tasks, number, sum);
  }
};

/// Executor to store: what you sent under this number is in hand, or of no use.
struct GradientTaken {
  std::uint64_t number = 0;
  bool waits = false;  ///< neither: I do not know yet whether the module is mine, and say so later. Send on meanwhile
  std::vector<TaskId> lacking;  ///< but for these of a sum, which could not be added: they are to come singly
  template <class A>
  void fields(A& a) {
    a(number, waits, lacking);
  }
};

/// Executor to store: an outer gradient was lost; give me the module as it was after the inner steps.
struct FetchPathModule {
  ModuleId module;
  PathId path{};
  std::int32_t version = 0;
  template <class A>
  void fields(A& a) {
    a(module, path, version);
  }
};

/// Store to executor.
struct PathModule {
  ModuleId module;
  PathId path{};
  std::int32_t version = 0;
  Values parameters;
  template <class A>
  void fields(A& a) {
    a(module, path, version, parameters);
  }
};

}  // namespace dipaco
