#include "tests/gloo/processes.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dipaco::testing {
namespace {

constexpr double kFrozenFor = 2;  // two liveness limits of the toy run
constexpr int kMostStarts = 5;

}  // namespace

ToyProcesses::ToyProcesses(const std::vector<ToyProcess>& processes, std::string expect, ToyKind kind)
    : expect_(std::move(expect)), kind_(kind), folder_(make_folder()), port_(free_port()) {
  for (const ToyProcess& process : processes) all_.push_back({.what = process});
  for (std::size_t k = 0; k < all_.size(); ++k) start(k);
}

ToyProcesses::~ToyProcesses() {
  all_.clear();
  std::filesystem::remove_all(folder_);
}

void ToyProcesses::start(std::size_t k) {
  Running& running = all_[k];
  std::vector<std::string> words{"dipaco_toy_node",
                                 (folder_ / "out").string(),
                                 std::to_string(port_),
                                 running.what.roles,
                                 expect_,
                                 std::to_string(static_cast<int>(kind_))};
  const auto& fault = running.what.fault;
  if (running.starts++ == 0) words.insert(words.end(), fault.begin(), fault.end());
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

std::string run(ToyProcesses& processes, Seconds limit) {
  const double until = now() + limit.count();
  while (processes.tend() && now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return processes.answer();
}

}  // namespace dipaco::testing
