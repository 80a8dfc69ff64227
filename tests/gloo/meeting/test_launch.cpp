#include <catch2/catch.hpp>
#include <map>

#include "backends/gloo/meeting/launch.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

using Catch::Contains;
using Variables = std::map<std::string, std::string>;

std::optional<Launch> launched(const Variables& variables) {
  return launch_of([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

Variables with(Variables variables, const std::string& name, const std::string& value) {
  variables[name] = value;
  return variables;
}

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

/// Names each of `words` and what to do.
void refuses(const Variables& variables, const std::vector<std::string>& words) {
  CHECK_THROWS_AS(launched(variables), ConfigError);
  for (const std::string& word : words) CHECK_THROWS_WITH(launched(variables), Contains(word));
  CHECK_THROWS_WITH(launched(variables), Contains("; ") && Contains("--role"));
}

const Variables kTorchrun{{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"MASTER_ADDR", "node-1"}, {"MASTER_PORT", "29500"}};
const Variables kSlurm{{"SLURM_PROCID", "2"},
                       {"SLURM_NTASKS", "4"},
                       {"SLURM_JOB_ID", "123456"},
                       {"SLURM_JOB_NODELIST", "node[01-04,7],gpu3"}};

}  // namespace

TEST_CASE("without a launcher nothing is said", "[gloo]") {
  CHECK_FALSE(launched({}));
  CHECK_FALSE(launched({{"PATH", "/bin"}, {"SLURM_CLUSTER_NAME", "ada"}, {"RANK", ""}}));
}

TEST_CASE("torchrun says rank, processes and where to meet", "[gloo]") {
  const auto launch = launched(kTorchrun);
  REQUIRE(launch);
  CHECK(launch->rank == 3);
  CHECK(launch->processes == 8);
  CHECK(launch->rendezvous == "tcp://node-1:29500");
  CHECK(launch->by == "torchrun (RANK=3, WORLD_SIZE=8)");
  CHECK(launch->site.empty());
  CHECK(launched(with(kTorchrun, "MASTER_ADDR", "fd00::2"))->rendezvous == "tcp://[fd00::2]:29500");
}

TEST_CASE("where torchrun's agent listens on MASTER_PORT itself, the coordinator takes the next port", "[gloo]") {
  const Variables agent = with(kTorchrun, "TORCHELASTIC_USE_AGENT_STORE", "True");
  CHECK(launched(agent)->rendezvous == "tcp://node-1:29501");
  CHECK(launched(with(agent, "MASTER_PORT", "65535"))->rendezvous == "tcp://node-1:65534");
  CHECK(launched(with(agent, "TORCHELASTIC_USE_AGENT_STORE", "False"))->rendezvous == "tcp://node-1:29500");
}

TEST_CASE("torchrun's variables that are half-set or make no sense are refused by name", "[gloo]") {
  for (const char* name : {"WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    refuses(without(kTorchrun, name), {"RANK=3 is set, but " + std::string(name) + " is not"});
    refuses({{name, "1"}}, {std::string(name) + "=1 is set, but RANK is not"});
  }
  refuses(with(kTorchrun, "RANK", "abc"), {"RANK=abc is no number from 0"});
  refuses(with(kTorchrun, "RANK", "-1"), {"RANK=-1 is no number from 0"});
  refuses(with(kTorchrun, "RANK", "8"), {"RANK=8 is not below WORLD_SIZE=8"});
  refuses(with(kTorchrun, "WORLD_SIZE", "0"), {"WORLD_SIZE=0 is no number from 1"});
  refuses(with(kTorchrun, "WORLD_SIZE", "4294967297"), {"WORLD_SIZE=4294967297 is no number"});
  refuses(with(kTorchrun, "MASTER_PORT", "70000"), {"MASTER_PORT=70000 is no number from 1 to 65535"});
}

TEST_CASE("a Slurm step says rank, processes, site and a first host to meet at", "[gloo]") {
  const auto launch = launched(with(kSlurm, "SLURM_CLUSTER_NAME", "ada"));
  REQUIRE(launch);
  CHECK(launch->rank == 2);
  CHECK(launch->processes == 4);
  CHECK(launch->rendezvous == "tcp://node01:23456");  // 20000 + 123456 mod 20000
  CHECK(launch->by == "Slurm (SLURM_PROCID=2, SLURM_NTASKS=4)");
  CHECK(launch->site == "ada");
  CHECK(launched(kSlurm)->site.empty());
  CHECK(launched(with(kSlurm, "SLURM_JOB_ID", "39999"))->rendezvous == "tcp://node01:39999");
  CHECK(launched(with(kSlurm, "SLURM_JOB_ID", "40000"))->rendezvous == "tcp://node01:20000");
  Variables step = with(kSlurm, "SLURM_STEP_NODELIST", "node[02-03]");
  step["SLURM_STEP_NUM_TASKS"] = "3";
  CHECK(launched(step)->rendezvous == "tcp://node02:23456");
  CHECK(launched(step)->processes == 3);
}

TEST_CASE("the first host of a Slurm node list is found in brackets too", "[gloo]") {
  CHECK(first_host("gpu3") == "gpu3");
  CHECK(first_host("gpu3,gpu4") == "gpu3");
  CHECK(first_host("node[01-04,7],gpu3") == "node01");
  CHECK(first_host("node[7,01-04]") == "node7");
  CHECK(first_host("node[9]") == "node9");
  CHECK(first_host("rack[1-2]node[003-004]-ib,x") == "rack1node003-ib");
  for (const char* wrong : {"", ",a", "node[", "node[]", "node[1-2", "node]", "a b", "node[-2]"}) {
    INFO(wrong);
    CHECK_THROWS_AS(first_host(wrong), ConfigError);
    CHECK_THROWS_WITH(first_host(wrong), Contains("--rendezvous tcp://HOST:PORT"));
  }
}

TEST_CASE("Slurm's variables that are half-set or make no sense are refused by name", "[gloo]") {
  for (const char* name : {"SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_JOB_NODELIST"}) {
    refuses(without(kSlurm, name), {"SLURM_PROCID=2 is set, but " + std::string(name) + " is not", "srun"});
  }
  refuses(without(kSlurm, "SLURM_PROCID"), {"SLURM_JOB_ID=123456 is set, but SLURM_PROCID is not", "srun"});
  refuses(with(kSlurm, "SLURM_PROCID", "4"), {"SLURM_PROCID=4 is not below SLURM_NTASKS=4"});
  refuses(with(kSlurm, "SLURM_PROCID", "x"), {"SLURM_PROCID=x is no number"});
  refuses(with(kSlurm, "SLURM_JOB_ID", "x"), {"SLURM_JOB_ID=x is no number"});
  CHECK_THROWS_WITH(launched(with(kSlurm, "SLURM_JOB_NODELIST", "node[")), Contains("SLURM_JOB_NODELIST: \"node[\""));
}

TEST_CASE("an indexed Kubernetes job says a rank, and how many there are where it was told", "[gloo]") {
  const Variables job{{"JOB_COMPLETION_INDEX", "1"}};
  const auto launch = launched(job);
  REQUIRE(launch);
  CHECK(launch->rank == 1);
  CHECK_FALSE(launch->processes);
  CHECK_FALSE(launch->rendezvous);
  CHECK(launch->by == "Kubernetes (JOB_COMPLETION_INDEX=1)");
  CHECK(launched(with(job, "DIPACO_PROCESSES", "2"))->processes == 2);
  refuses(with(job, "DIPACO_PROCESSES", "1"), {"JOB_COMPLETION_INDEX=1 is not below DIPACO_PROCESSES=1"});
  refuses(with(job, "DIPACO_PROCESSES", "many"), {"DIPACO_PROCESSES=many is no number"});
  refuses({{"JOB_COMPLETION_INDEX", "first"}}, {"JOB_COMPLETION_INDEX=first is no number"});
  refuses({{"DIPACO_PROCESSES", "2"}}, {"DIPACO_PROCESSES=2 is set, but JOB_COMPLETION_INDEX is not"});
}

TEST_CASE("torchrun inside a Slurm step goes before it, and a step before what its script has set for torch",
          "[gloo]") {
  Variables all = kTorchrun;
  all.insert(kSlurm.begin(), kSlurm.end());
  all["JOB_COMPLETION_INDEX"] = "5";
  CHECK(launched(all)->by == "torchrun (RANK=3, WORLD_SIZE=8)");
  CHECK(launched(without(all, "RANK"))->by == "Slurm (SLURM_PROCID=2, SLURM_NTASKS=4)");
  CHECK(launched(without(without(all, "RANK"), "SLURM_PROCID"))->by == "Kubernetes (JOB_COMPLETION_INDEX=5)");
}

}  // namespace dipaco
