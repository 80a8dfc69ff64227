#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "programs/shared/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;

namespace {

ProgramInfo example() {
  return {.name = "example",
          .purpose = "Shows options.",
          .usage = "FILE [options]",
          .example = "example a.xml --learn off",
          .options = {{.name = "learn", .help = "or not", .choices = {"on", "off"}, .initial = "on"},
                      {.name = "out", .value = "DIR", .help = "a folder"},
                      {.name = "set", .value = "A=B", .help = "change", .repeatable = true},
                      {.name = "threads", .value = "N", .help = "cores"},
                      {.name = "dump", .help = "a flag"}},
          .words = 1,
          .libraries = {{"Nothing", "1.2"}}};
}

Arguments read(const std::vector<std::string>& arguments) { return read_command_line(example(), arguments); }

std::string error_of(const std::vector<std::string>& arguments) {
  try {
    read(arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  FAIL("no ConfigError");
  return {};
}

}  // namespace

TEST_CASE("options and words are read in any order, with = or a space before a value", "[programs]") {
  const Arguments arguments = read({"--out", "o", "a.xml", "--set=a.b=c", "--set", "d.e=-1", "--dump", "--threads=4"});
  CHECK(arguments.words() == std::vector<std::string>{"a.xml"});
  CHECK(arguments.text("out") == "o");
  CHECK(arguments.all("set") == std::vector<std::string>{"a.b=c", "d.e=-1"});
  CHECK(arguments.given("dump"));
  CHECK_FALSE(arguments.given("learn"));
  CHECK(arguments.text("learn") == "on");
  CHECK(arguments.integer("threads", 1, 8) == 4);
  CHECK_FALSE(read({}).integer("threads", 1, 8).has_value());
}

TEST_CASE("what is wrong with a command line is told with the option and the remedy", "[programs]") {
  CHECK(error_of({"--lern=on"}) == "unknown option --lern; did you mean \"--learn\"?");
  CHECK(error_of({"--thr=2"}) == "unknown option --thr; --help lists the options");
  CHECK(error_of({"--completely-other"}) == "unknown option --completely-other; --help lists the options");
  CHECK(error_of({"-o", "x"}) == "unknown option -o; --help lists the options");
  CHECK(error_of({"--out"}) == "--out has no value; write --out=VALUE");
  CHECK(error_of({"--out="}) == "--out has no value; write --out=VALUE");
  CHECK(error_of({"--out", "--dump"}) == "--out has no value; write --out=VALUE");
  CHECK(error_of({"--dump=yes"}) == "--dump takes no value; leave out what follows the =");
  CHECK(error_of({"--out=a", "--out=b"}) == "--out is given twice; give it once");
  CHECK(error_of({"--learn=yes"}) == "--learn=yes is not allowed; write on or off");
  CHECK(error_of({"a.xml", "b.xml"}) == "unexpected \"b.xml\"; usage: example FILE [options]");
  CHECK_THROWS_WITH(read({"--threads=9"}).integer("threads", 1, 8),
                    "--threads=9 is out of range; write one from 1 to 8");
  CHECK_THROWS_WITH(read({"--threads=two"}).integer("threads", 1, 8),
                    "--threads=two is no integer; write one from 1 to 8");
}

TEST_CASE("what follows -- are words, however they begin", "[programs]") {
  const Arguments arguments = read({"--learn", "off", "--", "-a.txt"});
  CHECK(arguments.text("learn") == "off");
  CHECK(arguments.words() == std::vector<std::string>{"-a.txt"});
  CHECK(read({"--", "--"}).words() == std::vector<std::string>{"--"});
  CHECK(error_of({"--out", "--"}) == "--out has no value; write --out=VALUE");
  CHECK(error_of({"a.xml", "--", "--learn"}) == "unexpected \"--learn\"; usage: example FILE [options]");
}

TEST_CASE("a file whose name begins with - is no option, and the error says how it is named", "[programs]") {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_file("-mine.xml", "x");
  const std::string error = error_of({"-mine.xml"});
  std::filesystem::current_path(before);
  CHECK(error == "unknown option -mine.xml; --help lists the options, and ./-mine.xml names the file");
  CHECK(read({"./-mine.xml"}).words() == std::vector<std::string>{"./-mine.xml"});
}

TEST_CASE("an option that a program has only together with another one is told so", "[programs]") {
  ProgramInfo program = example();
  program.others = {.with = "--learn on", .names = {"device"}};
  const auto error = [&](const std::vector<std::string>& words) {
    try {
      read_command_line(program, words);
    } catch (const ConfigError& refused) {
      return std::string(refused.what());
    }
    return std::string("none");
  };
  CHECK(error({"--device=cpu"}) == "--device goes with --learn on only; add that, or leave out --device");
  CHECK(error({"--devices=cpu"}) == "unknown option --devices; --help lists the options");
}

TEST_CASE("a program that asks for an option it does not have is a bug", "[programs]") {
  CHECK_THROWS_AS(read({}).given("other"), std::logic_error);
}

TEST_CASE("option --help has a line for each option, with its default", "[programs]") {
  CHECK(help_text(example()) ==
        "Usage: example FILE [options]\n"
        "Shows options.\n"
        "\n"
        "  --learn on|off  or not [on]\n"
        "  --out DIR       a folder\n"
        "  --set A=B       change\n"
        "  --threads N     cores\n"
        "  --dump          a flag\n"
        "  --help          print this\n"
        "  --version       print the version of the program and of its libraries\n"
        "\n"
        "Example: example a.xml --learn off\n");
}

TEST_CASE("option --version has the project's version and commit and each library's version", "[programs]") {
  CHECK(version_text(example()) == "example " + project_version() + "\n  Nothing 1.2\n");
  CHECK_THAT(project_version(), Catch::Matches("[0-9]+\\.[0-9]+\\.[0-9]+ \\(git [^ )]+\\)"));
  for (const Library& library : core_libraries()) {
    INFO(library.name);
    CHECK_THAT(library.version, Catch::Matches("[0-9]+\\.[0-9].*|none .*"));
  }
}
