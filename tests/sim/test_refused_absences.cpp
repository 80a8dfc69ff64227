// What a scenario may not say of machines that come and go, through dipaco-sim.

#include <catch2/catch.hpp>
#include <string>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// What one line of a zone says, and what the program says of it. FOLDER is where the scenario is; the line is its
/// fifth, or its sixth where it is a host's.
struct RefusedAbsence {
  const char* props;
  const char* says;
  const char* of_host = "";
};

constexpr const char* kTrace = R"(<prop id="preemption" value="spot.csv"/>)";

constexpr RefusedAbsence kRefusedAbsences[] = {
    {R"(<prop id="failurs" value="exponential 6h"/>)",
     R"(FOLDER/x.xml:5: unknown prop "failurs" in <zone id="z">; did you mean "failures"?)"},
    {R"(<prop id="failures" value="exponential 6h"/>)",
     R"(FOLDER/x.xml:5: host "w0" has failures alone; write failures and repair, the times until it fails and until it is there again)"},
    {R"(<prop id="repair" value="5min"/>)",
     R"(FOLDER/x.xml:5: host "w0" has repair alone; write failures and repair, the times until it fails and until it is there again)"},
    {R"(<prop id="failures" value="expnential 6h"/><prop id="repair" value="5min"/>)",
     R"(FOLDER/x.xml:5: failures="expnential 6h" is no law of times; write 5min, exponential 6h (the mean), or weibull 10h 0.7 (scale and shape); did you mean "exponential"?)"},
    {R"(<prop id="failures" value="exponential 6"/><prop id="repair" value="5min"/>)",
     R"(FOLDER/x.xml:5: failures="exponential 6" has "6", which is no time above 0 with a unit, such as 6h)"},
    {R"(<prop id="failures" value="weibull 6h -1"/><prop id="repair" value="5min"/>)",
     R"(FOLDER/x.xml:5: failures="weibull 6h -1" has the shape "-1", which is no number from 0.1 to 100, such as 0.7)"},
    {R"(<prop id="failures" value="exponential 6h"/><prop id="repair" value="0s"/>)",
     R"(FOLDER/x.xml:5: repair="0s" has "0s", which is no time above 0 with a unit, such as 6h)"},
    {R"(<prop id="failures" value="6h"/><prop id="repair" value="5min"/><prop id="mtbf" value="6h"/><prop id="mttr" value="5min"/>)",
     R"(FOLDER/x.xml:5: host "w0" has failures beside mtbf, which both say when it fails; take failures and repair, or mtbf and mttr)"},
    {R"(<prop id="reclaims" value="exponential 6h"/>)",
     R"(FOLDER/x.xml:5: zone "z" has reclaims alone; write reclaims and given_back, the times until its machines go and until they are back)"},
    {R"(<prop id="given_back" value="5min"/>)",
     R"(FOLDER/x.xml:5: zone "z" has given_back alone; write reclaims and given_back, the times until its machines go and until they are back)"},
    {"", R"(FOLDER/x.xml:6: the prop "reclaims" belongs into a zone, not into <host id="w0">)",
     R"(<prop id="reclaims" value="exponential 6h"/>)"},
    {R"(<prop id="capacity" value="3 from 0s"/>)",
     R"(FOLDER/x.xml:5: capacity="3 from 0s" has the part "3 from 0s", and the zone has 2 machines that only work; write at most as many)"},
    {R"(<prop id="capacity" value="1"/>)",
     R"(FOLDER/x.xml:5: capacity="1" has the part "1"; write how many machines and when, as in "3 from 2h to 4h, 0 from 10h")"},
    {R"(<prop id="capacity" value="1 from 2h to 4h, 0 from 3h"/>)",
     R"(FOLDER/x.xml:5: capacity="1 from 2h to 4h, 0 from 3h" has "1 from 2h to 4h" and "0 from 3h", which overlap; end one before the other)"},
    {R"(<prop id="outages" value="1 from 2h"/>)",
     R"(FOLDER/x.xml:5: outages="1 from 2h" has the part "1 from 2h"; write when, as in "from 2h to 4h, from 10h")"},
    {R"(<prop id="outages" value="from 2h to 1h"/>)",
     R"(FOLDER/x.xml:5: outages="from 2h to 1h" has the part "from 2h to 1h", which ends before it begins)"},
    {R"(<prop id="preemption_offset" value="1h"/>)",
     R"(FOLDER/x.xml:5: zone "z" has preemption_offset without a preemption; add the prop preemption, which names a CSV file)"},
    {R"(<prop id="preemption" value="spot.csv"/><prop id="preemption_offset" value="12"/>)",
     R"(FOLDER/x.xml:5: preemption_offset="12" is no time with a unit, such as "12h", and not "drawn")"},
    {R"(<prop id="preemption" value="spot.csv"/><prop id="preemption_offset" value="1h"/>)",
     R"(FOLDER/x.xml:5: preemption_offset="1h" is not before the last row of the trace, at 100 s; write a time before it)"},
    {R"(<prop id="preemption" value="spot.csv"/><prop id="preemption_end" value="repaet"/>)",
     R"(FOLDER/x.xml:5: preemption_end="repaet" is neither hold nor repeat; did you mean "repeat"?)"},
    {R"(<prop id="preemption" value="one.csv"/><prop id="preemption_end" value="repeat"/>)",
     R"(FOLDER/x.xml:5: preemption_end="repeat": a trace of one row cannot repeat; take away the prop, or add the row at which the trace ends)"},
    {R"(<prop id="preemption" value="spot.csv"/><prop id="preemption_time_scale" value="0"/>)",
     R"(FOLDER/x.xml:5: preemption_time_scale="0" is no factor from 0.000001 to 1000000, such as "0.1")"},
    {R"(<prop id="preemption" value="spot.csv"/><prop id="preemption_machine_scale" value="half"/>)",
     R"(FOLDER/x.xml:5: preemption_machine_scale="half" is no factor from 0.000001 to 1000000, such as "0.1")"},
    {R"(<prop id="notice" value="30s"/><prop id="notice" value="40s"/>)",
     R"(FOLDER/x.xml:5: prop "notice" again, which <zone> has in line 5; leave one of them out)"},
    {R"(<prop id="notice" value="30s"/><prop id="failures" value="6h"/><prop id="repair" value="5min"/>)",
     R"(FOLDER/x.xml:4: zone "z" has a notice, but nothing takes its machines away: add the prop preemption (a CSV file), or mtbf and mttr to its hosts)"},
};

Outcome run_refused(const std::string& props, const std::string& of_host, const std::string& store,
                    std::string& folder_name) {
  const TemporaryFolder folder;
  folder_name = folder.path().string();
  write_file(folder.path() / "x.xml",
             "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\"><prop id=\"workers\" value=\"all\"/>" +
                 store + "\n" + props + "<prop id=\"mfu\" value=\"0.4\"/>\n<host id=\"w0\" speed=\"1Tf\">" + of_host +
                 R"(</host>
<host id="w1" speed="1Tf"/><host id="s" speed="1Tf"/>
<link id="l" bandwidth="1Gbps" latency="1ms"/><route src="s" dst="w0"><link_ctn id="l"/></route>
<route src="s" dst="w1"><link_ctn id="l"/></route><route src="w0" dst="w1"><link_ctn id="l"/></route>
</zone></platform>
)");
  write_file(folder.path() / "spot.csv", std::string_view("time_s,available\n0,2\n40,1\n100,2\n"));
  write_file(folder.path() / "one.csv", std::string_view("time_s,available\n0,2\n"));
  return run_built("dipaco-sim", {folder.path() / "x.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg",
                                  "--learn", "off", "--out", folder.path() / "out"});
}

void check_says(const Outcome& outcome, std::string says, const std::string& folder) {
  CHECK(outcome.status == 2);
  for (auto at = says.find("FOLDER"); at != std::string::npos; at = says.find("FOLDER")) says.replace(at, 6, folder);
  CHECK_THAT(outcome.error, Catch::Contains(says));
}

}  // namespace

TEST_CASE("what cannot be of machines that come and go is refused, with file, line and what to write", "[sim]") {
  const std::string store = R"(<prop id="store" value="s"/>)";
  std::string folder;
  CHECK(run_refused(kTrace, "", store, folder).status == 0);
  for (const RefusedAbsence& refused : kRefusedAbsences) {
    CAPTURE(refused.props, refused.of_host);
    const Outcome outcome = run_refused(refused.props, refused.of_host, store, folder);
    check_says(outcome, refused.says, folder);
  }
}

TEST_CASE("a zone whose machines go does not make one of them its store by itself", "[sim]") {
  std::string folder;
  const Outcome reclaimed = run_refused(
      R"(<prop id="reclaims" value="exponential 6h"/><prop id="given_back" value="5min"/>)", "", "", folder);
  check_says(
      reclaimed,
      R"(FOLDER/x.xml:5: zone "z" has reclaims and names no store: its first host "w0" would keep path states, and stay when the others go; add the prop store with a host that is to stay, or with "none")",
      folder);
  const Outcome withheld = run_refused(R"(<prop id="capacity" value="0 from 1h"/>)", "", "", folder);
  check_says(withheld, R"(FOLDER/x.xml:5: zone "z" has capacity and names no store)", folder);
}

}  // namespace dipaco::testing
