// A simulation whose process dies goes on in another one, as if nothing had happened.

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/faults/parse.hpp"
#include "core/state/archive.hpp"
#include "tests/resume/killed.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::testing {
namespace {

constexpr int kWorkers = 4;
constexpr int kNodes = kWorkers + 4;

/// Computes nothing: what it is asked for was to be read.
class NoTrainer : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& /*state*/, const BatchSource& /*batches*/, const InnerPlan& /*plan*/,
                          const std::atomic<bool>& /*stop*/) const override {
    throw std::runtime_error("inner steps are computed");
  }
  std::vector<SegmentScore> scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    throw std::runtime_error("a path is scored");
  }
  std::vector<float> token_scores(std::span<const float> /*parameters*/, const Batch& /*batch*/) const override {
    throw std::runtime_error("a path's tokens are scored");
  }
  std::vector<float> features(std::span<const float> /*parameters*/, const Batch& /*batch*/,
                              std::int64_t /*prefix*/) const override {
    throw std::runtime_error("documents are routed");
  }
};

/// Its fourth result has a parameter that is not a number.
class OnceSpoilt : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    const InnerReport report = ToyTrainer::inner_steps(state, batches, plan, stop);
    if (++calls_ == 4) state.parameters[7] = std::numeric_limits<float>::quiet_NaN();
    return report;
  }

 private:
  mutable std::atomic<int> calls_{0};
};

/// A run with shared modules and paths' own, evaluations on the way, new shards twice, early stopping at versions far
/// from the last, machines that come and go with a notice, and nodes that freeze for so long that others take over.
class World {
 public:
  World() : made_("2x2", "blocks:0") {
    made_.config.outer.steps = 10;
    made_.config.inner.steps = 4;
    made_.config.evaluate.every = 2;
    made_.config.evaluate.early_stopping = true;
    made_.config.data.holdout_fraction = 0.2;
    made_.config.outer.learning_rate = 1;
    made_.config.routing.reshard_at = "1,3";
    made_.config.charge = ChargeOptions{made_.config.model, made_.config.inner};
    made_.config.charge->inner.batch = 800;  // long enough to be stopped in the middle
    made_.config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
    made_.config.faults.freeze =
        "worker:0@outer_step=1,computing,for=4s; executor:0@outer_step=7,stepping,for=5s; "
        "worker:1@outer_step=6,sending,for=4s";
    made_.config.faults.poison = "worker:1@outer_step=2,storing,for=0.01s";
    made_.config.faults.restart = "worker:2@outer_step=2,evaluating,for=1s; coordinator:0@outer_step=8,for=2s";
  }

  RunConfig& config() { return made_.config; }
  RunPlan plan() const { return made_.plan(); }
  void forbid_computing() { made_.trainer = std::make_shared<const NoTrainer>(); }

  /// One result comes out with a value that is not a number: of a machine's fault, which does not come again.
  void spoil_once() { made_.trainer = std::make_shared<const OnceSpoilt>(); }
  void spoil_no_more() { made_.trainer = std::make_shared<const ToyTrainer>(); }

  /// How often something happens in it.
  int count(EventKind kind) const {
    RunResult result;
    const Simulated simulated = simulate(made_.plan(), result);
    const auto same = [kind](const Event& event) { return event.kind == kind; };
    return static_cast<int>(std::count_if(simulated.events.begin(), simulated.events.end(), same));
  }

  /// All that happens in it, hashed.
  /// @param archive  null: none
  std::string tell(std::unique_ptr<Storage> archive) const {
    RunPlan plan = made_.plan();
    if (archive != nullptr) plan.archive = std::make_shared<Archive>(plan, std::move(archive));
    RunResult result;
    const Simulated simulated = simulate(plan, result);
    if (plan.archive != nullptr) plan.archive->flush();
    std::string story = result.parameters_hash + " " + result.routing_hash;
    for (const auto& [file, bytes] : simulated.report.model) story += " " + file + " " + hash_hex(bytes);
    for (const Score& score : result.scores) story += " " + format_number(score.nats);
    for (const auto& [version, score] : result.evaluations) story += " " + format_number(score.nats);
    for (const Event& event : simulated.events) {
      story += "\n" + std::string(name(event.kind)) + " " + format_number(event.time.count()) + " " +
               std::to_string(index(event.node)) + " " + std::to_string(index(event.path)) + " " +
               std::to_string(event.outer_step) + " " + std::to_string(event.inner_steps) + " " +
               format_number(event.value);
    }
    return hash_hex(story);
  }

 private:
  Simulated simulate(const RunPlan& plan, RunResult& result) const {
    const CoordinatorOptions members{.executors = 2, .stores = 1};
    return run_nodes(
        {full_platform(kNodes, kLink)}, kNodes,
        [&](const PlacedNode& node, Seams seams) {
          if (node.role == Role::coordinator) {
            result = run_coordinator(plan, seams, members);
          } else {
            run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
          }
        },
        {.limit = plan.config.liveness.limit,
         .period = plan.config.liveness.period,
         .deadline = plan.config.liveness.deadline,
         .plan = &plan,
         .faults = parse_faults(plan.config.faults),
         .threads = 1},
        {}, place);
  }

  static void place(Placement& placement) {
    placement.nodes[1].role = Role::executor;
    placement.nodes[2].role = Role::executor;
    placement.nodes[3].role = Role::store;
    SitePreemption spot{.site = SiteId{0}, .notice = Seconds(0.1)};
    for (int k = 0; k < 100; ++k) spot.steps.push_back({Seconds(0.37 * k), k % 2 == 0 ? 2 : 0});
    for (int n = kNodes - 2; n < kNodes; ++n) spot.hosts.push_back(placement.nodes[static_cast<std::size_t>(n)].host);
    placement.preemptions.push_back(std::move(spot));
  }

  MadeUpRun made_;
};

std::unique_ptr<Storage> kept_in(const std::filesystem::path& folder) {
  return std::make_unique<DirectoryStorage>(folder);
}

}  // namespace

TEST_CASE("a simulation killed in a write of its archive goes on, and all happens as if it had not been", "[resume]") {
  // A kill loses nothing that a sync would have kept: memory is the faster disk here.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const World world;
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  const auto count = [&](EventKind kind) {
    return parse_integer(in_child([&] { return std::to_string(world.count(kind)); })).value_or(0);
  };
  for (const EventKind kind : {EventKind::task_handed_back, EventKind::task_requeued, EventKind::evaluation_done}) {
    CAPTURE(name(kind));
    REQUIRE(count(kind) > 1);
  }
  REQUIRE(count(EventKind::state_refused) > 0);
  const int stride = std::getenv("DIPACO_KILLS") == nullptr ? 3 : 1;  // the longer form tries each write
  int kills = 0;
  int write = 0;
  for (bool killed = true; killed; ++kills, write += stride) {
    const TemporaryFolder folder;
    const auto tell = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    const auto first = in_child_for(kWhole, tell);
    killed = !first.has_value();
    if (first) CHECK(*first == undisturbed);
    INFO("killed in write " << write);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
    CHECK(used(folder.path()).whole);
  }
  std::cout << "killed in " << kills - 1 << " of " << write - stride << " writes" << std::endl;
  CHECK(kills > 30);
}

TEST_CASE("a simulation that is killed again and again comes to its end", "[resume]") {
  const World world;
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  const TemporaryFolder folder;
  std::optional<std::string> told;
  int kills = 0;
  for (; !told; ++kills) {
    REQUIRE(kills < 100);
    told = in_child_for(kWhole, [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), 7)); });
  }
  CHECK(told == undisturbed);
  CHECK(kills > 10);
}

TEST_CASE("what is on disk is read instead of computed", "[resume]") {
  World world;
  const TemporaryFolder folder;
  const std::string undisturbed = in_child([&] { return world.tell(kept_in(folder.path())); });
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(nullptr); }) == "threw: inner steps are computed");
  CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
}

TEST_CASE("a state that was refused once is refused in a replay, though nothing is computed or nothing is spoilt again",
          "[resume]") {
  World world;
  world.spoil_once();
  REQUIRE(in_child([&] { return std::to_string(world.count(EventKind::state_refused)); }) != "0");
  const TemporaryFolder whole;
  const std::string undisturbed = in_child([&] { return world.tell(kept_in(whole.path())); });
  REQUIRE(undisturbed.size() == 32);
  for (const int write : {30, 60, 90}) {
    INFO("killed in write " << write);
    const TemporaryFolder folder;
    world.spoil_once();
    const auto tell = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    CHECK_FALSE(in_child_for(kWhole, tell).has_value());
    world.spoil_no_more();
    CHECK(in_child([&] { return world.tell(nullptr); }) != undisturbed);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
  }
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(kept_in(whole.path())); }) == undisturbed);
}

TEST_CASE("an archive has the shards of one past phase in memory, and the others on disk", "[resume]") {
  const World world;
  const TemporaryFolder folder;
  REQUIRE(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
  const RunPlan plan = world.plan();
  REQUIRE(plan.timetable.phases() == 3);
  Archive archive(plan, kept_in(folder.path()));
  CHECK(archive.shards(1).has_value());
  CHECK(archive.shards(2).has_value());
  std::filesystem::remove(folder.path() / "shards/1");
  std::filesystem::remove(folder.path() / "shards/2");
  CHECK(archive.shards(2).has_value());
  CHECK_THROWS_AS(archive.shards(1), DataError);
}

TEST_CASE("an archive does not grow with the outer steps, but for its records", "[resume]") {
  World world;
  world.config().routing.reshard_at = "3,5";
  world.config().evaluate.early_stopping = false;  // which versions are kept is what it finds
  const auto use = [&](std::int64_t outer_steps) {
    world.config().outer.steps = outer_steps;
    const TemporaryFolder folder;
    const std::string told = in_child([&] { return world.tell(kept_in(folder.path())); });
    CHECK(told.size() == 32);
    Used all = used(folder.path());
    const auto records = std::filesystem::file_size(folder.path() / "records");
    CHECK(records < static_cast<std::uintmax_t>(200 * 4 * outer_steps));
    all.bytes -= records;
    return all;
  };
  const Used few = use(7);
  const Used many = use(41);
  CHECK(many.files == few.files);
  CHECK(many.bytes < few.bytes * 11 / 10);
}

TEST_CASE("an archive whose records are damaged is refused, naming the byte", "[resume]") {
  const World world;
  const TemporaryFolder folder;
  REQUIRE(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
  auto bytes = read_file(folder.path() / "records");
  bytes[bytes.size() / 2] ^= std::byte{1};
  write_file(folder.path() / "records", bytes);
  CHECK_THAT(in_child([&] { return world.tell(kept_in(folder.path())); }),
             Catch::Contains("threw: records: damaged at byte "));
}

}  // namespace dipaco::testing
