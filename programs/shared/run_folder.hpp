#pragma once

#include <filesystem>
#include <string>

#include "core/base/descriptor.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {

/// How a run was begun, as far as its run file does not say it: kept in DIR/state/run until the run has finished.
struct RunMark {
  std::string backend;
  std::string name{};  ///< RunConfig::name
  bool learn = true;
  std::string scenario{};  ///< of a simulation: hash of the scenario's bytes
  std::string cfg{};       ///< of a simulation: what --cfg said, one a line
  std::string files{};     ///< of a simulation: hash and name of each file that scenario and run file name, one a line
};

/// The folder of a run's outputs (--out, --resume), this process's alone as long as the object lives: others are kept
/// off by a lock on DIR/lock, which the system takes back from a process that dies. DIR/state is what the run needs to
/// go on, and goes with the run's end.
class RunFolder {
 public:
  enum class Use { begin, resume };

  /// @throws ConfigError where another process has the folder; to begin: where it holds a run that has not finished;
  ///         to resume: where it is no folder of a run, or one that cannot be resumed. DataError where it cannot be
  ///         read or written
  RunFolder(std::filesystem::path folder, Use use);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path state() const { return path_ / "state"; }
  /// Of the run that is resumed: whether nothing is left to do.
  bool finished() const { return finished_; }
  /// Of the run that is resumed and has not finished.
  const RunMark& mark() const { return mark_; }

  /// From now on the run can be resumed. What an earlier one left of its state goes.
  void note_begin(const RunMark& mark);
  /// The outputs are there: the state goes.
  void note_end();

 private:
  void lock();
  void read_mark();

  std::filesystem::path path_;
  Descriptor lock_;
  RunMark mark_;
  bool finished_ = false;
};

/// What to print where the run that is resumed has finished: its summary, and a note on stderr.
void show_finished(const RunFolder& folder, const SharedOptions& shared);

/// The configuration to go on with: the folder's run.cfg or, where the command line names another run file, that one,
/// with --set and --seed. `shared.learn` becomes what it was.
/// @param exact  no key may differ; else only those may that change no parameters
/// @throws ConfigError that shows each key that differs
RunConfig resume_config(const RunFolder& folder, SharedOptions& shared, bool exact);

}  // namespace dipaco
