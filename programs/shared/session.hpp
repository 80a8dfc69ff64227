#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "core/faults/fault_plan.hpp"
#include "core/prepare/prepared.hpp"
#include "core/report/report.hpp"
#include "core/roles/roles.hpp"
#include "core/trainer/trainer.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/shared_options.hpp"
#include "programs/shared/stop_signal.hpp"

namespace dipaco {

// What every program that runs a run file does around its backend.

/// Preparation's progress as a stage of `progress`; ends the program by Interrupted once a signal asks for it: what is
/// whole stays in the cache.
std::function<void(const PrepareProgress&)> show_preparation(Progress& progress, const StopSignal& stop);

/// Says on stderr, whatever --progress is, that a changed key makes the dense start be trained again, before it is.
void note_new_start(const RunConfig& config, const PrepareOptions& options);

/// The run's progress as a stage of `progress`. @param clock  "simulated" or "elapsed"
std::function<void(const RunProgress&)> show_run(Progress& progress, const char* clock);
/// For CoordinatorOptions::note: a line of its own on stderr.
std::function<void(const std::string&)> show_notes(Progress& progress);

/// Puts the resolved run file into the run's folder as run.cfg: it gives the same run again, and a folder that cannot
/// be written shows before anything was computed. Summary and modules of an earlier run go. @throws DataError
void open_output(const RunConfig& config, const std::filesystem::path& folder);

/// What computes: the run file's model on the device that the options name.
TrainerOptions trainer_options(const RunConfig& config, const PathLayout& layout, const SharedOptions& shared);

/// The plan of a run: its trainer loaded and its data prepared where `shared.learn`, costs alone otherwise.
/// @param rank_threads  LearnerThreads::ranks: 1 where a program works on several paths at once
RunPlan plan_run(const RunConfig& config, const SharedOptions& shared, Progress& progress, const StopSignal& stop,
                 const std::function<void(const PrepareProgress&)>& tell = {}, int rank_threads = 1);

/// Of a run that has ended before it was finished: its configuration, and why, after `lasted` on its clock.
void add_unfinished(RunFacts& facts, const RunPlan& plan, const RunError& why, Seconds lasted);
/// Puts what the plan and the result say into `facts`: sizes, perplexities, hashes, seed, version, bitwise.
void add_result(RunFacts& facts, const RunPlan& plan, const RunResult& result);

/// Writes the reports, and prints the summary as --format says.
void leave_reports(const RunFacts& facts, const std::vector<Event>& events, const SharedOptions& shared,
                   const std::filesystem::path& out);
/// wall_s and peak_rss_bytes: what the program itself cost so far.
void add_program_cost(RunFacts& facts, std::chrono::steady_clock::time_point start);

/// The tokenizer, the start, the router and the shards beside the modules in the run's model/ folder. Nothing where
/// nothing was learned.
void copy_model_files(const RunPlan& plan, const std::filesystem::path& folder);

/// Says on stderr which faults of the run file did not strike: whoever reads that a run has survived them must know.
void note_never_struck(const FaultPlan& faults);

}  // namespace dipaco
