#include "tests/gloo/started.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/base/file.hpp"

namespace dipaco::testing {

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Started::Started() : folder_(make_folder()), port_(free_port()) {}

Started::~Started() {
  processes_.clear();
  std::filesystem::remove_all(folder_);
}

std::string Started::run_file() { return std::string(DIPACO_SOURCE_DIR) + "/scenarios/runs/tiny.cfg"; }

Spawned& Started::start(const Words& words, const Variables& environment) {
  return processes_.emplace_back(words, (folder_ / std::to_string(processes_.size())).string(), environment);
}

Spawned& Started::node(const std::string& role, const Words& more, const Variables& environment) {
  return start(words_of(role, more), environment);
}

Spawned& Started::node_on(const std::string& machine, const std::string& role, const Words& more) {
  Words words = words_of(role, more);
  words.front() = built(words.front());
  Words unshared{"/usr/bin/unshare", "--uts"};
  if (::getuid() != 0) unshared.emplace_back("--map-root-user");
  return start(joined(joined(unshared, {"sh", "-c", R"(hostname "$0" && exec "$@")", machine}), words));
}

Words Started::words_of(const std::string& role, const Words& more) const {
  Words words{"dipaco-run", "--backend", "gloo", "--run", run_file(), "--role", role, "--progress", "off"};
  const auto otherwise = [&](const char* option, const std::string& value) {
    if (std::ranges::find(more, option) == more.end()) words = joined(words, {option, value});
  };
  otherwise("--out", out());
  otherwise("--threads", "1");
  // With auto the launcher may say it.
  if (role != "auto") otherwise("--rendezvous", address());
  return joined(words, more);
}

std::string hash_in(const std::filesystem::path& summary) {
  if (!std::filesystem::exists(summary)) return "none";
  const std::string text = read_text(summary);
  const std::string key = "\"parameters_hash\": \"";
  const auto at = text.find(key);
  return at == std::string::npos ? "none" : text.substr(at + key.size(), 32);
}

std::string loopback_hash(const Words& more) {
  Started one;
  const Words words{"dipaco-run", "--backend", "loopback",   "--run", Started::run_file(),
                    "--out",      one.out(),   "--progress", "off"};
  return one.start(joined(words, more)).wait(kProcessLimit) == 0 ? hash_in(one.out() + "/summary.json") : "no end";
}

}  // namespace dipaco::testing
