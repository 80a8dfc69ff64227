#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "core/plan/plan.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr const char* kScenarios = DIPACO_SOURCE_DIR "/scenarios/";
constexpr const char* kFatLinks = DIPACO_SOURCE_DIR "/tests/sim/paper_16x16_fat.xml";
constexpr double kOuterSteps = 3;
constexpr double kPaths = 256;

/// Without sums at sites. @param set  keys of the run and their values
nlohmann::json paper_summary(const std::vector<std::string>& set = {}) {
  const TemporaryFolder folder;
  const auto out = (folder.path() / "out").string();
  std::vector<std::string> words{kFatLinks, "--learn", "off", "--out", out};
  words.insert(words.end(), {"--progress", "off", "--set", "outer.steps=3", "--set", "run.site_sums=off"});
  for (const std::string& key : set) words.insert(words.end(), {"--set", key});
  const Outcome ran = run_built("dipaco-sim", words);
  REQUIRE(ran.status == 0);
  return nlohmann::json::parse(read_text(out + "/summary.json"));
}

RunPlan paper_plan() {
  return make_plan(read_run_file(DIPACO_SOURCE_DIR "/scenarios/runs/paper_16x16.cfg"), nullptr, nullptr);
}

struct TaskRow {
  double started = 0;
  double computed = 0;
  std::string worker;
};

/// tasks.csv by path and outer step.
std::map<std::pair<std::string, std::string>, TaskRow> read_tasks(const std::string& file) {
  std::istringstream lines(read_text(file));
  std::string line;
  std::getline(lines, line);
  const auto names = split(line, ',');
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  std::map<std::pair<std::string, std::string>, TaskRow> rows;
  while (std::getline(lines, line)) {
    const auto cells = split(line, ',');
    rows[{cells[column("path")], cells[column("outer_step")]}] = {
        *parse_number(cells[column("started_s")]), *parse_number(cells[column("computed_s")]), cells[column("worker")]};
  }
  return rows;
}

}  // namespace

TEST_CASE("the paper's 16x16 moves the bytes of the closed form, none of path-specific modules", "[sim]") {
  const RunPlan plan = paper_plan();
  const auto summary = paper_summary({"run.place=spread"});
  const auto shared = static_cast<double>(shared_size(plan.topology, plan.charged, PathId{0}));
  const auto specific = static_cast<double>(specific_size(plan.topology, plan.charged, PathId{0}));
  REQUIRE(specific > 0);
  // Two shared modules a path. A gradient: kind 1, module 8, path and outer step 8, base 8, inner steps 4, pushed and
  // format 2, count 8; a module has its version 8 and epoch 4 instead, and no format.
  const double gradients = kOuterSteps * kPaths * (4 * shared + 2 * 43);
  const double modules = (kOuterSteps - 1) * kPaths * (4 * shared + 2 * 29);
  // The 16 modules of the second level have paths at all four sites, and those of the first at one, which for 12 of
  // them is not their owner's: so many times a version goes to a site's store, before its workers get it from there.
  const auto message = [&](std::size_t l) { return 4.0 * static_cast<double>(plan.charged.levels[l].size) + 29; };
  const double crossing = (kOuterSteps - 1) * (12 * message(0) + 3 * 16 * message(1));
  // Kind, epoch, worker, path, version and inner steps 1 + 5 x 4, total and loss 16, five counts; three vectors and the
  // velocity.
  const double states = kOuterSteps * kPaths * (21 + 16 + 5 * 8 + 12 * (shared + specific) + 4 * specific);
  std::printf("outer gradients: %.0f bytes, closed form %.0f\n", summary["bytes_outer_gradient"].get<double>(),
              gradients);
  std::printf("modules:         %.0f bytes, closed form %.0f\n", summary["bytes_module"].get<double>(), modules);
  std::printf("path states:     %.0f bytes, closed form %.0f\n", summary["bytes_put_path_state"].get<double>(), states);
  CHECK(summary["bytes_outer_gradient"].get<double>() == gradients);
  CHECK(summary["bytes_module"].get<double>() == modules + crossing);
  CHECK(summary["bytes_put_path_state"].get<double>() == states);
  const auto pushed = paper_summary({"run.place=spread", "run.site_cache=off"});
  CHECK(pushed["bytes_module"].get<double>() == modules);
  // All but those paths' workers that are at an owner's site get theirs from afar without it.
  const double afar = (kOuterSteps - 1) * (12 * 16 * message(0) + 16 * 12 * message(1));
  const double saved = pushed["wan_bytes"].get<double>() - summary["wan_bytes"].get<double>();
  CHECK(saved == Approx(afar - crossing).epsilon(1e-4));
}

TEST_CASE("the paper's 16x16 has 8x8 paths at each of its four sites, and each module crosses to one site more",
          "[sim]") {
  const RunPlan plan = paper_plan();
  const auto placed = paper_summary({});
  const auto spread = paper_summary({"run.place=spread"});
  const auto shared = static_cast<double>(shared_size(plan.topology, plan.charged, PathId{0}));
  const double modules = (kOuterSteps - 1) * kPaths * (4 * shared + 2 * 29);
  const auto size = [&](std::size_t l) { return 4.0 * static_cast<double>(plan.charged.levels[l].size); };
  // Of the 32 modules each has its owner at one of the two sites whose paths go through it.
  const double versions = (kOuterSteps - 1) * 16 * (size(0) + 29 + size(1) + 29);
  CHECK(placed["bytes_module"].get<double>() == modules + versions);
  // Half of all outer gradients, and these versions, and little more: no state moves.
  const double gradients = kOuterSteps * kPaths / 2.0 * (size(0) + 43 + size(1) + 43);
  CHECK(placed["wan_bytes"].get<double>() == Approx(gradients + versions).epsilon(1e-3));
  CHECK(placed["wan_bytes"].get<double>() <= 0.67 * spread["wan_bytes"].get<double>());
  CHECK(placed["simulated_s"].get<double>() <= spread["simulated_s"].get<double>());
}

TEST_CASE("an undisturbed run sends the messages of the arithmetic, kind by kind, and no other", "[sim]") {
  const auto summary = paper_summary({"run.place=spread", "run.site_cache=off"});
  const double tasks = kOuterSteps * kPaths;
  constexpr double kModules = 32;  // each with an executor of its own
  constexpr double kOthers = 292;  // than the coordinator: 256 workers, 32 executors and 4 stores
  const std::map<std::string, double> expected{
      {"hello", kOthers},
      {"own_modules", kModules},
      {"owners", kPaths},  // to each worker
      {"task", tasks},
      {"put_path_state", tasks},
      {"stored", tasks},
      {"committed", tasks},
      {"task_done", tasks},
      {"outer_gradient", 2 * tasks},
      {"module_ready", kModules * (kOuterSteps + 1)},  // version 0 among them
      {"module", 2 * kPaths * (kOuterSteps - 1)},      // of the last one nobody begins
      {"release", 4},                                  // at the end, to each store
      {"goodbye", kOthers}};
  double all = 0;
  for (const auto& [key, count] : summary.items()) {
    if (!key.starts_with("messages_") || key == "messages_refused") continue;
    const auto kind = expected.find(key.substr(std::string("messages_").size()));
    INFO(key);
    REQUIRE(kind != expected.end());
    CHECK(count.get<double>() == kind->second);
    all += kind->second;
  }
  CHECK(summary["messages"].get<double>() == all);
  CHECK(summary["messages_refused"] == 0);
}

TEST_CASE("the paper's 16x16 sends half the bytes of outer gradients in bf16, 17 / 64 in int8 and 129 / 1024 in e3m0",
          "[sim][long]") {
  const RunPlan plan = paper_plan();
  double shared = 0;
  double blocks = 0;  // of 64 values
  double large = 0;   // of 256
  for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
    if (plan.topology.path_specific(plan.topology.module(PathId{0}, l))) continue;
    const auto size = static_cast<double>(plan.charged.levels[static_cast<std::size_t>(l)].size);
    shared += size;
    blocks += std::ceil(size / 64);
    large += std::ceil(size / 256);
  }
  CHECK(shared == 80'812'928);  // docs/cost-model.md
  const auto full = paper_summary();
  const auto bf16 = paper_summary({"outer.outer_gradient_format=bf16"});
  const auto int8 = paper_summary({"outer.outer_gradient_format=int8"});
  const auto e3m0 = paper_summary({"outer.outer_gradient_format=e3m0"});
  CHECK(bf16["bytes_outer_gradient"].get<double>() == kOuterSteps * kPaths * (2 * shared + 2 * 43));
  CHECK(int8["bytes_outer_gradient"].get<double>() == kOuterSteps * kPaths * (shared + 4 * blocks + 2 * 43));
  CHECK(e3m0["bytes_outer_gradient"].get<double>() == kOuterSteps * kPaths * (shared / 2 + large + 2 * 43));
  for (const char* other : {"bytes_module", "bytes_put_path_state"}) {
    CHECK(bf16[other] == full[other]);
    CHECK(int8[other] == full[other]);
    CHECK(e3m0[other] == full[other]);
  }
  CHECK(bf16["simulated_s"].get<double>() < full["simulated_s"].get<double>());
  CHECK(int8["simulated_s"].get<double>() < bf16["simulated_s"].get<double>());
  CHECK(e3m0["simulated_s"].get<double>() < int8["simulated_s"].get<double>());
}

TEST_CASE("the paper's 16x16 takes the time of the arithmetic on its uncongested platform", "[sim]") {
  const RunPlan plan = paper_plan();
  const double n = static_cast<double>(plan.charged.size);
  const double specific = static_cast<double>(specific_size(plan.topology, plan.charged, PathId{0}));
  const double module =
      4.0 * static_cast<double>(plan.charged.levels[1].size);  // the larger of the two: the final norm
  constexpr double kLan = 6.4e12 / 8;
  constexpr double kWan = 10e9 / 8;
  constexpr double kLanLatency = 100e-6;
  constexpr double kWanLatency = 40.1e-3;
  // 16 A100 at mfu 0.45 train; 64 workers put their states into the site's store at once, which answers; the gradient
  // of a module crosses the WAN; so does its next version, while the notice to the coordinator and its task come back.
  const double compute = 150 * plan.inner_step_cost.value / (4992e12 * 0.45);
  const double put = 64 * (12 * n + 4 * specific) / kLan + 2 * kLanLatency;
  const double gradient = module / kWan + kWanLatency;
  const double push = std::max(module / kWan + kWanLatency, 2 * kWanLatency);
  const double expected = kOuterSteps * (compute + put + gradient) + (kOuterSteps - 1) * push + 3 * kWanLatency;
  const double simulated = paper_summary()["simulated_s"].get<double>();
  std::printf("simulated %.3f s, arithmetic %.3f s (computation %.3f s an outer step)\n", simulated, expected, compute);
  CHECK(simulated == Approx(expected).epsilon(0.01));
}

TEST_CASE("a run that learns nothing never loads LibTorch", "[sim]") {
  const TemporaryFolder folder;
  const auto log = (folder.path() / "loaded").string();
  REQUIRE(::setenv("LD_DEBUG", "files", 1) == 0);
  REQUIRE(::setenv("LD_DEBUG_OUTPUT", log.c_str(), 1) == 0);
  const Outcome ran = run_built("dipaco-sim", {std::string(kScenarios) + "flat_moe.xml", "--learn", "off", "--out",
                                               (folder.path() / "out").string()});
  ::unsetenv("LD_DEBUG");
  ::unsetenv("LD_DEBUG_OUTPUT");
  REQUIRE(ran.status == 0);
  std::string loaded;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().filename().string().starts_with("loaded")) loaded += read_text(entry.path());
  }
  CHECK(loaded.find("libsimgrid") != std::string::npos);  // the list is there
  CHECK(loaded.find("libtorch") == std::string::npos);
}

TEST_CASE("a path that shares no module with a slow worker's goes on before that worker is done", "[sim]") {
  const TemporaryFolder folder;
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\">"
      "<zone id=\"w\" routing=\"Full\"><prop id=\"workers\" value=\"h[0-7]\"/><prop id=\"executors\" value=\"h8\"/>"
      "<prop id=\"store\" value=\"h8\"/><prop id=\"coordinator\" value=\"h8\"/>";
  std::string routes;
  for (int h = 0; h <= 8; ++h) {
    // The first eight hosts work, one of them ten times slower.
    xml += "<host id=\"h" + std::to_string(h) + "\" speed=\"" + (h == 5 ? "0.1" : "1") + "Tf\"/>";
    for (int other = h + 1; other <= 8; ++other) {
      routes += "<route src=\"h" + std::to_string(h) + "\" dst=\"h" + std::to_string(other) +
                "\"><link_ctn id=\"l\"/></route>";
    }
  }
  xml += "<link id=\"l\" bandwidth=\"10Gbps\" latency=\"1ms\" sharing_policy=\"FATPIPE\"/>" + routes +
         "</zone></platform>\n";
  const auto scenario = (folder.path() / "slow.xml").string();
  write_file(scenario, xml);
  const auto out = (folder.path() / "out").string();
  const Outcome ran = run_built("dipaco-sim", {scenario, "--run", std::string(kScenarios) + "runs/tiny.cfg", "--learn",
                                               "off", "--set", "topology.levels=2x4", "--set", "model.blocks=4",
                                               "--set", "run.schedule=first_free", "--out", out});
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  const auto tasks = read_tasks(out + "/tasks.csv");
  // The slow one's path in outer step 0 takes longest.
  std::string slow;
  for (const auto& [task, row] : tasks) {
    if (task.second == "0" && (slow.empty() || row.computed > tasks.at({slow, "0"}).computed)) slow = task.first;
  }
  const std::int64_t slow_path = *parse_integer(slow);
  int earlier = 0;
  for (std::int64_t path = 0; path < 8; ++path) {
    const bool shares = path / 4 == slow_path / 4 || path % 4 == slow_path % 4;
    const bool before = tasks.at({std::to_string(path), "1"}).started < tasks.at({slow, "0"}).computed;
    CHECK((!shares) == before);
    earlier += before ? 1 : 0;
  }
  CHECK(earlier == 3);  // of the other first module's four paths, one shares the second module
}

}  // namespace dipaco::testing
