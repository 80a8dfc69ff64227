#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <iostream>
#include <new>
#include <sstream>
#include <thread>

#include "programs/shared/program.hpp"

using namespace dipaco;

namespace {

/// What run_program comes to, with a body, in this process.
struct Ran {
  int status = -1;
  std::string output;
  std::string error;
};

/// Puts another buffer under a stream for as long as it lives.
class Redirected {
 public:
  explicit Redirected(std::ostream& stream) : stream_(stream), old_(stream.rdbuf(buffer_.rdbuf())) {}
  ~Redirected() { stream_.rdbuf(old_); }
  std::string text() const { return buffer_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream buffer_;
  std::streambuf* old_;
};

Ran run(const ProgramBody& body, std::vector<std::string> words = {"example"}) {
  const ProgramInfo program{.name = "example", .purpose = "Runs.", .usage = "[options]", .example = "example"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  const Redirected output(std::cout);
  const Redirected error(std::cerr);
  const int status = run_program(program, static_cast<int>(pointers.size()), pointers.data(), body);
  return {status, output.text(), error.text()};
}

template <class Error>
ProgramBody throws(Error error) {
  return [error](const Arguments&, const StopSignal&) -> ExitStatus { throw error; };
}

ExitStatus done(const Arguments&, const StopSignal&) { return ExitStatus::done; }

}  // namespace

TEST_CASE("each kind of error has its exit status and one line that starts with the program's name", "[programs]") {
  const auto check = [](const Ran& ran, int status, const std::string& error) {
    CHECK(ran.status == status);
    CHECK(ran.error == error);
    CHECK(ran.output.empty());
  };
  check(run(done), 0, "");
  check(run(throws(ConfigError("a.cfg:3: no"))), 2, "example: a.cfg:3: no\n");
  check(run(throws(DataError("a.bin: damaged\nat byte 3"))), 3, "example: a.bin: damaged at byte 3\n");
  check(run(throws(RunError(4, "no progress"))), 4, "example: no progress\n");
  check(run(throws(RunError(5, "lost"))), 5, "example: lost\n");
  check(run(throws(std::runtime_error("odd"))), 70, "example: bug: odd; please report it with the command line\n");
  check(run(throws(std::logic_error("bug: odd"))), 70, "example: bug: odd; please report it with the command line\n");
  check(run(throws(std::bad_alloc())), 70,
        "example: memory ran out; use fewer --threads, a smaller inner.micro_batch, shorter rows or a smaller model\n");
  check(run(done, {"example", "--hlp"}), 2, "example: unknown option --hlp; did you mean \"--help\"?\n");
}

TEST_CASE("the status that a body returns is the program's", "[programs]") {
  CHECK(run([](const Arguments&, const StopSignal&) { return ExitStatus::not_authorised; }).status == 6);
}

TEST_CASE("option --help and --version print to stdout and do not run the body", "[programs]") {
  const auto body = throws(ConfigError("it ran"));
  CHECK_THAT(run(body, {"example", "--help"}).output, Catch::StartsWith("Usage: example [options]\n"));
  CHECK(run(body, {"example", "--help"}).status == 0);
  CHECK_THAT(run(body, {"example", "--version"}).output, Catch::StartsWith("example " + project_version()));
  CHECK(run(body, {"example", "--version"}).status == 0);
}

TEST_CASE("a body that ends because of a signal makes the status 128 and the signal's number", "[programs]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ran ran = run([signal](const Arguments&, const StopSignal& stop) -> ExitStatus {
      kill(getpid(), signal);
      while (!stop.requested()) std::this_thread::yield();
      throw Interrupted("resume with --resume out");
    });
    CHECK(ran.status == 128 + signal);
    CHECK(ran.error == std::string("example: stopped by ") + (signal == SIGINT ? "SIGINT" : "SIGTERM") +
                           ": resume with --resume out\n");
  }
}
