#include "tests/gloo/processes.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace dipaco::testing {
namespace {

constexpr double kFrozenFor = 2;  // two liveness limits of the toy run
constexpr int kMostStarts = 5;

std::optional<int> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<int>(std::stoi(text));
}

}  // namespace

int repetitions(int usual) { return number_in_environment("DIPACO_KILLS").value_or(usual); }

Moments::Moments() : draw_(static_cast<std::uint64_t>(number_in_environment("DIPACO_TORTURE_SEED").value_or(0))) {}

double Moments::below(double limit) { return std::uniform_real_distribution<>(0, limit)(draw_); }

ToyProcesses::ToyProcesses(ToySetting setting) : setting_(std::move(setting)), folder_(make_folder()) {
  auto& words = setting_.words;
  const auto meets = [](const std::string& word) { return word.starts_with("rendezvous="); };
  if (std::ranges::none_of(words, meets)) words.push_back("rendezvous=tcp://127.0.0.1:" + std::to_string(free_port()));
  words.push_back("out=" + (folder_ / "out").string());
  words.push_back("expect=" + setting_.expect);
  words.push_back("kind=" + std::to_string(static_cast<int>(setting_.kind)));
  for (const ToyProcess& process : setting_.processes) add(process);
}

ToyProcesses::~ToyProcesses() {
  all_.clear();
  std::filesystem::remove_all(folder_);
}

void ToyProcesses::add(const ToyProcess& process) {
  all_.push_back({.what = process});
  start(all_.size() - 1);
}

void ToyProcesses::start(std::size_t k) {
  Running& running = all_[k];
  std::vector<std::string> words{"dipaco_toy_node", "roles=" + running.what.roles};
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  add(setting_.words);
  add(running.what.words);
  if (running.starts++ == 0) add(running.what.first);
  running.process.emplace(words, (folder_ / std::to_string(k)).string());
}

void ToyProcesses::over(std::size_t k) {
  const int status = all_[k].process->status();
  if (status <= 128) return;
  signals_.push_back(status - 128);
  if (all_[k].starts < kMostStarts) start(k);
}

bool ToyProcesses::tend() {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    Running& running = all_[k];
    const auto change = running.process->look();
    if (change == Spawned::Change::stopped) {
      signals_.push_back(SIGSTOP);
      running.frozen_until = now() + kFrozenFor;
    } else if (change == Spawned::Change::over) {
      over(k);
    }
    if (running.frozen_until > 0 && now() >= running.frozen_until) {
      running.frozen_until = 0;
      running.process->signal(SIGCONT);
    }
  }
  return !std::ranges::all_of(all_, [](const Running& running) { return running.process->over(); });
}

std::string ToyProcesses::answer() const {
  std::string answer;
  for (const Running& running : all_) {
    if (!running.process->over()) return running.what.roles + " is not over in time";
    if (running.process->status() != 0) {
      return running.what.roles + " ended with status " + std::to_string(running.process->status());
    }
    answer += running.process->output();
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  return answer;
}

std::vector<pid_t> ToyProcesses::pids() const {
  std::vector<pid_t> pids;
  for (const Running& running : all_) {
    if (!running.process->over()) pids.push_back(running.process->pid());
  }
  return pids;
}

std::ptrdiff_t ToyProcesses::states_left() const {
  return std::distance(std::filesystem::directory_iterator(folder_ / "out" / "nodes"), {});
}

std::string ToyProcesses::logs() const {
  std::string all;
  for (const Running& running : all_) all += running.what.roles + ":\n" + running.process->log();
  return all;
}

std::vector<std::string> run_all(std::deque<ToyProcesses>& runs, Seconds limit) {
  const double until = now() + limit.count();
  for (bool running = true; running && now() < until;) {
    running = false;
    for (ToyProcesses& run : runs) running |= run.tend();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::vector<std::string> answers;
  for (const ToyProcesses& run : runs) answers.push_back(run.answer());
  return answers;
}

std::string run(ToyProcesses& processes, Seconds limit, const std::function<void()>& meanwhile) {
  const double until = now() + limit.count();
  while (processes.tend() && now() < until) {
    if (meanwhile) meanwhile();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return processes.answer();
}

}  // namespace dipaco::testing
