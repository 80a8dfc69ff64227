#include "tests/sim/simulated.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "backends/sim/engine/engine.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

namespace {

[[noreturn]] void tell(int pipe, const std::function<std::string()>& what) {
  std::signal(SIGABRT, SIG_DFL);  // not this test's framework's
  std::signal(SIGSEGV, SIG_DFL);
  std::string text;
  try {
    text = what();
  } catch (const std::exception& error) {
    text = std::string("threw: ") + error.what();
  }
  text += '.';  // the child came to its end
  const bool written = write(pipe, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  std::_Exit(written ? 0 : 1);
}

struct Child {
  std::size_t job = 0;
  pid_t id = 0;
  int pipe = 0;  ///< to read from
};

/// Forks from a process of one thread: what another thread held, the child would wait for.
Child begin(std::size_t job, const std::function<std::string()>& what) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);  // or the child writes this process's pending output once more
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error("no child");
  if (id == 0) tell(ends[1], what);
  close(ends[1]);
  return {job, id, ends[0]};
}

std::string end(const Child& child) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(child.pipe, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(child.pipe);
  waitpid(child.id, nullptr, 0);
  if (text.empty()) return "died";
  text.pop_back();
  return text;
}

/// The first of `children` that has something to tell.
std::size_t ready(const std::vector<Child>& children) {
  std::vector<pollfd> pipes;
  for (const Child& child : children) pipes.push_back({.fd = child.pipe, .events = POLLIN, .revents = 0});
  while (poll(pipes.data(), pipes.size(), -1) <= 0) {
  }
  return static_cast<std::size_t>(
      std::find_if(pipes.begin(), pipes.end(), [](const pollfd& pipe) { return pipe.revents != 0; }) - pipes.begin());
}

}  // namespace

std::string in_child(const std::function<std::string()>& what) { return end(begin(0, what)); }

std::vector<std::string> in_children(std::size_t number, const std::function<std::string(std::size_t)>& job) {
  constexpr std::size_t kAtOnce = 2;
  std::vector<std::string> told(number);
  std::vector<Child> children;
  for (std::size_t next = 0; next < number || !children.empty();) {
    if (next < number && children.size() < kAtOnce) {
      children.push_back(begin(next, [&] { return job(next); }));
      ++next;
      continue;
    }
    const auto first = children.begin() + static_cast<std::ptrdiff_t>(ready(children));
    told[first->job] = end(*first);
    children.erase(first);
  }
  return told;
}

std::string full_platform(int hosts, const std::string& link, const std::vector<std::string>& host_attributes) {
  std::string xml =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<zone id=\"site\" routing=\"Full\">\n";
  for (int h = 0; h < hosts; ++h) {
    const auto place = std::min(static_cast<std::size_t>(h), host_attributes.size() - 1);
    const std::string attributes = host_attributes.empty() ? "" : host_attributes[place];
    xml += "<host id=\"h" + std::to_string(h) + "\" speed=\"1Gf\" " + attributes + "/>\n";
  }
  const auto each_pair = [&](const auto& add) {
    for (int a = 0; a < hosts; ++a) {
      for (int b = a + 1; b < hosts; ++b) xml += add(std::to_string(a), std::to_string(b));
    }
  };
  each_pair(
      [&](const std::string& a, const std::string& b) { return "<link id=\"l" + a + "-" + b + "\" " + link + "/>\n"; });
  each_pair([](const std::string& a, const std::string& b) {
    return "<route src=\"h" + a + "\" dst=\"h" + b + "\"><link_ctn id=\"l" + a + "-" + b + "\"/></route>\n";
  });
  return xml + "</zone>\n</platform>\n";
}

std::string with_profile(std::string platform, const std::string& id, const std::string& file) {
  const std::string named = "id=\"" + id + "\" ";
  return platform.insert(platform.find(named) + named.size(), "state_file=\"" + file + "\" ");
}

Simulated run_nodes(const PlatformText& platform, int nodes, const NodeProgram& program,
                    const SimulationOptions& options, const std::vector<std::string>& hosts,
                    const std::function<void(Placement&)>& change) {
  const TemporaryFolder folder;
  const auto scenario = folder.path() / "platform.xml";
  write_file(scenario, platform.xml);
  if (!platform.profile.empty()) write_file(folder.path() / "profile", platform.profile);
  const ScenarioFile file(scenario);
  const SimEngine engine(file, {}, kExact);
  Placement placement{.sites = {"site"}};
  for (int n = 0; n < nodes; ++n) {
    std::string host = "h";
    host += std::to_string(n);
    if (!hosts.empty()) host = hosts[static_cast<std::size_t>(n)];
    placement.nodes.push_back({.id = NodeId{n},
                               .role = n == 0 ? Role::coordinator : Role::worker,
                               .site = SiteId{0},
                               .host = host,
                               .speed = {1e9}});
  }
  if (change) change(placement);
  MemoryEventLog log;
  Simulated simulated{.report = simulate(placement, program, options, log)};
  simulated.events = log.events();
  return simulated;
}

Message sized_message(std::uint64_t bytes, std::int32_t number) {
  return {ModuleReady{.module = {0, 0}, .version = Version{number}}, Bytes{bytes}};
}

std::int32_t number_of(const Envelope& envelope) {
  return number(std::get<ModuleReady>(envelope.message.body).version);
}

std::string hear(Seams seams, Seconds end) {
  std::string heard;
  for (;;) {
    const Seconds left = end - seams.compute.now();
    if (left <= Seconds(0)) return heard;
    const auto incoming = seams.transport.receive(left);
    if (!incoming) return heard;
    heard += format_number(std::round(seams.compute.now().count() * 1e6) / 1e6);
    if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
      heard += " lost " + std::to_string(index(lost->node)) + "; ";
    } else {
      const auto& envelope = std::get<Envelope>(*incoming);
      heard +=
          " from " + std::to_string(index(envelope.from)) + " number " + std::to_string(number_of(envelope)) + "; ";
    }
  }
}

}  // namespace dipaco::testing
