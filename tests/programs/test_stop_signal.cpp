#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "programs/shared/stop_signal.hpp"

using namespace dipaco;

namespace {

void send_and_wait(const StopSignal& stop, int signal) {
  kill(getpid(), signal);
  while (!stop.requested()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("the first signal sets the flag and its number", "[programs]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignal stop;
    CHECK_FALSE(stop.requested());
    CHECK(stop.number() == 0);
    send_and_wait(stop, signal);
    CHECK(stop.number() == signal);
  }
}

TEST_CASE("the second signal ends the program by that signal", "[programs]") {
  const pid_t child = fork();
  if (child == 0) {
    const StopSignal stop;
    send_and_wait(stop, SIGINT);
    kill(getpid(), SIGTERM);
    for (;;) pause();
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("signals do again what they did before once the object is gone", "[programs]") {
  { const StopSignal stop; }
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  CHECK(sigismember(&now, SIGINT) == 0);
  CHECK(sigismember(&now, SIGTERM) == 0);
}
