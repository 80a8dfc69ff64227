#include "tests/failure/small_world.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>
#include <sstream>
#include <string_view>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/storage/directory_storage.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

struct Place {
  Role role;
  int site;
  const char* host;
};

constexpr Place kPlaces[] = {
    {Role::coordinator, 0, "h0"}, {Role::store, 0, "h1"},    {Role::store, 1, "h2"},
    {Role::executor, 0, "h1"},    {Role::executor, 1, "h2"}, {Role::worker, 0, "h3"},
    {Role::worker, 0, "h4"},      {Role::worker, 1, "h5"},   {Role::evaluator, 1, "h5"},
};

constexpr std::size_t kFirstWorker = 5;

}  // namespace

std::shared_ptr<const KnownLines> said_to_carry(double there, double back) {
  auto table = std::make_shared<LineTable>();
  table->pairs = {{{SiteId{0}, SiteId{1}}, there}, {{SiteId{1}, SiteId{0}}, back}};
  table->out = {{SiteId{0}, there}, {SiteId{1}, back}};
  table->in = {{SiteId{0}, back}, {SiteId{1}, there}};
  return table;
}

WorldEnd run_world(const RunPlan& plan, const WorldOptions& options) {
  WorldEnd end;
  const CoordinatorOptions members{.executors = 2, .stores = 2, .workers = 3, .lines = options.lines};
  std::vector<std::string> hosts;
  for (const Place& place : kPlaces) {
    if (place.role != Role::evaluator || options.evaluator) hosts.emplace_back(place.host);
  }
  end.simulated = run_nodes(
      {full_platform(kHosts, options.link)}, static_cast<int>(hosts.size()),
      [&](const PlacedNode& node, Seams seams) {
        if (node.role == Role::coordinator) {
          end.result = run_coordinator(plan, seams, members);
        } else {
          run_role(plan, seams, {.role = node.role, .site = node.site, .speed = node.speed, .machine = node.host});
        }
      },
      {.limit = plan.config.liveness.limit,
       .period = plan.config.liveness.period,
       .deadline = plan.config.liveness.deadline,
       .plan = &plan,
       .faults = options.faults,
       .threads = options.threads},
      hosts,
      [&](Placement& placement) {
        placement.sites = {"east", "west"};
        for (std::size_t n = 0; n < placement.nodes.size(); ++n) {
          placement.nodes[n].role = kPlaces[n].role;
          placement.nodes[n].site = SiteId{options.crowded && kPlaces[n].role == Role::worker ? 0 : kPlaces[n].site};
          const std::size_t worker = n - kFirstWorker;  // the evaluator's host is the last one's
          if (n < kFirstWorker || options.workers.empty()) continue;
          const double steps = options.workers[std::min(worker, options.workers.size() - 1)];
          placement.nodes[n].speed = {plan.inner_step_cost.value * steps};
        }
        placement.outages = options.outages;
      });
  return end;
}

std::string hash_of(const RunResult& result, const ModelFiles& model) {
  std::ostringstream story;
  story << result.parameters_hash << ' ' << result.routing_hash;
  const auto add = [&story](const Score& score) { story << ' ' << format_number(score.nats) << '/' << score.tokens; };
  for (const Score& score : result.scores) add(score);
  for (const auto& [version, score] : result.evaluations) {
    story << " version " << version;
    add(score);
  }
  for (const auto& [file, bytes] : model) story << ' ' << file << ' ' << hash_hex(bytes);
  return hash_hex(story.str());
}

std::string hash_of(const WorldEnd& end) { return hash_of(end.result, end.simulated.report.model); }

std::string world_hash(const RunPlan& plan, const WorldOptions& options) {
  return in_child([&] { return hash_of(run_world(plan, options)); });
}

std::map<PathId, std::int32_t> best_versions(const ModelFiles& model) {
  const auto& bytes = model.at("paths");
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::map<PathId, std::int32_t> versions;
  std::int32_t path = 0;
  for (std::int32_t version = 0; lines >> path >> version;) versions[PathId{path}] = version;
  return versions;
}

int stopping_early(const RunPlan& plan, const ModelFiles& model, int back) {
  int count = 0;
  for (const auto& [path, version] : best_versions(model)) count += version + back <= plan.config.outer.steps ? 1 : 0;
  return count;
}

std::string loopback_hash(const RunPlan& plan, LoopbackOptions options) {
  // A sync costs nothing in memory.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const TemporaryFolder folder;
  options.state = folder.path();
  options.test_clock = true;
  const RunResult result = run_loopback(plan, options).result;
  ModelFiles model;
  for (const auto& node : std::filesystem::directory_iterator(folder.path())) {
    const DirectoryStorage storage(node.path());
    constexpr std::string_view kFolder = "model/";
    for (const std::string& key : storage.list(std::string(kFolder))) {
      model[key.substr(kFolder.size())] = *storage.get(key);
    }
  }
  return hash_of(result, model);
}

std::size_t one_in() {
  if (const char* const asked = std::getenv("DIPACO_ONE_IN")) {
    return static_cast<std::size_t>(parse_integer(asked).value());
  }
#ifdef DIPACO_SANITIZED
  return 32;
#else
  return 6;
#endif
}

std::vector<HostOutage> outages_at(const std::vector<Seconds>& times, std::size_t every,
                                   const std::vector<std::optional<Seconds>>& off) {
  std::vector<HostOutage> all;
  for (const Seconds time : times) {
    for (int h = 0; h < kHosts; ++h) {
      for (const auto& lasting : off) {
        if (h == 0 && !lasting) continue;  // nobody else coordinates
        HostOutage outage{.host = "h", .from = time};
        outage.host += std::to_string(h);
        if (lasting) outage.until = outage.from + *lasting;
        all.push_back(std::move(outage));
      }
    }
  }
  std::vector<HostOutage> drawn;
  std::ranges::sample(all, std::back_inserter(drawn), std::ssize(all) / static_cast<std::ptrdiff_t>(every),
                      std::mt19937_64(every));
  return drawn;
}

std::vector<WorldOptions> worlds_of(const std::vector<HostOutage>& outages) {
  std::vector<WorldOptions> worlds;
  for (const HostOutage& outage : outages) worlds.push_back({.outages = {outage}});
  return worlds;
}

std::vector<Seconds> event_times(const RunPlan& plan, const WorldOptions& options) {
  const std::string told = in_child([&] {
    std::string times;
    for (const Event& event : run_world(plan, options).simulated.events)
      times += format_number(event.time.count()) + " ";
    return times;
  });
  std::vector<Seconds> times;
  std::istringstream words(told);
  for (std::string word; words >> word;) times.emplace_back(*parse_number(word));
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace dipaco::testing
