#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "programs/shared/shared_options.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;

namespace {

ProgramInfo program_with(std::initializer_list<Shared> which) {
  return {.name = "example",
          .purpose = "Has shared options.",
          .usage = "[options]",
          .example = "example --run a.cfg",
          .options = shared_options(which)};
}

ProgramInfo program_with_all() {
  return program_with({Shared::run, Shared::set, Shared::out, Shared::seed, Shared::threads, Shared::format,
                       Shared::progress, Shared::dump_config, Shared::learn, Shared::workers, Shared::backend,
                       Shared::events, Shared::resume});
}

SharedOptions read(const ProgramInfo& program, const std::vector<std::string>& arguments) {
  return read_shared(read_command_line(program, arguments));
}

}  // namespace

TEST_CASE("each shared option reaches its value", "[programs]") {
  const SharedOptions shared =
      read(program_with_all(), {"--run=a.cfg", "--set=a.b=1", "--set=c.d=2", "--out=o", "--seed=7", "--threads=3",
                                "--format=json", "--progress=off", "--dump-config", "--learn=off", "--workers=5",
                                "--backend=loopback", "--events=on", "--resume=r"});
  CHECK(shared.run == "a.cfg");
  CHECK(shared.set == std::vector<std::string>{"a.b=1", "c.d=2"});
  CHECK(shared.out == "o");
  CHECK(shared.seed == 7U);
  CHECK(shared.threads == 3);
  CHECK(shared.json);
  CHECK(shared.progress == ProgressMode::off);
  CHECK(shared.dump_config);
  CHECK_FALSE(shared.learn);
  CHECK(shared.workers == 5);
  CHECK(shared.backend == "loopback");
  CHECK(shared.events);
  CHECK(shared.resume == "r");
}

TEST_CASE("a program without a shared option gets the value of one that is not given", "[programs]") {
  const SharedOptions shared = read(program_with({Shared::run}), {});
  const SharedOptions none = read(program_with_all(), {});
  CHECK(shared.run.empty());
  CHECK_FALSE(shared.seed.has_value());
  CHECK(shared.threads >= 1);
  CHECK(shared.learn == none.learn);
  CHECK(shared.events == none.events);
  CHECK(shared.progress == none.progress);
  CHECK(shared.learn);
}

TEST_CASE("option --help of a program with every shared option fits a screen of 80 columns and 24 lines",
          "[programs]") {
  std::istringstream lines(help_text(program_with_all()));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  CHECK(count <= 24);
}

TEST_CASE("option --seed and --set change what the run file says, and --run what is named otherwise", "[programs]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.cfg", "[run]\nseed=3\n[inner]\nbatch=4\n");
  write_file(folder.path() / "b.cfg", "[run]\nseed=4\n");
  SharedOptions shared;
  CHECK(resolve_config(shared, folder.path() / "b.cfg").run.seed == 4);
  shared.run = folder.path() / "a.cfg";
  shared.set = {"inner.batch=8"};
  CHECK(resolve_config(shared, folder.path() / "b.cfg").inner.batch == 8);
  CHECK(resolve_config(shared).run.seed == 3);
  shared.seed = 9;
  CHECK(resolve_config(shared).run.seed == 9);
}

TEST_CASE("a program that is given no run file says how to name one", "[programs]") {
  CHECK_THROWS_WITH(resolve_config({}), Catch::Contains("--run FILE.cfg"));
}
