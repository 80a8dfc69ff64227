#include "programs/dipaco_run/gloo_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "backends/gloo/meeting/local_address.hpp"
#include "backends/gloo/meeting/rendezvous_url.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "programs/dipaco_run/process.hpp"

namespace dipaco {
namespace {

constexpr std::array kRoles{Role::coordinator, Role::worker, Role::executor, Role::store, Role::evaluator};
constexpr std::int64_t kMostStreams = 64;
/// No packet goes there: an address of the range that is kept free for examples, which the default route leads to.
constexpr const char* kFarAway = "192.0.2.1";

std::vector<std::string> role_choices() {
  std::vector<std::string> choices{"auto"};
  for (const Role role : kRoles) choices.emplace_back(name(role));
  return choices;
}

/// "executors=2,stores=2".
RoleCounts read_expected(const std::string& text) {
  RoleCounts counts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string what = part.substr(0, equals);
    std::int32_t* const count = what == "executors"    ? &counts.executors
                                : what == "stores"     ? &counts.stores
                                : what == "evaluators" ? &counts.evaluators
                                : what == "workers"    ? &counts.workers
                                                       : nullptr;
    const char* const last = part.data() + part.size();
    std::int32_t value = -1;
    if (count != nullptr && equals < part.size()) std::from_chars(part.data() + equals + 1, last, value);
    if (value < (what == "evaluators" || what == "workers" ? 0 : 1) || part != what + "=" + std::to_string(value)) {
      throw ConfigError("--expect " + text + ": \"" + part +
                        "\" is none of executors=N, stores=N (from 1), evaluators=N and workers=N");
    }
    *count = value;
    at = end + 1;
  }
  return counts;
}

/// "HOST:PORT", as a rendezvous has it.
Endpoint read_endpoint(const std::string& option, const std::string& text) {
  try {
    return parse_rendezvous("tcp://" + text).server;
  } catch (const ConfigError&) {
    throw ConfigError(option + " " + text + ": no HOST:PORT, such as 127.0.0.1:9400");
  }
}

/// "LOW-HIGH", or one port.
PortRange read_ports(const std::string& text) {
  constexpr std::int64_t kLast = std::numeric_limits<std::uint16_t>::max();
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == text.size() ? first : parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last < *first || *last > kLast) {
    throw ConfigError("--listen-ports " + text + ": no LOW-HIGH from 1 to " + std::to_string(kLast) +
                      ", such as 29500-29599");
  }
  return {static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

/// Where the others reach this process: by the interface that leads to the rendezvous, unless one is named.
std::string own_address(const Arguments& arguments, const RendezvousUrl& url, bool may_leave_machine) {
  if (arguments.given("interface")) return address_of_interface(arguments.text("interface"));
  if (url.kind == RendezvousUrl::Kind::file) return may_leave_machine ? address_towards(kFarAway) : "127.0.0.1";
  const bool not_said = loops_back_here(url.server.host) || is_wildcard(url.server.host);
  if (!may_leave_machine || !not_said) return address_towards(url.server.host);
  try {
    return address_towards(kFarAway);
  } catch (const ConfigError&) {
    return address_towards(url.server.host);  // a machine without a network
  }
}

/// Adds where this process listens, and where the coordinator does, if it is here. Where others know this machine by an
/// address that HOST does not say here, it listens on all: HOST may be a name that leads to 127.0.1.1 on its own
/// machine, one of an address that NAT changes, or not known yet.
void add_addresses(GlooArguments& gloo, const Arguments& arguments, bool may_leave_machine) {
  const RendezvousUrl url = parse_rendezvous(gloo.rendezvous);
  gloo.address = own_address(arguments, url, may_leave_machine);
  gloo.coordinator = {gloo.address, 0};
  if (url.kind != RendezvousUrl::Kind::tcp) return;
  const bool elsewhere =
      arguments.given("interface") ? !is_this_machine(url.server.host) : loops_back_here(url.server.host);
  const std::string all = gloo.address.find(':') == std::string::npos ? "0.0.0.0" : "::";
  gloo.coordinator = {elsewhere && !is_loopback(gloo.address) ? all : url.server.host, url.server.port};
}

void add_roles(GlooArguments& gloo, const Arguments& arguments, const Lookup& environment) {
  const auto named = arguments.all("role");
  for (const Role role : kRoles) {
    if (std::ranges::find(named, name(role)) != named.end()) gloo.roles.push_back(role);
  }
  if (gloo.roles.size() != named.size() && named != std::vector<std::string>{"auto"}) {
    throw ConfigError("--role: a role is named twice, or auto beside others; name each once, or auto alone");
  }
  if (!gloo.roles.empty()) return;
  if (named.empty()) throw ConfigError("no role; add --role with one of the roles, or --role auto");
  const auto launch = launch_of(environment);
  if (!launch) {
    throw ConfigError(
        "--role auto: nothing in the environment says who started this process (torchrun, Slurm, an indexed "
        "Kubernetes job); name its roles");
  }
  gloo.roles = roles_of(launch->rank, launch->processes, gloo.expected);
  gloo.launched = launch->by;
  gloo.processes = launch->processes;
  if (gloo.rendezvous.empty()) gloo.rendezvous = launch->rendezvous.value_or("");
  if (gloo.site.empty()) gloo.site = launch->site;
}

/// What an inner step takes where nothing is learned: nothing else says it. A preflight only passes it on.
std::optional<Seconds> read_step_time(const Arguments& arguments) {
  const bool passes = !arguments.knows("learn");
  const bool learn = !passes && arguments.text("learn") != "off";
  if (passes && !arguments.given("step-time")) return std::nullopt;
  if (learn && arguments.given("step-time")) {
    throw ConfigError("--step-time is what a step takes where nothing is learned; add --learn off, or leave it out");
  }
  if (learn) return std::nullopt;
  const std::string text = arguments.text("step-time");
  const auto time = parse_seconds(text);
  if (!time || *time <= Seconds(0)) {
    throw ConfigError(std::string(passes ? "" : "--learn off needs ") +
                      "--step-time with a time above 0 and its unit, such as 50ms; it is \"" + text + "\"");
  }
  return time;
}

/// Wherever others could connect, a node of another machine could take part. A rendezvous is refused whatever the role
/// is: it is the same for all processes.
void refuse_open_network(const GlooArguments& gloo) {
  if (gloo.secret || gloo.insecure) return;
  const bool here = is_loopback(gloo.address);
  if (here && stays_here(gloo.coordinator.host)) return;
  const std::string& where = here ? gloo.coordinator.host : gloo.address;
  throw ConfigError("without a secret whoever reaches " + where +
                    (is_wildcard(where) ? " (all addresses of this machine)" : "") +
                    " could take part in the run; give all processes the same --secret-file, or --insecure in a "
                    "network that you trust, or, where all are on this machine, --rendezvous tcp://127.0.0.1:PORT");
}

}  // namespace

std::vector<ProgramOption> gloo_options() {
  return {{.name = "role",
           .help = "of this process; may be given several times",
           .choices = role_choices(),
           .repeatable = true},
          {.name = "rendezvous", .value = "URL", .help = "tcp://HOST:PORT, file:///DIR or redis://HOST:PORT"},
          {.name = "expect", .value = "LIST", .help = "begin with executors=N,stores=N,workers=N... [1,1,0]"},
          {.name = "site", .value = "NAME", .help = "where this process is [site]"},
          {.name = "interface", .value = "IF", .help = "to listen on [the one to the rendezvous]"},
          {.name = "listen-ports", .value = "LOW-HIGH", .help = "listen on one of these [any]"},
          {.name = "reached-at", .value = "HOST", .help = "by the others, where NAT gives it another address"},
          {.name = "lines", .value = "FILE", .help = "between sites, as preflight --format json prints"},
          {.name = "streams", .value = "N", .help = "connections of a link for large messages, each way [1]"},
          {.name = "secret-file", .value = "FILE", .help = "who has it may take part; encrypts"},
          {.name = "step-time", .value = "TIME", .help = "of an inner step with --learn off, such as 50ms"},
          {.name = "metrics", .value = "HOST:PORT", .help = "serve a status page and Prometheus metrics"},
          {.name = "insecure", .help = "no secret, although others reach this network"}};
}

bool GlooArguments::has(Role role) const { return std::ranges::find(roles, role) != roles.end(); }

GlooArguments read_gloo(const Arguments& arguments, const Lookup& environment) {
  GlooArguments gloo;
  gloo.rendezvous = arguments.text("rendezvous");
  gloo.site = arguments.text("site");
  gloo.expected = read_expected(arguments.text("expect"));
  gloo.streams = static_cast<std::uint32_t>(arguments.integer("streams", 1, kMostStreams).value_or(1));
  gloo.insecure = arguments.given("insecure");
  if (arguments.given("secret-file")) {
    if (gloo.insecure)
      throw ConfigError("--insecure says that there is no secret, --secret-file names one; give one of them");
    gloo.secret = Secret::from_file(arguments.text("secret-file"));
  }
  gloo.step_time = read_step_time(arguments);
  if (arguments.knows("lines") && arguments.given("lines")) gloo.lines = read_site_lines(arguments.text("lines"));
  gloo.reached_at = arguments.text("reached-at");
  if (arguments.given("listen-ports")) gloo.ports = read_ports(arguments.text("listen-ports"));
  if (arguments.knows("metrics") && arguments.given("metrics")) {
    gloo.metrics = read_endpoint("--metrics", arguments.text("metrics"));
  }
  add_roles(gloo, arguments, environment);
  if (gloo.rendezvous.empty()) {
    throw ConfigError("no rendezvous; all processes need the same --rendezvous, such as tcp://HOST:29400");
  }
  if (gloo.site.empty()) gloo.site = "site";
  add_addresses(gloo, arguments, gloo.secret.has_value() || gloo.insecure);
  refuse_open_network(gloo);
  return gloo;
}

GlooOptions links_of(const GlooArguments& gloo, Rendezvous& rendezvous, std::function<void(const std::string&)> note) {
  return {.roles = gloo.roles,
          .site = gloo.site,
          .machine = machine_name(),
          .secret = gloo.secret,
          .insecure = gloo.insecure,
          .address = gloo.address,
          .ports = gloo.ports,
          .reached_at = gloo.reached_at,
          .coordinator = gloo.coordinator,
          .streams = gloo.streams,
          .step_time = gloo.step_time,
          .version = project_version(),
          .publish = [&rendezvous](const Endpoint& where) { rendezvous.publish(where); },
          .find = [&rendezvous] { return rendezvous.find(); },
          .note = std::move(note)};
}

}  // namespace dipaco
