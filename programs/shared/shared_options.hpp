#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/config/run_config.hpp"
#include "programs/shared/command_line.hpp"

namespace dipaco {

/// Options that several programs have, with one spelling, one meaning and one line of help each.
enum class Shared {
  run,
  set,
  out,
  seed,
  threads,
  format,
  progress,
  dump_config,
  learn,
  workers,
  backend,
  device,
  deterministic,
  events,
  resume
};

/// The options themselves, for ProgramInfo::options, in the order given.
std::vector<ProgramOption> shared_options(std::initializer_list<Shared> which);
/// The same behind a program's own.
std::vector<ProgramOption> with_shared(std::vector<ProgramOption> own, std::initializer_list<Shared> which);

enum class ProgressMode { automatic, on, off };

/// Their values; what a program does not list keeps the value here.
struct SharedOptions {
  std::filesystem::path run;          ///< --run; empty: not given
  std::vector<std::string> set;       ///< --set section.key=value, in order
  std::filesystem::path out;          ///< --out; empty: not given
  std::optional<std::uint64_t> seed;  ///< --seed: the same as --set run.seed=N
  int threads = 1;                    ///< --threads; where not given, the cores that this process may use
  bool json = false;                  ///< --format json
  ProgressMode progress = ProgressMode::automatic;
  bool dump_config = false;             ///< --dump-config
  bool learn = true;                    ///< --learn
  std::optional<std::int32_t> workers;  ///< --workers, at least 1
  std::string backend;                  ///< --backend: loopback or gloo; empty: not given
  std::string device = "cpu";           ///< --device: cpu, cuda or cuda:I
  bool deterministic = false;           ///< --deterministic
  bool events = false;                  ///< --events
  std::filesystem::path resume;         ///< --resume: an earlier run's folder; empty: not given
};

/// @throws ConfigError where a number is none or out of its range
SharedOptions read_shared(const Arguments& arguments);

/// The run file `run` (or shared.run where it was given) with --set and --seed applied, all checks made.
/// @throws ConfigError where no run file is named, or for anything wrong in it or in --set; DataError if unreadable.
RunConfig resolve_config(const SharedOptions& shared, const std::filesystem::path& run = {});

}  // namespace dipaco
