#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/gloo/spawned.hpp"

namespace dipaco::testing {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more);

/// Processes of one run of scenarios/runs/tiny.cfg by dipaco-run, in a folder that goes with the object.
class Started {
 public:
  Started();
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string out() const { return (folder_ / "out").string(); }
  std::uint16_t port() const { return port_; }
  std::string address() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  static std::string run_file();
  Spawned& start(const Words& words, const Variables& environment = {});
  /// A process of the run, at this place and rendezvous unless `more` names others.
  Spawned& node(const std::string& role, const Words& more = {}, const Variables& environment = {});
  /// The same on a machine of that name, by a UTS namespace.
  Spawned& node_on(const std::string& machine, const std::string& role, const Words& more);
  std::deque<Spawned>& all() { return processes_; }

 private:
  Words words_of(const std::string& role, const Words& more) const;

  std::filesystem::path folder_;
  std::uint16_t port_;
  std::deque<Spawned> processes_;
};

/// The parameters_hash in a summary.json; "none" where there is none.
std::string hash_in(const std::filesystem::path& summary);

/// That of a run in one process, with the same `more` options.
std::string loopback_hash(const Words& more = {});

}  // namespace dipaco::testing
