// What runs that are kept were made of.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

/// wan_4dc in a folder of its own, with what it names.
class OwnScenario {
 public:
  OwnScenario() {
    const fs::path scenarios = DIPACO_SOURCE_DIR "/scenarios";
    fs::copy_file(scenarios / "wan_4dc.xml", home() / "wan.xml");
    for (const char* const part : {"runs", "traces"}) fs::copy(scenarios / part, home() / part);
    fs::create_directory_symlink(scenarios / "corpus", home() / "corpus");
    write_file(home() / "line.csv", std::string("time_s,bandwidth\n0,500Mbps\n600,300Mbps\n"));
  }

  fs::path home() const { return folder_.path(); }
  Outcome ask(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> words{command, home() / "wan.xml", "--learn", "off", "--progress", "off"};
    words.insert(words.end(), {"--out", home() / command});
    words.insert(words.end(), more.begin(), more.end());
    return run_built("dipaco-sim", words);
  }
  /// Status 2, as `file` is another; and status 0 again, once it is as it was.
  void check_refused(const std::string& command, const std::vector<std::string>& more, const std::string& file) const {
    INFO(command << " " << file);
    const std::string before = read_text(home() / file);
    write_file(home() / file, before + "# another comment\n");
    const Outcome refused = ask(command, more);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.error, Contains(" has the runs of another sweep: " + file + " has changed since; give another"));
    write_file(home() / file, before);
    const Outcome again = ask(command, more);
    INFO(again.error);
    CHECK(again.status == 0);
  }

 private:
  TemporaryFolder folder_;
};

const std::vector<std::string> kTraces{"--over", "zone:dallas.preemption=traces/a100_4.csv,traces/aws-g4dn_24.csv"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a sweep refuses runs whose trace has changed since, also one that a value names, and names it", "[sim]") {
  const OwnScenario own;
  REQUIRE(own.ask("sweep", kTraces).status == 0);
  for (const std::string file : {"traces/a100_4.csv", "traces/aws-g4dn_24.csv"}) {
    own.check_refused("sweep", kTraces, file);
  }
  // A value that is not asked for any more is still known.
  const std::vector<std::string> one{"--over", "zone:dallas.preemption=traces/a100_4.csv"};
  CHECK(own.ask("sweep", one).status == 0);
  write_file(own.home() / "traces/aws-g4dn_24.csv", read_text(own.home() / "traces/aws-g4dn_24.csv") + "# more\n");
  CHECK(own.ask("sweep", one).status == 0);
  CHECK_THAT(own.ask("sweep", kTraces).error, Contains("traces/aws-g4dn_24.csv has changed since"));
}

TEST_CASE("a sensitivity, a recommendation and a bisection refuse runs whose files have changed since", "[sim]") {
  const OwnScenario own;
  const auto check = [&](const std::string& command, const std::vector<std::string>& words) {
    const Outcome first = own.ask(command, words);
    INFO(first.error);
    REQUIRE(first.status == 0);
    own.check_refused(command, words, "traces/aws-g4dn_24.csv");
  };
  check("sensitivity", with(kTraces, {"--of", "usd"}));
  check("recommend", with(kTraces, {"--objective", "usd"}));
  check("bisect", with(kTraces, {"--until", "usd>0"}));
}

TEST_CASE("a sweep that is refused says what is another: a line's bandwidth, a key, a setting, the scenario", "[sim]") {
  const OwnScenario own;
  std::string text = read_text(own.home() / "wan.xml");
  const std::size_t end = text.find("/>", text.find("<link id=\"dallas-frankfurt\""));
  REQUIRE(end != std::string::npos);
  text.replace(end, 2, "><prop id=\"bandwidth_over_time\" value=\"line.csv\"/></link>");
  write_file(own.home() / "wan.xml", text);
  const std::vector<std::string> words{"--repeat", "2"};
  const Outcome first = own.ask("sweep", words);
  INFO(first.error);
  REQUIRE(first.status == 0);
  own.check_refused("sweep", words, "line.csv");
  const auto why = [&](const std::vector<std::string>& more) {
    const Outcome refused = own.ask("sweep", with(words, more));
    CHECK(refused.status == 2);
    return refused.error;
  };
  CHECK_THAT(why({"--set", "outer.steps=3"}), Contains("the run file or a --set says otherwise of outer.steps;"));
  CHECK_THAT(why({"--set", "zone:tokyo.workers=1"}), Contains("is another: --set zone:tokyo.workers=1;"));
  CHECK_THAT(why({"--without", "tokyo"}), Contains("is another: --without tokyo;"));
  write_file(own.home() / "wan.xml", text + "\n");
  CHECK_THAT(why({}), Contains("the scenario is another, or has changed since"));
  write_file(own.home() / "sweep" / "question",
             std::string("0123456789abcdef\n"));  // as a program before this one had it
  CHECK_THAT(why({}), Contains("another version of dipaco-sim has made them; give another --out"));
}

}  // namespace dipaco::testing
