#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/sealing/secret.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "core/preflight/site_lines.hpp"
#include "core/report/report.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

class StatusDesk;

/// What this process does in a run, and how it reaches the others.
struct GlooOptions {
  std::vector<Role> roles;           ///< of this process: a node each
  std::filesystem::path out;         ///< the run's folder: nodes keep their state in it, and leave the model there
  std::string site;                  ///< its name
  std::string machine;               ///< nodes of one machine are lost together
  std::optional<Secret> secret;      ///< of the run; none: messages go in the open
  bool insecure = false;             ///< without one, also where others could connect
  std::string address;               ///< where this process listens
  PortRange ports;                   ///< on which of them
  std::string reached_at;            ///< by others; "": where it listens
  Endpoint coordinator;              ///< where the coordinator listens, if it is one of these roles
  std::uint32_t streams = 1;         ///< connections of a link for large messages, each way
  std::optional<Seconds> step_time;  ///< where nothing is learned, of an inner step
  std::string version;               ///< of the program
  /// Says where the coordinator listens, once it does. On the calling thread.
  std::function<void(const Endpoint&)> publish;
  /// Where it is, as far as anybody knows now. On a thread that does not wait.
  std::function<std::optional<Endpoint>()> find;
  CoordinatorOptions expected{};                 ///< whom the coordinator waits for, and its progress
  std::optional<SiteLines> lines{};              ///< what it knows of lines between sites beforehand
  std::function<void(const std::string&)> note;  ///< a line for the log, from any thread
  /// Calls `serve` with a node's seams, or with others around them that make things go wrong. None: as they are.
  std::function<void(const Member& self, Seams seams, const std::function<void(Seams)>& serve)> around{};
  StatusDesk* status = nullptr;             ///< where this process tells how it is
  const std::atomic<bool>* stop = nullptr;  ///< ends this process's part once true
};

/// How this process's part of the run ended.
struct GlooRun {
  std::optional<RunResult> result;  ///< of the coordinator, if it was here
  Seconds ended{};                  ///< the same, on the run's clock
  std::vector<Event> events;        ///< the same: those of all nodes
  Traffic traffic;
  std::vector<NodeFacts> nodes;
  std::vector<std::string> sites;
  std::filesystem::path state;               ///< the coordinator's, which would tell all this again after a restart
  std::optional<std::int32_t> resumed_from;  ///< outer steps that all paths had done when it went on with the run
  bool stopped = false;                      ///< by `stop`, before the run's end
  bool awaited = false;  ///< stopped, and a role was here without which the run does not go on for long
};

/// Serves the roles until the run ends, or `stop` is true: workers and evaluators then hand back what they have in
/// hand, and the others end where they are.
/// @throws what a role threw first, but EndedEarly<GlooRun> where the coordinator is here and has given the run up;
///         RunError with the status that the coordinator's refusal is worth
GlooRun run_gloo(const RunPlan& plan, const GlooOptions& options);

/// What the run came to is kept: its coordinator's state goes, at once and as a whole.
void forget_run(const GlooRun& run);

}  // namespace dipaco
