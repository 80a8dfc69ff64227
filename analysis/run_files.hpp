#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dipaco::analysis {

// The files of one run's folder, as docs/reading-the-output.md describes them: of each row what the report uses.

struct WorkerRow {
  std::int64_t worker = 0;
  std::string site;
  double up = 0;
  double compute = 0;
  double lost = 0;
  double evaluate = 0;
  double transfer = 0;
  double wait = 0;
};

struct OuterStepRow {
  std::int64_t outer_step = 0;
  std::optional<double> begin;
  std::optional<double> end;
  std::optional<double> duration;
  std::int64_t tasks_requeued = 0;
  double inner_steps_s = 0;
  std::optional<double> loss;
  std::optional<std::int64_t> last_path;
  std::optional<std::int64_t> last_worker;
};

struct LinkRow {
  std::string kind;  ///< "sites" or "link"
  std::string link;
  std::string from_site;
  std::string to_site;
  double bytes = 0;
  std::optional<double> bandwidth;
  std::optional<double> mean_use;
  std::optional<double> peak_use;
  std::optional<double> line_rate;     ///< bytes a second that a large message got; as the next two, where known
  std::optional<double> line_spread;   ///< deviation of its logarithm
  std::optional<double> line_message;  ///< seconds that one took
};

/// What crossed a link within a stretch of the run.
struct LinkStretchRow {
  std::string link;
  double begin = 0;
  double end = 0;
  double use = 0;  ///< share of its bandwidth
};

struct StretchRow {
  double begin = 0;
  double end = 0;
  std::string stage;
  std::string site;  ///< "": of no node
  std::string way;   ///< "a to b": the sites between which the message went that came last; "": none, or at one site
};

struct ModuleStepRow {
  std::string site;  ///< of the worker whose task was committed last
  std::string host;
  double behind = 0;
  std::string stage;
  std::string way;  ///< as StretchRow has it
};

/// Of a run that says what bytes between sites cost.
struct EgressRow {
  std::string from_site;
  double usd = 0;
};

/// Of a run that says what machines cost or draw.
struct MachineRow {
  std::string machine;
  std::string site;
  double billed = 0;
  double busy = 0;
  std::optional<double> usd;
  std::optional<double> kwh;
  std::optional<double> energy_usd;
};

struct TaskRow {
  std::int64_t outer_step = 0;
  std::int64_t worker = 0;
  std::optional<double> queued;
  std::optional<double> assigned;
  std::optional<double> started;
  std::optional<double> computed;
  std::optional<double> ended;
  std::string end;
  std::int64_t inner_steps = 0;  ///< computed; estimated where `computed` is not there
  std::int64_t useful_inner_steps = 0;
};

/// One run.
struct Run {
  std::string folder;      ///< as it was given
  nlohmann::json summary;  ///< a flat object
  std::vector<WorkerRow> workers;
  std::vector<OuterStepRow> outer_steps;
  std::vector<LinkRow> links;
  std::vector<LinkStretchRow> links_over_time;  ///< the busiest link first; empty of a real run, or an older one
  std::vector<EgressRow> egress;
  std::vector<MachineRow> machines;
  std::vector<TaskRow> tasks;
  std::vector<StretchRow> critical_path;    ///< empty where the run has none, or is an older one
  std::vector<ModuleStepRow> module_steps;  ///< the same

  /// A number of the summary; nullopt where it is absent. @throws DataError where it is no number.
  std::optional<double> number(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  /// Seconds, simulated or elapsed.
  std::optional<double> duration() const;
};

/// A file that holds a JSON object. @throws DataError naming file and line: it is missing, broken, or something else
nlohmann::json read_json_object(const std::filesystem::path& file);

/// Reads a folder. @throws DataError naming file and line: a missing file or column, an empty or wrong cell, broken
/// JSON.
Run read_run(const std::filesystem::path& folder);

}  // namespace dipaco::analysis
