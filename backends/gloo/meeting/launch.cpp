#include "backends/gloo/meeting/launch.hpp"

#include <limits>
#include <utility>

#include "backends/gloo/meeting/endpoint.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLastPort = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kSlurmPorts = 20'000;

/// The variables of one launcher.
class Variables {
 public:
  /// @param remedy  where one of them is missing or wrong
  Variables(const Lookup& environment, std::string remedy) : environment_(environment), remedy_(std::move(remedy)) {}

  std::optional<std::string> find(const std::string& name) const {
    auto value = environment_(name);
    return value && !value->empty() ? value : std::nullopt;
  }
  bool has(const std::string& name) const { return find(name).has_value(); }

  /// @param because  a variable that is there
  std::string get(const std::string& name, const std::string& because) const {
    if (auto value = find(name)) return *value;
    throw ConfigError("--role auto: " + because + "=" + find(because).value_or("") + " is set, but " + name +
                      " is not; " + remedy_);
  }

  std::int64_t number(const std::string& name, const std::string& text, std::int64_t least, std::int64_t most) const {
    const auto number = parse_integer(text);
    if (number && *number >= least && *number <= most) return *number;
    wrong(name, text, "is no number from " + std::to_string(least) + " to " + std::to_string(most));
  }

  [[noreturn]] void wrong(const std::string& name, const std::string& value, const std::string& why) const {
    throw ConfigError("--role auto: " + name + "=" + value + " " + why + "; " + remedy_);
  }

  /// Rank and processes, and from whom: `launcher`.
  Launch launch(const std::string& launcher, const std::string& rank, const std::string& processes) const {
    const std::string own = get(rank, rank);
    const std::string all = get(processes, rank);
    Launch launch{.rank = static_cast<std::int32_t>(number(rank, own, 0, kLargest)),
                  .processes = static_cast<std::int32_t>(number(processes, all, 1, kLargest)),
                  .by = launcher + " (" + rank + "=" + own + ", " + processes + "=" + all + ")"};
    if (launch.rank >= *launch.processes) wrong(rank, own, "is not below " + processes + "=" + all);
    return launch;
  }

 private:
  const Lookup& environment_;
  std::string remedy_;
};

Launch torchrun(const Lookup& environment) {
  const Variables variables(environment,
                            "start it with torchrun, which sets all of RANK, WORLD_SIZE, MASTER_ADDR and "
                            "MASTER_PORT, or unset RANK, or name the roles by --role");
  Launch launch = variables.launch("torchrun", "RANK", "WORLD_SIZE");
  const std::string host = variables.get("MASTER_ADDR", "RANK");
  const std::string text = variables.get("MASTER_PORT", "RANK");
  auto port = variables.number("MASTER_PORT", text, 1, kLastPort);
  if (variables.find("TORCHELASTIC_USE_AGENT_STORE") == "True") port = port == kLastPort ? port - 1 : port + 1;
  launch.rendezvous = "tcp://" + host_and_port({host, static_cast<std::uint16_t>(port)});
  return launch;
}

Launch slurm(const Lookup& environment) {
  const Variables variables(environment, "start it with srun inside the job, or name the roles by --role");
  const bool step = variables.has("SLURM_STEP_NUM_TASKS");  // of a job that may have more
  Launch launch = variables.launch("Slurm", "SLURM_PROCID", step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS");
  const auto job = variables.number("SLURM_JOB_ID", variables.get("SLURM_JOB_ID", "SLURM_PROCID"), 0,
                                    std::numeric_limits<std::int64_t>::max());
  const std::string nodes = variables.has("SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST" : "SLURM_JOB_NODELIST";
  const std::string list = variables.get(nodes, "SLURM_PROCID");
  try {
    const auto port = static_cast<std::uint16_t>(kSlurmPorts + job % kSlurmPorts);
    launch.rendezvous = "tcp://" + host_and_port({first_host(list), port});
  } catch (const ConfigError& error) {
    throw ConfigError("--role auto: " + nodes + ": " + error.what());
  }
  launch.site = variables.find("SLURM_CLUSTER_NAME").value_or("");
  return launch;
}

Launch kubernetes(const Lookup& environment) {
  const Variables variables(environment,
                            "set DIPACO_PROCESSES to the job's completions, and parallelism too, or name "
                            "the roles by --role");
  if (variables.has("DIPACO_PROCESSES")) {
    return variables.launch("Kubernetes", "JOB_COMPLETION_INDEX", "DIPACO_PROCESSES");
  }
  const std::string index = variables.get("JOB_COMPLETION_INDEX", "JOB_COMPLETION_INDEX");
  return {.rank = static_cast<std::int32_t>(variables.number("JOB_COMPLETION_INDEX", index, 0, kLargest)),
          .by = "Kubernetes (JOB_COMPLETION_INDEX=" + index + ")"};
}

/// What is set of a launcher that says no rank.
void check_leftovers(const Lookup& environment) {
  const Variables torch(environment, "start it with torchrun, or unset it, or name the roles by --role");
  for (const char* name : {"WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    if (torch.has(name)) torch.get("RANK", name);
  }
  const Variables slurm(environment, "start it with srun inside the job, or name the roles by --role");
  if (slurm.has("SLURM_JOB_ID")) slurm.get("SLURM_PROCID", "SLURM_JOB_ID");
  const Variables kubernetes(environment,
                             "give the job completionMode: Indexed, or unset it, or name the roles by "
                             "--role");
  if (kubernetes.has("DIPACO_PROCESSES")) kubernetes.get("JOB_COMPLETION_INDEX", "DIPACO_PROCESSES");
}

}  // namespace

std::optional<Launch> launch_of(const Lookup& environment) {
  const Variables variables(environment, "");
  if (variables.has("RANK")) return torchrun(environment);
  if (variables.has("SLURM_PROCID")) return slurm(environment);
  if (variables.has("JOB_COMPLETION_INDEX")) return kubernetes(environment);
  check_leftovers(environment);
  return std::nullopt;
}

std::string first_host(std::string_view nodes) {
  std::string host;
  for (std::size_t k = 0; k < nodes.size() && nodes[k] != ','; ++k) {
    if (nodes[k] != '[') {
      host += nodes[k];
      continue;
    }
    const auto end = nodes.find(']', k);
    const std::string_view first = nodes.substr(k + 1, nodes.find_first_of("-,]", k) - k - 1);
    if (end == std::string_view::npos || first.empty()) {
      throw ConfigError("\"" + std::string(nodes) +
                        "\" is no node list: a bracket is empty or does not end; name the "
                        "coordinator's host by --rendezvous tcp://HOST:PORT");
    }
    host += first;
    k = end;
  }
  if (host.empty() || host.find_first_of("]/ \t") != std::string::npos) {
    throw ConfigError("\"" + std::string(nodes) +
                      "\" names no first host; name the coordinator's by --rendezvous "
                      "tcp://HOST:PORT");
  }
  return host;
}

}  // namespace dipaco
