#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// A mistake of a user: what is typed, and what the program says. FOLDER is a folder with the files below; words have
/// spaces between them. What is wrong within a scenario is in tests/sim/test_refused.cpp.
struct Mistake {
  const char* program;
  const char* words;
  int status;
  const char* says;
};

constexpr Mistake kMistakes[] = {
    // commands and options
    {"dipaco", "", 2, R"(no command; write one, such as dipaco prepare --run FILE.cfg)"},
    {"dipaco", "perpare", 2, R"(unknown command "perpare"; did you mean "prepare"?)"},
    {"dipaco", "generate", 2, R"(unknown command "generate"; --help lists the commands)"},
    {"dipaco prepare", "--ruin FOLDER/good.cfg", 2, R"(unknown option --ruin; did you mean "--run"?)"},
    {"dipaco prepare", "--run", 2, R"(--run has no value; write --run=VALUE)"},
    {"dipaco prepare", "--run FOLDER/good.cfg --threads 0", 2,
     R"(--threads=0 is out of range; write one from 1 to 1024)"},
    {"dipaco prepare", "--run FOLDER/good.cfg --threads many", 2,
     R"(--threads=many is no integer; write one from 1 to 1024)"},
    {"dipaco prepare", "--run FOLDER/good.cfg --dump-config=yes", 2,
     R"(--dump-config takes no value; leave out what follows the =)"},
    {"dipaco prepare", "--run FOLDER/good.cfg FOLDER/good.cfg", 2,
     R"(unexpected "FOLDER/good.cfg"; usage: dipaco prepare --run FILE.cfg [options])"},
    {"dipaco prepare", "--run FOLDER/good.cfg --device gpu", 2,
     R"(--device gpu is unknown; write cpu, cuda or cuda:I)"},
    {"dipaco-run", "--run FOLDER/good.cfg --run FOLDER/good.cfg", 2, R"(--run is given twice; give it once)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend mpi", 2, R"(--backend=mpi is not allowed; write loopback or gloo)"},
    {"dipaco-run", "--run FOLDER/good.cfg", 2, R"(no backend; add --backend loopback, or --backend gloo)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend loopback --workers 0", 2,
     R"(--workers=0 is out of range; write one from 1 to 65536)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend loopback --seed -1", 2,
     R"(--seed=-1 is out of range; write one from 0 to 9223372036854775807)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend loopback --role worker", 2,
     R"(--role goes with --backend gloo only; add that, or leave out --role)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo --role worker --workers 4", 2,
     R"(--workers goes with --backend loopback only; add that, or leave out --workers)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo", 2,
     R"(no role; add --role with one of the roles, or --role auto)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo --role wrker --rendezvous 127.0.0.1:7000", 2,
     R"(--role=wrker is not allowed; write auto or coordinator or worker or executor or store or evaluator)"},
    {"dipaco-run",
     "--run FOLDER/good.cfg --backend gloo --role worker --rendezvous tcp://127.0.0.1:7000 --learn off "
     "--step-time 0ms",
     2, R"(--learn off needs --step-time with a time above 0 and its unit, such as 50ms; it is "0ms")"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo --role worker", 2,
     R"(no rendezvous; all processes need the same --rendezvous, such as tcp://HOST:29400)"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo --role worker --rendezvous 127.0.0.1:port", 2,
     R"(--rendezvous 127.0.0.1:port: it has no scheme; known are tcp://HOST:PORT, file:///DIR and redis://HOST[:PORT][/DB])"},
    {"dipaco-run", "--run FOLDER/good.cfg --backend gloo --role worker --rendezvous tcp://127.0.0.1:port", 2,
     R"(--rendezvous tcp://127.0.0.1:port: the port "port" is no number from 1 to 65535; choose one of these)"},
    {"dipaco-run", "preflight --run FOLDER/good.cfg", 2,
     R"(no role; add --role with one of the roles, or --role auto)"},
    {"dipaco-run validate", "", 2, R"(no file of cases; name one, such as scenarios/validation/shaped.cfg)"},
    {"dipaco-run validate", "FOLDER/none.cfg --list", 3,
     R"(FOLDER/none.cfg: cannot open: No such file or directory; check the path)"},
    {"dipaco-run validate", "FOLDER/good.cfg --list", 2,
     R"(FOLDER/good.cfg:3: unknown section [model]; write [default] or [case NAME])"},
    {"dipaco-run validate", DIPACO_SOURCE_DIR "/scenarios/validation/shaped.cfg --list --only fats", 2,
     "--only fats: " DIPACO_SOURCE_DIR R"(/scenarios/validation/shaped.cfg has no such case; did you mean "fast"?)"},
    {"dipaco-run validate", DIPACO_SOURCE_DIR "/scenarios/validation/shaped.cfg --repeat 0", 2,
     R"(--repeat=0 is out of range; write one from 1 to 100)"},
    {"dipaco-sim calibrate", "FOLDER/good.xml --out FOLDER/new.xml", 2,
     R"(write either --from DIR, with a real run's folder, or --step-times FILE.csv)"},
    {"dipaco-sim", "", 2, R"(no scenario; name one, such as scenarios/wan_4dc.xml)"},
    {"dipaco-sim", "FOLDER/good.xml --learn maybe", 2, R"(--learn=maybe is not allowed; write on or off)"},
    {"dipaco-sim", "FOLDER/good.xml FOLDER/good.xml", 2,
     R"(unexpected "FOLDER/good.xml"; usage: dipaco-sim SCENARIO.xml [options])"},
    {"dipaco-sim", "FOLDER/good.xml -o out", 2, R"(unknown option -o; --help lists the options)"},
    {"dipaco-sim", "FOLDER/good.xml --without c", 2,
     R"(--without c is no site or host with workers or evaluators; did you mean "w"?)"},
    {"dipaco-sim", "FOLDER/good.xml --cfg network/modl:CM02", 2,
     R"(--cfg network/modl:CM02: SimGrid has no such setting; did you mean "network/model"?)"},
    {"dipaco-sim worth", "", 2, R"(no scenario; name one, such as scenarios/wan_4dc.xml)"},
    {"dipaco-sim data-parallel", "FOLDER/good.xml --checkpoint-every 5", 2,
     R"(--checkpoint-every=5: write auto, or a time with its unit, as 30min)"},
    {"dipaco-sim data-parallel", "FOLDER/good.xml --all-reduce tree", 2,
     R"(--all-reduce=tree is not allowed; write hierarchical or ring)"},
    {"dipaco-report", "", 2, R"(no DIR; usage: dipaco-report DIR... [options], DIR being a folder that a run left)"},
    {"dipaco-report", "FOLDER --format pdf", 2,
     R"(--format=pdf is not allowed; write text or json or markdown or html)"},
    // run files
    {"dipaco prepare", "", 2, R"(no run file; name one with --run FILE.cfg, such as scenarios/runs/tiny.cfg)"},
    {"dipaco prepare", "--run FOLDER/none.cfg", 2,
     R"(FOLDER/none.cfg: no such run file; give one that exists, such as scenarios/runs/tiny.cfg)"},
    {"dipaco prepare", "--run FOLDER", 3,
     R"(FOLDER: a folder is no run file; name the file in it, such as scenarios/runs/tiny.cfg)"},
    {"dipaco prepare", "--run FOLDER/good.xml", 2,
     R"(FOLDER/good.xml:1: "<?xml version" stands before the first section; write [section] above it)"},
    {"dipaco-run", "--run FOLDER/key.cfg --backend loopback", 2,
     R"(FOLDER/key.cfg:2: unknown key "bacth" in [inner]; did you mean "batch"?)"},
    {"dipaco-run", "--run FOLDER/section.cfg --backend loopback", 2,
     R"(FOLDER/section.cfg:1: unknown section [iner]; did you mean "inner"?)"},
    {"dipaco-run", "--run FOLDER/unit.cfg --backend loopback", 2,
     R"(FOLDER/unit.cfg:3: limit=10 in [liveness] has no unit; write a time with its unit above 0s, as 90s or 5min)"},
    {"dipaco-sim", "FOLDER/good.xml --run FOLDER/twice.cfg", 2,
     R"(FOLDER/twice.cfg:4: "batch" is twice in [inner], first at FOLDER/twice.cfg:2; remove one of them)"},
    {"dipaco-sim", "FOLDER/good.xml --run FOLDER/charge.cfg", 2,
     R"(FOLDER/charge.cfg:2: "learning_rate" in [charge] changes neither times nor bytes, and nothing else is charged; remove it, or write it in [inner])"},
    {"dipaco-sim", "FOLDER/good.xml --set inner.batch", 2,
     R"(--set inner.batch: no section.key=value; write it as --set inner.batch=16)"},
    {"dipaco-sim", "FOLDER/good.xml --set inner.batch=many", 2,
     R"(--set inner.batch=many: batch=many in [inner] is no integer; write an integer of at least 1)"},
    {"dipaco-sim", "FOLDER/good.xml --set inner.batch=0", 2,
     R"(--set inner.batch=0: batch=0 in [inner] is out of range; write an integer of at least 1)"},
    {"dipaco-sim", "FOLDER/good.xml --set iner.batch=4", 2,
     R"(--set iner.batch=4: unknown section [iner]; did you mean "inner"?)"},
    {"dipaco-sim", "FOLDER/good.xml --set outer.policy=quorm", 2,
     R"(--set outer.policy=quorm: policy=quorm in [outer] is not allowed; did you mean "quorum"?; write synchronous, gradients, asynchronous, quorum or hierarchical)"},
    {"dipaco-sim", "FOLDER/good.xml --set liveness.limit=30", 2,
     R"(--set liveness.limit=30: limit=30 in [liveness] has no unit; write a time with its unit above 0s, as 90s or 5min)"},
    {"dipaco-sim", "FOLDER/good.xml --set liveness.limit=1s", 2,
     R"(--set liveness.limit=1s: liveness.period=3s is not below liveness.limit=1s; a node needs time for a sign of life before it counts as lost)"},
    {"dipaco-sim", "FOLDER/good.xml --set faults.kill=worker:7@time=1s", 2,
     R"(faults.kill: worker:7 is not in this run, which has 2 of them, worker:0 to worker:1; name one of those, or change how many there are)"},
    {"dipaco-sim", "FOLDER/good.xml --set faults.freeze=worker:0@time=1s", 2,
     R"(--set faults.freeze=worker:0@time=1s: faults.freeze: "worker:0@time=1s": does not say how long; add for=20s)"},
    {"dipaco prepare", "--run FOLDER/good.cfg --set data.train=none.jsonl", 3,
     R"("none.jsonl" names no file in FOLDER; check the name, or quote the pattern)"},
    // scenarios
    {"dipaco-sim", "FOLDER/none.xml", 2,
     R"(FOLDER/none.xml: there is no such scenario file; name a SimGrid platform (docs/scenarios.md))"},
    {"dipaco-sim", "FOLDER", 2,
     R"(FOLDER: there is no such scenario file; name a SimGrid platform (docs/scenarios.md))"},
    {"dipaco-sim", "FOLDER/good.cfg", 2,
     R"(FOLDER/good.cfg:1: Unexpected character `#' in prolog. (SimGrid; docs/scenarios.md says how to write a scenario))"},
    {"dipaco-sim", "FOLDER/no_run.xml --learn off", 2,
     R"(FOLDER/no_run.xml: it names no run file; add --run FILE.cfg)"},
    {"dipaco-sim", "FOLDER/no_trace.xml --learn off", 2,
     R"(FOLDER/no_trace.xml:5: preemption="none.csv" names no file: FOLDER/none.csv is not there; the name is relative to the scenario)"},
    // folders
    {"dipaco evaluate", "", 2, R"(no folder; name the --out folder of a run, such as out/tiny)"},
    {"dipaco evaluate", "FOLDER/none", 2,
     R"(FOLDER/none/run.cfg is missing; name the --out folder of a run that has finished)"},
    {"dipaco evaluate", "FOLDER", 2, R"(FOLDER/run.cfg is missing; name the --out folder of a run that has finished)"},
    {"dipaco evaluate", "FOLDER/out", 2,
     R"(FOLDER/out: the run learned nothing (--learn off), so it has no modules; begin one without --learn off)"},
    {"dipaco inspect", "shard FOLDER/out", 2,
     R"("shard" cannot be inspected: shards or modules; did you mean "shards"?)"},
    {"dipaco inspect", "shards", 2, R"(no folder; name the --out folder of a run, such as out/tiny)"},
    {"dipaco replay", "FOLDER/none", 2,
     R"(FOLDER/none/run.cfg is missing; name the --out folder of a run that has finished)"},
    {"dipaco-run", "--backend loopback --resume FOLDER/none", 2,
     R"(FOLDER/none: there is no such folder; --resume takes the --out folder of an earlier run)"},
    {"dipaco-run", "--backend loopback --resume FOLDER", 2,
     R"(FOLDER/run.cfg is missing; --resume takes the --out folder of an earlier run)"},
    {"dipaco-sim", "FOLDER/good.xml --resume FOLDER/none", 2,
     R"(FOLDER/none: there is no such folder; --resume takes the --out folder of an earlier run)"},
    {"dipaco-sim", "FOLDER/good.xml --learn off --out FOLDER/good.cfg", 3,
     R"(FOLDER/good.cfg: cannot make the folder: Not a directory; check the path)"},
    {"dipaco-sim", "FOLDER/good.xml --learn off --out FOLDER/good.cfg/out", 3,
     R"(FOLDER/good.cfg/out: cannot make the folder: Not a directory; check the path)"},
    {"dipaco-sim", "FOLDER/good.xml --learn off --out FOLDER/unfinished", 2,
     R"(FOLDER/unfinished holds a run that has not finished; go on with --resume FOLDER/unfinished, or remove FOLDER/unfinished/state to begin anew)"},
    {"dipaco-report", "FOLDER/none", 3,
     R"(FOLDER/none/summary.json is missing; name the --out folder of a run that has finished)"},
    {"dipaco-report", "FOLDER", 3,
     R"(FOLDER/summary.json is missing; name the --out folder of a run that has finished)"},
    {"dipaco-report", "FOLDER/unfinished", 3,
     R"(FOLDER/unfinished/summary.json is missing: the run has not finished; go on with --resume FOLDER/unfinished)"},
    {"dipaco-report", "FOLDER/broken", 3,
     R"(FOLDER/broken/summary.json:1: broken JSON; let the run write its folder again)"},
    {"dipaco-report", "FOLDER/swept", 2, R"(FOLDER/swept is a sweep: add --format html, or read its points.csv)"},
    {"dipaco-report", "FOLDER/swept FOLDER/out --format html", 2,
     R"(FOLDER/swept is a sweep, which has a page of its own; name it alone)"},
    {"dipaco-report", "FOLDER/swept --format html", 3,
     R"(FOLDER/swept/sweep.csv:1: no run in it; let the sweep make its tables again, by the same command)"},
    {"dipaco-report", "FOLDER/validated", 2,
     R"(FOLDER/validated is of dipaco-run validate: read its validate.csv, or name one of its runs, such as FOLDER/validated/thin/real-1)"},
    {"dipaco-report", "FOLDER/swings --format html", 2,
     R"(FOLDER/swings has the runs of a study without a table of them: repeat the command that made it, dipaco-sim sensitivity, bisect, recommend or sweep, which prints its answer from what is kept)"},
};

std::string replaced_all(std::string text, const std::string& piece, const std::string& instead) {
  for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + instead.size())) {
    text.replace(at, piece.size(), instead);
  }
  return text;
}

/// What dipaco-sim has inferred of a scenario is told before its run begins.
std::string without_notes(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("note: ")) kept += line + "\n";
  }
  return kept;
}

/// The files that mistakes are made with, and a run with --learn off in FOLDER/out.
class Files {
 public:
  Files() {
    const std::string tiny = DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg";
    put("good.cfg", replaced_all(read_text(tiny), "../corpus", DIPACO_SOURCE_DIR "/scenarios/corpus"));
    put("key.cfg", "[inner]\nbacth=4\n");
    put("section.cfg", "[iner]\nbatch=4\n");
    put("unit.cfg", "[liveness]\n\nlimit=10\n");
    put("twice.cfg", "[inner]\nbatch=4\nsteps=4\nbatch=8\n");
    put("charge.cfg", "[charge]\nlearning_rate=0.1\n");
    const std::string scenario =
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
        "version=\"4.1\">\n<zone id=\"w\" routing=\"Full\"><prop id=\"run\" value=\"good.cfg\"/>\n<prop id=\"workers\" "
        "value=\"all\"/><prop id=\"store\" value=\"a\"/>\n<host id=\"a\" speed=\"1Tf\"/><host id=\"b\" speed=\"1Tf\"/>"
        "<link id=\"l\" bandwidth=\"1Gbps\" latency=\"1ms\"/>\n<route src=\"a\" dst=\"b\"><link_ctn "
        "id=\"l\"/></route></zone>\n</platform>\n";
    put("good.xml", scenario);
    put("no_run.xml", replaced_all(scenario, "<prop id=\"run\" value=\"good.cfg\"/>", ""));
    put("no_trace.xml", replaced_all(scenario, "<prop id=\"workers\"",
                                     "<prop id=\"preemption\" value=\"none.csv\"/><prop id=\"workers\""));
    put("broken/summary.json", "{");
    put("swept/sweep.csv", "inner.steps,seed,error\n");
    put("validated/validate.csv", "");
    put("validated/thin/real-1/summary.json", "{}");
    put("swings/question", "");
    put("unfinished/state/run", "");
    const Outcome run = say({"dipaco-sim", "FOLDER/good.xml --learn off --out FOLDER/out", 0, ""});
    REQUIRE(run.status == 0);
  }

  /// What the program says to these words.
  Outcome say(const Mistake& mistake, Output output = Output::read) const {
    const std::vector<std::string> program = split(mistake.program, ' ');
    std::vector<std::string> words(program.begin() + 1, program.end());
    for (const std::string& word : split(mistake.words, ' ')) words.push_back(in_folder(word));
    return run_built(program.front(), words, output);
  }

  std::string in_folder(const std::string& text) const { return replaced_all(text, "FOLDER", folder_.path().string()); }

 private:
  void put(const std::string& name, const std::string& text) const { write_file(folder_.path() / name, text); }

  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("each mistake of a user ends with its status and one line, which says what to write", "[programs]") {
  const Files files;
  for (const Mistake& mistake : kMistakes) {
    CAPTURE(mistake.program, mistake.words);
    const Outcome outcome = files.say(mistake);
    CHECK(outcome.status == mistake.status);
    CHECK(without_notes(outcome.error) == std::string(mistake.program) + ": " + files.in_folder(mistake.says) + "\n");
    CHECK(outcome.output.empty());
  }
}

TEST_CASE("a reader that goes away ends no program with an error, and a full disk does", "[programs]") {
  const Files files;
  for (const Mistake& mistake :
       {Mistake{"dipaco prepare", "--run FOLDER/good.cfg --dump-config", 3, ""},
        Mistake{"dipaco-run", "--run FOLDER/good.cfg --backend loopback --dump-config", 3, ""},
        Mistake{"dipaco-sim", "FOLDER/good.xml --dump-config", 3, ""},
        Mistake{"dipaco-sim worth", "FOLDER/good.xml", 3, ""}, Mistake{"dipaco-report", "FOLDER/out", 3, ""}}) {
    CAPTURE(mistake.program);
    const Outcome closed = files.say(mistake, Output::nobody_reads);
    CHECK(closed.status == 0);
    CHECK(closed.error.empty());
    const Outcome full = files.say(mistake, Output::full_disk);
    CHECK(full.status == mistake.status);
    CHECK(full.error ==
          std::string(mistake.program) + ": standard output: cannot be written; free some space or write elsewhere\n");
  }
}

}  // namespace dipaco::testing
