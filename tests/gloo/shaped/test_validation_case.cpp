#include <catch2/catch.hpp>

#include "backends/gloo/shaped/validation_case.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using Catch::Matchers::EndsWith;

constexpr const char* kPlain =
    "[default]\n"
    "run=runs/tiny.cfg\n"
    "set=inner.steps=4\n"
    "[case pair]\n"
    "line=a 100Mbps\n"
    "line=b 2.5MBps\n"
    "process=a coordinator store\n"
    "process=a worker 71ms\n"
    "process=b worker store 50ms\n"
    "process=b worker 56ms\n"
    "process=a executor\n";

std::vector<ValidationCase> read(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.path() / "cases.cfg", text);
  return read_validation_cases(folder.path() / "cases.cfg");
}

/// What is wrong with the plain case and these lines more.
std::string refused(const std::string& more) {
  try {
    read(kPlain + more);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a case has its lines, its processes by site and number, and the defaults before its own", "[shaped]") {
  const auto cases = read(std::string(kPlain) +
                          "set=outer.steps=2\nkept_apart=on\nknown_lines=on\nlost=a-1 20s\npreempted=b-1 1min\n");
  REQUIRE(cases.size() == 1);
  const ValidationCase& one = cases.front();
  CHECK(one.name == "pair");
  CHECK(one.run.filename() == "tiny.cfg");
  CHECK(one.set == std::vector<std::string>{"inner.steps=4", "outer.steps=2"});
  REQUIRE(one.lines.size() == 2);
  CHECK(one.lines[0].rate.value == Approx(100e6 / 8));
  CHECK(one.lines[1].rate.value == Approx(2.5e6));
  REQUIRE(one.processes.size() == 5);
  CHECK(one.processes[3].name == "b-1");
  CHECK(one.processes[4].name == "a-2");
  CHECK(one.processes[2].roles == std::vector<Role>{Role::worker, Role::store});
  CHECK(one.processes[2].step_time == Seconds(0.05));
  CHECK((one.apart && one.known_lines && !one.learns));
  CHECK(one.lost->process == 1);
  CHECK(one.preempted->process == 3);
  CHECK(one.preempted->after == Seconds(60));
  CHECK(described(one) ==
        "a 100, b 20 Mbit/s; workers a 71, b 50, 56 ms; a-1 lost after 20.0 s; b-1 preempted after 1 min 00 s; lines "
        "known");
}

TEST_CASE("a case is the same with other comments, and not with another line", "[shaped]") {
  const std::string text = read(kPlain).front().text;
  CHECK(read(std::string("# words\n") + kPlain + "kept_apart=on\n").front().text == text);
  CHECK(read(std::string(kPlain) + "set=outer.steps=9\n").front().text != text);
}

TEST_CASE("what is wrong with a case is told with its line and what to write", "[shaped]") {
  CHECK_THAT(refused("lin=c 5Mbps\n"), EndsWith("cases.cfg:12: unknown key \"lin\"; did you mean \"line\"?"));
  CHECK_THAT(refused("line=c 5\n"), EndsWith("line=c 5; write a site's name, of at most 12 small letters and digits, "
                                             "and a rate: line=a 100Mbps"));
  CHECK_THAT(refused("process=a wrker 5ms\n"),
             EndsWith("\"wrker\" is no role and no time of an inner step; write process=SITE ROLE... [TIME], such as "
                      "process=a worker 50ms"));
  CHECK_THAT(refused("process=a executor 5ms\n"), EndsWith("only a worker has a time of an inner step; leave it out"));
  CHECK_THAT(refused("process=c worker 5ms\n"),
             EndsWith("cases.cfg:4: there is no line of site \"c\"; write line=c 100Mbps"));
  CHECK_THAT(refused("process=a worker\n"),
             EndsWith("a-3 needs the time of an inner step; write process=a worker 50ms, or learn=on"));
  CHECK_THAT(refused("learn=on\n"), EndsWith("a-1 learns, so it takes what it takes; leave its time of an inner step "
                                             "out"));
  CHECK_THAT(refused("learn=yes\n"), EndsWith("learn=yes; write on or off"));
  CHECK_THAT(refused("lost=b-0 20s\n"), EndsWith("\"b-0\" is no process that only works; write a-1 or b-1"));
  CHECK_THAT(refused("lost=b-1 20\n"), EndsWith("lost=b-1 20; write a process and a time, such as b-0 20s"));
  CHECK_THAT(refused("process=a worker 9ms\npreempted=a-1 9s\n"),
             EndsWith("of a site's processes that only work the last is preempted; write a-3"));
  CHECK_THAT(refused("[case pair]\n"), EndsWith("[case pair] is there twice; write one"));
  CHECK_THAT(refused("[cases]\n"), EndsWith("unknown section [cases]; write [default] or [case NAME]"));
  CHECK_THAT(refused("[case ../x]\n"), EndsWith("write one word without dots and slashes, and not \"default\""));
  CHECK_THAT(refused("[case other]\nline=a 5Mbps\nprocess=a worker coordinator store 5ms\n"),
             EndsWith("no process is the executor; write process=SITE executor"));
  CHECK_THROWS_AS(read("[default]\nrun=x.cfg\n"), ConfigError);
}

}  // namespace dipaco
