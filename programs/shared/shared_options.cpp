#include "programs/shared/shared_options.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/config/run_file.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostWorkers = 65536;

ProgramOption device_option() {
  return {.name = "device",
          .value = "cpu|cuda[:I]",
          .help = "where to compute; a GPU's bits are not a CPU's",
          .initial = "cpu"};
}

ProgramOption shared_option(Shared which) {
  switch (which) {
    case Shared::run:
      return {.name = "run", .value = "FILE.cfg", .help = "run file: what to learn"};
    case Shared::set:
      return {.name = "set", .value = "SECTION.KEY=VALUE", .help = "change a key of the run file", .repeatable = true};
    case Shared::out:
      return {.name = "out", .value = "DIR", .help = "where the results go [out/NAME]"};
    case Shared::seed:
      return {.name = "seed", .value = "N", .help = "the same as --set run.seed=N"};
    case Shared::threads:
      return {.name = "threads", .value = "N", .help = "cores to use; changes no result [all]"};
    case Shared::format:
      return {.name = "format", .help = "of what stdout gets", .choices = {"text", "json"}, .initial = "text"};
    case Shared::progress:
      return {.name = "progress",
              .help = "auto: a bar on a terminal, else lines",
              .choices = {"auto", "on", "off"},
              .initial = "auto"};
    case Shared::dump_config:
      return {.name = "dump-config", .help = "print the resolved run file, and end"};
    case Shared::learn:
      return {.name = "learn", .help = "off: charge time and bytes only", .choices = {"on", "off"}, .initial = "on"};
    case Shared::workers:
      return {.name = "workers", .value = "N", .help = "fewer or more than paths"};
    case Shared::backend:
      return {.name = "backend", .help = "what carries messages", .choices = {"loopback", "gloo"}};
    case Shared::device:
      return device_option();
    case Shared::deterministic:
      return {.name = "deterministic", .help = "equal bits from a GPU, too; slower"};
    case Shared::events:
      return {.name = "events", .help = "also write events.csv", .choices = {"on", "off"}, .initial = "off"};
    case Shared::resume:
      return {.name = "resume", .value = "DIR", .help = "go on with the run that was stopped in its --out DIR"};
  }
  check(false, "every shared option has a case");
  return {};
}

ProgressMode progress_mode(const std::string& text) {
  if (text == "on") return ProgressMode::on;
  return text == "off" ? ProgressMode::off : ProgressMode::automatic;
}

int default_threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

}  // namespace

std::vector<ProgramOption> shared_options(std::initializer_list<Shared> which) {
  std::vector<ProgramOption> options;
  for (const Shared one : which) options.push_back(shared_option(one));
  return options;
}

std::vector<ProgramOption> with_shared(std::vector<ProgramOption> own, std::initializer_list<Shared> which) {
  for (ProgramOption& option : shared_options(which)) own.push_back(std::move(option));
  return own;
}

SharedOptions read_shared(const Arguments& arguments) {
  const auto text = [&](const char* name) { return arguments.knows(name) ? arguments.text(name) : std::string(); };
  const auto integer = [&](const char* name, std::int64_t low, std::int64_t high) {
    return arguments.knows(name) ? arguments.integer(name, low, high) : std::nullopt;
  };
  SharedOptions shared;
  shared.run = text("run");
  if (arguments.knows("set")) shared.set = arguments.all("set");
  shared.out = text("out");
  shared.seed = integer("seed", 0, std::numeric_limits<std::int64_t>::max());
  shared.threads = static_cast<int>(integer("threads", 1, kMostThreads).value_or(default_threads()));
  shared.json = text("format") == "json";
  shared.progress = progress_mode(text("progress"));
  shared.dump_config = arguments.knows("dump-config") && arguments.given("dump-config");
  shared.learn = text("learn") != "off";
  if (const auto workers = integer("workers", 1, kMostWorkers)) shared.workers = static_cast<std::int32_t>(*workers);
  shared.backend = text("backend");
  if (arguments.knows("device")) shared.device = text("device");
  shared.deterministic = arguments.knows("deterministic") && arguments.given("deterministic");
  shared.events = text("events") == "on";
  shared.resume = text("resume");
  return shared;
}

RunConfig resolve_config(const SharedOptions& shared, const std::filesystem::path& run) {
  const std::filesystem::path& file = shared.run.empty() ? run : shared.run;
  if (file.empty()) throw ConfigError("no run file; name one with --run FILE.cfg, such as scenarios/runs/tiny.cfg");
  std::vector<std::string> set = shared.set;
  if (shared.seed) set.push_back("run.seed=" + std::to_string(*shared.seed));
  return read_run_file(file, set);
}

}  // namespace dipaco
