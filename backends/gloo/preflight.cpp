#include "backends/gloo/preflight.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "backends/gloo/network/network.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/preflight/preflight.hpp"

namespace dipaco {
namespace {

/// In the place of a run's: a process of a run and one of a preflight do not meet.
constexpr const char* kConfiguration = "of a preflight";

/// For the list of nodes that a coordinator keeps, which is not needed afterwards.
class PassingFolder {
 public:
  PassingFolder() : path_(std::filesystem::temp_directory_path() / ("dipaco-preflight-" + make_token())) {
    std::filesystem::create_directory(path_);
  }
  ~PassingFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

NetworkOptions network_options(const GlooOptions& options, Registry* registry) {
  const bool leads = registry != nullptr;
  return {.secret = options.secret,
          .insecure = options.insecure,
          .listen = leads ? options.coordinator : Endpoint{options.address, 0},
          .ports = options.ports,
          .reached_at = options.reached_at,
          .session = {.streams = options.streams},
          .self = {.role = leads ? Role::coordinator : options.roles.front(),
                   .site_name = options.site,
                   .machine = options.machine},
          .key = make_token(),
          .version = options.version,
          .config_hash = kConfiguration,
          .find_coordinator = options.find,
          .registry = registry,
          .note = options.note};
}

/// Ends what waits on the network once `stop` is true.
std::jthread watch(Network& network, const std::atomic<bool>* stop) {
  return std::jthread([&network, stop](const std::stop_token& over) {
    while (!over.stop_requested()) {
      if (stop != nullptr && *stop) return network.stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
}

}  // namespace

GlooPreflight preflight_gloo(const GlooOptions& options, std::int32_t processes,
                             const std::function<void(const std::string&)>& tell) {
  const bool leads = std::ranges::find(options.roles, Role::coordinator) != options.roles.end();
  const PassingFolder folder;
  const auto registry = leads ? std::make_unique<Registry>(folder.path() / "registry") : nullptr;
  Network network(network_options(options, registry.get()));
  const std::jthread watcher = watch(network, options.stop);
  const Attend self{.roles = options.roles,
                    .site = options.site,
                    .machine = options.machine,
                    .address = host_and_port(network.endpoint()),
                    .step_time = options.step_time.value_or(Seconds(0)).count()};
  const Seconds limit = SessionOptions{}.limit;
  GlooPreflight done;
  try {
    if (leads) options.publish(network.endpoint());
    network.join();
    const auto transport = network.transport();
    const LoopbackCompute clock([&] { return network.now(); });
    if (leads) {
      done.measures = lead_preflight(*transport, clock, self, {.processes = processes, .progress = tell});
      network.finish(limit);
    } else {
      attend_preflight(*transport, clock, self);
      network.leave(limit);
    }
  } catch (const NodeStopped&) {
    done.stopped = true;
  }
  return done;
}

}  // namespace dipaco
