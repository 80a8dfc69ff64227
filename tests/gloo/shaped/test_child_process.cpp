#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "backends/gloo/shaped/child_process.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

ChildOutput in(const TemporaryFolder& folder) { return {folder.path() / "out", folder.path() / "log"}; }

int status_of(ChildProcess& process) {
  std::optional<int> status;
  while (!(status = process.look())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return *status;
}

}  // namespace

TEST_CASE("a child's status, its output and its last words are told", "[shaped]") {
  const TemporaryFolder folder;
  ChildProcess process({"sh", "-c", "echo result; echo first >&2; echo last >&2; exit 3"}, in(folder));
  CHECK(status_of(process) == 3);
  CHECK(process.look() == 3);
  CHECK(read_text(folder.path() / "out") == "result\n");
  CHECK(process.last_words() == "last");
}

TEST_CASE("a child gets signals, also those that its parent blocks", "[shaped]") {
  const TemporaryFolder folder;
  sigset_t term;
  sigset_t before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  REQUIRE(pthread_sigmask(SIG_BLOCK, &term, &before) == 0);
  ChildProcess process({"sleep", "600"}, in(folder));
  REQUIRE(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  CHECK_FALSE(process.look());
  process.signal(SIGTERM);
  CHECK(status_of(process) == 128 + SIGTERM);
}

TEST_CASE("a child ends with its object, and a program that is not there with 127", "[shaped]") {
  const TemporaryFolder folder;
  {
    // Its shell's number, once it has said it.
    const ChildProcess process({"sh", "-c", "echo $$; exec sleep 600"}, in(folder));
    while (read_text(folder.path() / "out").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(kill(std::stoi(read_text(folder.path() / "out")), 0) != 0);
  ChildProcess none({"a-program-that-is-not-there"}, in(folder));
  CHECK(status_of(none) == 127);
  CHECK_THROWS_AS(ChildProcess({"true"}, {folder.path() / "none" / "out", folder.path() / "log"}), DataError);
}

}  // namespace dipaco
