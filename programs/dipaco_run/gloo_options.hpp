#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/sealing/secret.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "backends/gloo/meeting/launch.hpp"
#include "backends/gloo/meeting/rendezvous.hpp"
#include "backends/gloo/run.hpp"
#include "core/base/units.hpp"
#include "core/preflight/site_lines.hpp"
#include "programs/shared/command_line.hpp"

namespace dipaco {

/// The options of `dipaco-run --backend gloo` that no other program has.
std::vector<ProgramOption> gloo_options();

/// Their values, with what the environment says where they leave it open.
struct GlooArguments {
  std::vector<Role> roles;
  std::string rendezvous;
  RoleCounts expected;
  std::string site;
  std::string address;     ///< where this process listens
  PortRange ports;         ///< on which of them
  std::string reached_at;  ///< by others; "": where it listens
  Endpoint coordinator;    ///< where that listens, if it is here
  std::uint32_t streams = 1;
  std::optional<Secret> secret;
  bool insecure = false;  ///< without one, also where others could connect
  std::optional<Endpoint> metrics;
  std::optional<SiteLines> lines;         ///< between sites
  std::optional<Seconds> step_time;       ///< of an inner step, where nothing is learned
  std::optional<std::int32_t> processes;  ///< in all, where who started this process says it
  std::string launched;                   ///< who started this process, as it says itself; "": nobody asked

  bool has(Role role) const;
};

/// @param environment  asked with --role auto
/// @throws ConfigError where one does not fit, or messages would go in the open over a network
GlooArguments read_gloo(const Arguments& arguments, const Lookup& environment);

/// What a run and a preflight have in common: who this process is, and how it reaches the others.
/// @param rendezvous  must outlive the options
GlooOptions links_of(const GlooArguments& gloo, Rendezvous& rendezvous, std::function<void(const std::string&)> note);

}  // namespace dipaco
