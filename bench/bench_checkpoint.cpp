// What checkpointing costs a run: the seconds in which its nodes encode, hash, write aside, sync and rename path states
// and modules, append to the journal and read it all again, over the run's wall time. All roles on loopback with their
// files on disk, at the sizes of scenarios/runs/wan_4dc.cfg, with the LibTorch trainer. Exit status 1 above the bound.
//
// bench_checkpoint [FOLDER]     where the nodes' files go for the time of the run: a disk, not memory [.]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <thread>

#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/compute/loopback.hpp"
#include "core/runtime/roles.hpp"
#include "core/storage/directory_storage.hpp"
#include "core/trainer/trainer.hpp"
#include "core/transport/loopback.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

constexpr double kBound = 0.03;
constexpr std::int64_t kOuterSteps = 3;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Adds the seconds until its end to a sum.
class Timer {
 public:
  explicit Timer(double& sum) : sum_(sum), start_(now()) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { sum_ += now() - start_; }

 private:
  double& sum_;
  double start_;
};

/// Seconds of one node; bytes that it wrote.
struct Costs {
  double compute = 0;
  double encode = 0;
  double write = 0;
  double read = 0;
  double bytes = 0;
  double syncs = 0;

  void operator+=(const Costs& other) {
    compute += other.compute;
    encode += other.encode;
    write += other.write;
    read += other.read;
    bytes += other.bytes;
    syncs += other.syncs;
  }
};

/// A node's storage, timed. What encoding a value took is found by doing it again, copies of its arrays included.
class TimedStorage : public Storage {
 public:
  TimedStorage(const std::filesystem::path& folder, Costs& costs) : inner_(folder), costs_(costs) {}

  bool put_if_absent(const std::string& key, std::span<const std::byte> value) override {
    count(key, value);
    const Timer timer(costs_.write);
    return inner_.put_if_absent(key, value);
  }
  void put(const std::string& key, std::span<const std::byte> value) override {
    count(key, value);
    const Timer timer(costs_.write);
    inner_.put(key, value);
  }
  std::optional<std::vector<std::byte>> get(const std::string& key) const override {
    std::optional<std::vector<std::byte>> value;
    {
      const Timer timer(costs_.read);
      value = inner_.get(key);
    }
    if (!value || !is_checkpoint(key)) return value;
    const Timer timer(costs_.read);
    static_cast<void>(decode_checkpoint(*value, key));
    return value;
  }
  std::vector<std::string> list(const std::string& prefix) const override {
    const Timer timer(costs_.read);
    return inner_.list(prefix);
  }
  void remove(const std::string& key) override {
    const Timer timer(costs_.write);
    inner_.remove(key);
  }
  void append(const std::string& log, std::span<const std::byte> record) override {
    count(log, record);
    const Timer timer(costs_.write);
    inner_.append(log, record);
  }

 private:
  static bool is_checkpoint(const std::string& key) { return key.starts_with("paths/") || key.starts_with("modules/"); }

  void count(const std::string& key, std::span<const std::byte> value) {
    costs_.bytes += static_cast<double>(value.size());
    ++costs_.syncs;
    if (!is_checkpoint(key)) return;
    const Checkpoint checkpoint = decode_checkpoint(value, key);
    const Timer timer(costs_.encode);
    const Checkpoint copy = checkpoint;
    static_cast<void>(encode(copy));
  }

  DirectoryStorage inner_;
  Costs& costs_;
};

class TimedCompute : public Compute {
 public:
  TimedCompute(const LoopbackNetwork& network, Costs& costs)
      : inner_([&network] { return network.now(); }), costs_(costs) {}
  Seconds now() const override { return inner_.now(); }
  bool leaving() const override { return false; }
  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work) override {
    const Timer timer(costs_.compute);
    return inner_.run(steps, cost_of_one, work);
  }

 private:
  LoopbackCompute inner_;
  Costs& costs_;
};

struct NoLog : EventLog {
  void record(const Event& /*nobody asks*/) override {}
};

/// A coordinator, a store, an executor, two workers; returns the costs of all of them.
Costs run_nodes(const RunPlan& plan, const std::filesystem::path& folder) {
  constexpr Role kRoles[] = {Role::coordinator, Role::store, Role::executor, Role::worker, Role::worker};
  LoopbackNetwork network(std::size(kRoles));
  std::deque<Costs> costs(std::size(kRoles));
  std::exception_ptr failure;
  const auto serve = [&](std::size_t node, Role role) {
    try {
      const auto transport = network.connect(NodeId{static_cast<std::int32_t>(node)});
      TimedCompute compute(network, costs[node]);
      std::string machine = "node-";
      machine += std::to_string(node);
      TimedStorage storage(folder / machine, costs[node]);
      NoLog log;
      const Seams seams{*transport, compute, storage, log};
      if (role == Role::coordinator) {
        run_coordinator(plan, seams, {.executors = 1, .stores = 1});
      } else {
        run_role(plan, seams, {.role = role, .site = SiteId{0}, .speed = {}, .machine = machine});
      }
    } catch (const NodeKilled&) {
      // The run is over for all.
    } catch (...) {
      failure = std::current_exception();
      network.kill_all();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t node = 0; node < std::size(kRoles); ++node) threads.emplace_back(serve, node, kRoles[node]);
  }
  if (failure) std::rethrow_exception(failure);
  Costs all;
  for (const Costs& one : costs) all += one;
  return all;
}

int run(const std::filesystem::path& disk) {
  MadeUpRun made("2x4", "blocks:0,3;embedding");
  made.config.model = {.blocks = 4, .hidden = 96, .heads = 3, .head_size = 32, .vocabulary = 2048, .sequence = 128};
  made.config.inner.steps = 12;
  made.config.inner.batch = 16;
  made.config.outer.steps = kOuterSteps;
  const Topology topology = make_topology(made.config.topology, made.config.model, made.folder());
  const PathLayout layout = make_layout(made.config.model, topology);
  made.trainer = load_trainer({made.config.model, made.config.inner, layout});
  const RunPlan plan = made.plan();
  const auto folder = disk / made.folder().filename();
  const double start = now();
  const Costs costs = run_nodes(plan, folder);
  const double wall = now() - start - costs.encode;  // encoded twice here: the second time is not the run's
  std::filesystem::remove_all(folder);
  const double safety = costs.encode + costs.write + costs.read;
  std::printf("%d paths of %zu floats, %lld outer steps of %lld inner steps: %.2f s, of two workers %.2f s in them\n",
              static_cast<int>(topology.paths()), layout.size, static_cast<long long>(kOuterSteps),
              static_cast<long long>(made.config.inner.steps), wall, costs.compute);
  std::printf("%.0f MB in %.0f writes: encode %.3f s, write and sync %.3f s, read %.3f s\n", costs.bytes / 1e6,
              costs.syncs, costs.encode, costs.write, costs.read);
  std::printf("checkpointing: %.2f %% of the run's wall time (bound %.0f %%)\n", 100 * safety / wall, 100 * kBound);
  return safety / wall <= kBound ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    return dipaco::run(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_checkpoint: %s\n", error.what());
    return 2;
  }
}
