#include <catch2/catch.hpp>

#include "core/base/file.hpp"
#include "tests/config/error_of.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::error_of;

TEST_CASE("a run file sets what it names and leaves the rest at the paper's values", "[config]") {
  const RunConfig config = parse_run_text(
      "# a comment\n"
      "[model]\n"
      "  ; another\n"
      "blocks = 4\r\n"
      "mlp=auto\n"
      "\n"
      "[liveness]\n"
      "period=500ms\n"
      "[evaluate]\n"
      "dense_equal_steps=off\n",
      "runs/wan.cfg");
  CHECK(config.name == "wan");
  CHECK(config.folder == "runs");
  CHECK(config.model.blocks == 4);
  CHECK(config.model.mlp == 0);
  CHECK(config.model.hidden == 896);
  CHECK(config.inner.batch == 512);
  CHECK(config.liveness.period == Seconds(0.5));
  CHECK_FALSE(config.evaluate.dense_equal_steps);
  CHECK_FALSE(config.charge.has_value());
}

TEST_CASE("[charge] starts from what is learned, wherever it stands and whatever --set says", "[config]") {
  const std::string text = "[charge]\nhidden=896\nsteps=150\n[model]\nhidden=32\nblocks=2\n[inner]\nbatch=8\n";
  const std::vector<std::string> set{"model.blocks=6", "charge.steps=75"};
  const RunConfig config = parse_run_text(text, "a.cfg", set);
  REQUIRE(config.charge.has_value());
  CHECK(config.charge->model.hidden == 896);
  CHECK(config.charge->model.blocks == 6);
  CHECK(config.charge->inner.batch == 8);
  CHECK(config.charge->inner.steps == 75);
  CHECK(config.model.hidden == 32);
  CHECK(config.inner.steps == 150);
}

TEST_CASE("option --set is stronger than the file, and the later of two counts", "[config]") {
  const std::vector<std::string> set{"inner.batch=16", "inner.batch=32", "outer.rescale=sqrt"};
  const RunConfig config = parse_run_text("[inner]\nbatch=8\n", "a.cfg", set);
  CHECK(config.inner.batch == 32);
  CHECK(config.outer.rescale == "sqrt");
}

TEST_CASE("what is wrong with a line by itself is told with file, line and remedy", "[config]") {
  CHECK(error_of("\n[modle]\n") == "runs/a.cfg:2: unknown section [modle]; did you mean \"model\"?");
  CHECK(error_of("[xyzxyzxyz]\n") ==
        "runs/a.cfg:1: unknown section [xyzxyzxyz]; the sections are model, topology, data, pretrain, routing, inner, "
        "outer, evaluate, run, liveness, faults, charge");
  CHECK(error_of("[model]\n# one\nhiden=3\n") ==
        "runs/a.cfg:3: unknown key \"hiden\" in [model]; did you mean \"hidden\"?");
  CHECK(error_of("[model]\nbatch=3\n") == "runs/a.cfg:2: unknown key \"batch\" in [model]; it is a key of [inner]");
  CHECK(error_of("[run]\nabcdefghijkl=3\n") ==
        "runs/a.cfg:2: unknown key \"abcdefghijkl\" in [run]; its keys are seed, replicas, schedule, place, "
        "known_lines, backup_tasks, line_turns, site_cache, site_sums, straggler_factor");
  CHECK(error_of("[charge]\nlevels=2x2\n") ==
        "runs/a.cfg:2: unknown key \"levels\" in [charge]; it is a key of [topology]");
  CHECK(error_of("[charge]\nlearning_rate=0.1\n") ==
        "runs/a.cfg:2: \"learning_rate\" in [charge] changes neither times nor bytes, and nothing else is charged; "
        "remove "
        "it, or write it in [inner]");
  CHECK(error_of("[charge]\nblokcs=24\n") ==
        "runs/a.cfg:2: unknown key \"blokcs\" in [charge]; did you mean \"blocks\"?");
  CHECK(error_of("[inner]\nbatch=3\nsteps=1\nbatch=4\n") ==
        "runs/a.cfg:4: \"batch\" is twice in [inner], first at runs/a.cfg:2; remove one of them");
  CHECK(error_of("[model]\nblocks=12 hidden=896\n") ==
        "runs/a.cfg:2: two pairs on one line (\"blocks=12 hidden=896\"); write one key=value a line");
  CHECK(error_of("[topology]\nlevels=2x4   # or flat:8\n") ==
        "runs/a.cfg:2: # inside the value of \"levels\"; a comment has a line of its own, and a value has no #");
  CHECK(error_of("[model]\nblocks\n") ==
        "runs/a.cfg:2: \"blocks\" has no value; write key=value, or # before a comment");
  CHECK(error_of("blocks=3\n") == "runs/a.cfg:1: \"blocks\" stands before the first section; write [section] above it");
  CHECK(error_of("[model\n") == "runs/a.cfg:1: \"[model\" is no section; write [section] on a line of its own");
}

TEST_CASE("a value of another kind, out of range or without unit is told with file, line and what to write",
          "[config]") {
  CHECK(error_of("[inner]\nbatch=ten\n") ==
        "runs/a.cfg:2: batch=ten in [inner] is no integer; write an integer of at least 1");
  CHECK(error_of("[inner]\nbatch=\n") ==
        "runs/a.cfg:2: batch= in [inner] is no integer; write an integer of at least 1");
  CHECK(error_of("[inner]\nbatch=0\n") ==
        "runs/a.cfg:2: batch=0 in [inner] is out of range; write an integer of at least 1");
  CHECK(error_of("[pretrain]\nsteps=-1\n") ==
        "runs/a.cfg:2: steps=-1 in [pretrain] is out of range; write an integer of at least 0");
  CHECK(error_of("[run]\nseed=-1\n") ==
        "runs/a.cfg:2: seed=-1 in [run] is out of range; write an integer of at least 0");
  CHECK(error_of("[model]\nmlp=0\n") ==
        "runs/a.cfg:2: mlp=0 in [model] is out of range; write auto or an integer of at least 1");
  CHECK(error_of("[inner]\nlearning_rate=4e-4x\n") ==
        "runs/a.cfg:2: learning_rate=4e-4x in [inner] is no number; write a number above 0");
  CHECK(error_of("[outer]\nmomentum=1\n") ==
        "runs/a.cfg:2: momentum=1 in [outer] is out of range; write a number from 0 to below 1");
  CHECK(error_of("[liveness]\nperiod=3\n") ==
        "runs/a.cfg:2: period=3 in [liveness] has no unit; write a time with its unit above 0s, as 90s or 5min");
  CHECK(error_of("[liveness]\nperiod=3 parsecs\n") ==
        "runs/a.cfg:2: period=3 parsecs in [liveness] is no time; write a time with its unit above 0s, as 90s or 5min");
  CHECK(error_of("[liveness]\nperiod=0s\n") ==
        "runs/a.cfg:2: period=0s in [liveness] is out of range; write a time with its unit above 0s, as 90s or 5min");
  CHECK(error_of("[inner]\nprecision=fp16\n") ==
        "runs/a.cfg:2: precision=fp16 in [inner] is not allowed; did you mean \"fp32\"?; write fp32 or bf16");
  CHECK(
      error_of("[outer]\npolicy=streaming\n") ==
      "runs/a.cfg:2: policy=streaming in [outer] is not allowed; write synchronous, gradients, asynchronous, quorum or "
      "hierarchical");
  CHECK(error_of("[outer]\npolicy=synchronus\n") ==
        "runs/a.cfg:2: policy=synchronus in [outer] is not allowed; did you mean \"synchronous\"?; write "
        "synchronous, gradients, asynchronous, quorum or hierarchical");
  CHECK(error_of("[evaluate]\ndense_equal_steps=yes\n") ==
        "runs/a.cfg:2: dense_equal_steps=yes in [evaluate] is not allowed; write on or off");
}

TEST_CASE("a key of an earlier version is refused with what to write instead", "[config]") {
  CHECK(error_of("[outer]\nexchange=gradients\n") ==
        "runs/a.cfg:2: unknown key \"exchange\" in [outer]; write policy=gradients for gradients, and nothing for "
        "parameters");
}

TEST_CASE("what is wrong with --set is told with its text", "[config]") {
  CHECK(error_of("", {"inner.bacth=4"}) ==
        "--set inner.bacth=4: unknown key \"bacth\" in [inner]; did you mean \"batch\"?");
  CHECK(error_of("", {"iner.batch=4"}) == "--set iner.batch=4: unknown section [iner]; did you mean \"inner\"?");
  CHECK(error_of("", {"batch=4"}) == "--set batch=4: no section.key=value; write it as --set inner.batch=16");
  CHECK(error_of("", {"inner.batch"}) == "--set inner.batch: no section.key=value; write it as --set inner.batch=16");
  CHECK(error_of("", {"inner.batch=x"}) ==
        "--set inner.batch=x: batch=x in [inner] is no integer; write an integer of at least 1");
}

TEST_CASE("names that later versions bring are unknown until then", "[config]") {
  for (const char* text :
       {"[routing]\nmethod=discriminative\n", "[evaluate]\nwindow=64\n", "[outer]\npolicy=hierarchical\n"}) {
    CHECK_THROWS_AS(parse_run_text(text, "a.cfg"), ConfigError);
  }
}

TEST_CASE("a run file that is not there is a wrong usage, not damaged data", "[config]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_run_file(folder.path() / "none.cfg"), ConfigError);
  CHECK_THROWS_AS(read_run_file(folder.path()), DataError);
}

TEST_CASE("every shipped run file is read without error", "[config]") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DIPACO_SOURCE_DIR "/scenarios/runs")) {
    if (entry.path().extension() != ".cfg") continue;
    ++files;
    CHECK(read_run_file(entry.path()).name == entry.path().stem());
  }
  CHECK(files >= 5);
}

TEST_CASE("a topology's name that is too long for a file, and blocks without end, are errors with their line",
          "[config]") {
  CHECK_THAT(error_of("[topology]\nlevels=" + std::string(5000, 'a') + "\n"), Catch::StartsWith("runs/a.cfg:2: "));
  CHECK_THAT(error_of("[model]\nblocks=1000000000000000\n"), Catch::Contains("blocks=1000000000000000"));
}

TEST_CASE("a fault is written with spaces behind its separators, and a pair behind a value is still one too many",
          "[config]") {
  const RunConfig config = parse_run_text(
      "[faults]\nrestart=store:0@time=40s, for=20s; worker:1@ outer_step=2, computing, for=3s\n", "a.cfg");
  CHECK(config.faults.restart == "store:0@time=40s, for=20s; worker:1@ outer_step=2, computing, for=3s");
  CHECK_THAT(error_of("[faults]\nkill=worker:0@path=1 outer_step=2\n"), Catch::Contains("two pairs on one line"));
  CHECK_THAT(error_of("[model]\nheads=12 hidden=896\n"), Catch::Contains("two pairs on one line"));
}

TEST_CASE("a fault that cannot be is told with its line", "[config]") {
  CHECK(error_of("[faults]\n\nkill=worker:0@computin\n") ==
        "runs/a.cfg:3: faults.kill: \"worker:0@computin\": \"computin\" is no stage and has no value; did you mean "
        "\"computing\"?");
  CHECK(error_of("[faults]\nkill=worker:0@path=8\n") ==
        "runs/a.cfg:2: faults.kill=worker:0@path=8 names a path above the 8 paths of topology.levels=2x4; paths are "
        "counted from 0");
  CHECK(error_of("[outer]\nsteps=3\n[faults]\nkill=worker:0@outer_step=3\n") ==
        "runs/a.cfg:4: faults.kill=worker:0@outer_step=3 names an outer step that is not below outer.steps=3; outer "
        "steps are counted from 0");
  CHECK(error_of("", {"faults.cut=worker:0@hello"}) ==
        "--set faults.cut=worker:0@hello: faults.cut: \"worker:0@hello\": does not say how long; add for=20s");
}
