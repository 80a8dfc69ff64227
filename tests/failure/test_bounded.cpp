// Long runs with faults on the way: neither memory nor disk grows with the number of outer steps.

#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <map>

#include "backends/loopback/run.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr std::int32_t kOuterSteps = 2000;
constexpr std::int32_t kEarly = 200;
constexpr std::int32_t kWindow = 100;   ///< outer steps, in which the journal is rewritten at least once
constexpr std::array kCounts{3, 2, 2};  ///< workers, executors, stores
constexpr std::array kRoles{Role::worker, Role::executor, Role::store};

void shape_long(RunConfig& config) {
  config.outer.steps = kOuterSteps;
  config.inner.steps = 2;
  config.evaluate.every = 10;
  config.run.replicas = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// One in every second outer step: a node of any role begins anew or stands still, for shorter or longer than it takes
/// to be missed.
FaultPlan draw_plan() {
  FaultPlan plan;
  const auto below = [](std::uint64_t bound, std::int32_t step, std::uint64_t what) {
    return draw_below(bound, 11, Draw::jitter, static_cast<std::uint64_t>(step), what);
  };
  for (std::int32_t step = 1; step < kOuterSteps; step += 2) {
    Fault fault{.kind = below(4, step, 0) == 0 ? FaultKind::freeze : FaultKind::restart, .target = {}};
    fault.outer_step = OuterStep{step};
    fault.lasting = Seconds(below(2, step, 1) == 0 ? 0.2 : 8);
    const std::uint64_t role = below(kRoles.size() + 1, step, 2);
    if (role == kRoles.size()) {
      fault.target = {Role::coordinator, 0};
    } else {
      const auto count = static_cast<std::uint64_t>(kCounts[role]);
      fault.target = {kRoles[role], static_cast<std::int32_t>(below(count, step, 3))};
    }
    plan.push_back(fault);
  }
  return plan;
}

/// Of this process, in bytes.
double resident() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double pages = 0;
  file >> size >> pages;
  return pages * 4096;
}

/// What was used in the outer steps up to kEarly and up to the end, on average: the most of a window is a file that is
/// just written beside the one it replaces.
class Gauge {
 public:
  /// @param disk  bytes that the run's nodes keep
  explicit Gauge(std::function<double()> disk) : disk_(std::move(disk)) {}

  void look(const RunProgress& progress) {
    if (progress.outer_step == last_) return;
    last_ = progress.outer_step;
    const auto note = [&](std::int64_t end, Use& use) {
      if (last_ < end - kWindow || last_ > end) return;
      use.memory += resident();
      use.disk += disk_();
      ++use.looks;
    };
    note(kEarly, early_);
    note(kOuterSteps, late_);
  }
  /// Late over early, memory and disk.
  std::string told(std::size_t faults) const {
    const auto disk = [](const Use& use) { return use.disk / use.looks; };
    const auto memory = [](const Use& use) { return use.memory / use.looks; };
    std::cout << "resident " << human(memory(early_)) << " by outer step " << kEarly << ", " << human(memory(late_))
              << " by the end; disk " << human(disk(early_)) << " and " << human(disk(late_)) << "; " << faults
              << " faults struck" << std::endl;  // a child ends without flushing
    return format_fixed(memory(late_) / memory(early_), 4) + " " + format_fixed(disk(late_) / disk(early_), 4);
  }

 private:
  struct Use {
    double memory = 0;  ///< the sums, in bytes
    double disk = 0;
    int looks = 0;
  };
  static std::string human(double bytes) { return human_bytes(Bytes{static_cast<std::uint64_t>(bytes)}); }

  std::function<double()> disk_;
  std::int64_t last_ = -1;
  Use early_;
  Use late_;
};

void check(const std::string& told) {
  INFO("grew by " << told);
  const auto numbers = split(told, ' ');
  REQUIRE(numbers.size() == 2);
#ifdef DIPACO_SANITIZED
  CHECK(parse_number(numbers[0]).has_value());  // its quarantine keeps what was freed
#else
  CHECK(parse_number(numbers[0]).value_or(9) < 1.2);
#endif
  CHECK(parse_number(numbers[1]).value_or(9) < 1.2);
}

double size_of(const std::filesystem::path& folder) {
  double size = 0;
  std::error_code gone;  // another node may remove a file in the meantime
  for (auto at = std::filesystem::recursive_directory_iterator(folder, gone);
       at != std::filesystem::recursive_directory_iterator(); at.increment(gone)) {
    const auto bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) size += static_cast<double>(bytes);
  }
  return size;
}

/// A node's storage whose size is known.
class WeighedStorage : public Storage {
 public:
  using Sizes = std::map<std::string, std::size_t>;
  WeighedStorage(Storage& inner, Sizes& sizes) : inner_(inner), sizes_(sizes) {}
  bool put_if_absent(const std::string& key, const ToStore& value) override {
    sizes_.try_emplace(key, value.bytes.size());
    return inner_.put_if_absent(key, value);
  }
  void put(const std::string& key, const ToStore& value) override {
    sizes_[key] = value.bytes.size();
    inner_.put(key, value);
  }
  std::optional<std::vector<std::byte>> get(const std::string& key) const override { return inner_.get(key); }
  std::vector<std::string> list(const std::string& prefix) const override { return inner_.list(prefix); }
  void remove(const std::string& key) override {
    sizes_.erase(key);
    inner_.remove(key);
  }
  void append(const std::string& log, std::span<const std::byte> record) override {
    sizes_[log] += record.size();
    inner_.append(log, record);
  }

 private:
  Storage& inner_;
  Sizes& sizes_;
};

struct GrowingPlace {
  Role role;
  const char* host;
};
constexpr GrowingPlace kGrowingPlaces[] = {
    {Role::coordinator, "h0"}, {Role::store, "h1"},  {Role::store, "h2"},  {Role::executor, "h1"},
    {Role::executor, "h2"},    {Role::worker, "h3"}, {Role::worker, "h4"}, {Role::worker, "h5"},
};

std::string grow_simulated(const RunPlan& plan) {
  std::map<NodeId, WeighedStorage::Sizes> kept;
  Gauge gauge([&] {
    double size = 0;
    for (const auto& [node, sizes] : kept) {
      for (const auto& [key, bytes] : sizes) size += static_cast<double>(bytes);
    }
    return size;
  });
  const CoordinatorOptions options{
      .executors = 2, .stores = 2, .progress = [&](const RunProgress& progress) { gauge.look(progress); }};
  std::vector<std::string> hosts;
  for (const GrowingPlace& place : kGrowingPlaces) hosts.emplace_back(place.host);
  std::size_t begun_anew = 0;
  const auto program = [&](const PlacedNode& node, Seams seams) {
    begun_anew += seams.transport.incarnation() > 0 ? 1 : 0;
    WeighedStorage storage(seams.storage, kept[node.id]);
    const Seams weighed{seams.transport, seams.compute, storage, seams.log, seams.archive};
    if (node.role == Role::coordinator) {
      run_coordinator(plan, weighed, options);
    } else {
      run_role(plan, weighed, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
    }
  };
  run_nodes({full_platform(6, kLink)}, static_cast<int>(hosts.size()), program,
            {.limit = plan.config.liveness.limit,
             .period = plan.config.liveness.period,
             .deadline = plan.config.liveness.deadline,
             .faults = draw_plan()},
            hosts, [](Placement& placement) {
              for (std::size_t n = 0; n < placement.nodes.size(); ++n) placement.nodes[n].role = kGrowingPlaces[n].role;
            });
  return gauge.told(begun_anew);
}

std::string grow_on_loopback(const RunPlan& plan, const std::filesystem::path& state) {
  Gauge gauge([&] { return size_of(state); });
  const FaultPlan faults = draw_plan();
  const LoopbackRun run = run_loopback(plan, {.workers = 3,
                                              .executors = 2,
                                              .stores = 2,
                                              .state = state,
                                              .progress = [&](const RunProgress& progress) { gauge.look(progress); },
                                              .faults = faults,
                                              .test_clock = true});
  return gauge.told(faults.size() - run.never_struck.size());
}

}  // namespace

TEST_CASE("a simulated run of 2000 outer steps with faults keeps no more than it did after 200", "[failure][long]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_long(made.config);
  const RunPlan plan = made.plan();
  check(in_child([&] { return grow_simulated(plan); }));
}

TEST_CASE("a loopback run of 2000 outer steps with faults keeps no more than it did after 200", "[failure][long]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_long(made.config);
  const RunPlan plan = made.plan();
  // In memory where there is such a folder: a sync costs nothing there, and the run makes 100,000 of them.
  const std::filesystem::path fast = "/dev/shm";
  const TemporaryFolder slow;
  const auto state = std::filesystem::exists(fast) ? fast / slow.path().filename() : slow.path();
  check(in_child([&] { return grow_on_loopback(plan, state); }));
  std::filesystem::remove_all(state);
}

}  // namespace dipaco::testing
