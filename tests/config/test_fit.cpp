#include <catch2/catch.hpp>

#include "core/base/file.hpp"
#include "tests/config/error_of.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::error_of;

TEST_CASE("values that do not fit one another are told where the first of them was given", "[config]") {
  CHECK(error_of("[model]\nheads=6\nkey_value_heads=4\n") ==
        "runs/a.cfg:2: model.heads=6 is no multiple of model.key_value_heads=4; every key and value head serves as "
        "many heads");
  CHECK(error_of("[model]\nhead_size=7\n") ==
        "runs/a.cfg:2: model.head_size=7 is odd; rotary positions turn pairs, so write an even one");
  CHECK(error_of("[model]\nsequence=32\n") ==
        "runs/a.cfg:2: routing.prefix=32 is not below model.sequence=32; a row needs tokens behind the prefix");
  CHECK(error_of("[model]\nsequence=32\n[routing]\nprefix=40\n") ==
        "runs/a.cfg:4: routing.prefix=40 is not below model.sequence=32; a row needs tokens behind the prefix");
  CHECK(error_of("[evaluate]\nsequence=16\n") ==
        "runs/a.cfg:2: evaluate.sequence=16 is not above routing.prefix=32; a row needs tokens behind the prefix");
  CHECK(error_of("[routing]\nlabel_tokens=32\n") ==
        "runs/a.cfg:2: routing.label_tokens=32 is not above routing.prefix=32; the prefix is not in the loss");
  CHECK(error_of("[inner]\nbatch=1\n") ==
        "runs/a.cfg:2: pretrain.micro_batches=2 is above inner.batch=1; a micro-batch needs a row at least");
  CHECK(error_of("[inner]\nfinal_learning_rate=1\n") ==
        "runs/a.cfg:2: inner.final_learning_rate=1 is above inner.learning_rate=4e-04; the cosine falls, so write a "
        "lower one");
  CHECK(error_of("[routing]\noverlap=9\n") ==
        "runs/a.cfg:2: routing.overlap=9 is above the 8 paths of topology.levels=2x4; a document goes to a path once "
        "at most");
  CHECK(error_of("[outer]\npolicy=gradients\n") ==
        "runs/a.cfg:2: outer.policy=gradients does not go with inner.steps=150; gradients are exchanged after every "
        "step, so write inner.steps=1");
  CHECK(error_of("[inner]\nsteps=1\n[outer]\npolicy=gradients\n[charge]\nsteps=150\n") ==
        "runs/a.cfg:4: outer.policy=gradients does not go with charge.steps=150; gradients are exchanged after every "
        "step, so write charge.steps=1");
  CHECK(error_of("[inner]\nsteps=1\n[outer]\npolicy=gradients\noptimizer=sgd\n") ==
        "runs/a.cfg:5: outer.optimizer=sgd does not go with outer.policy=gradients; it must step on the gradient of "
        "one inner step, so write auto");
  CHECK(error_of("[inner]\nsteps=1\n[outer]\npolicy=gradients\naveraging=radial_directional\n") ==
        "runs/a.cfg:5: outer.averaging=radial_directional does not go with outer.policy=gradients; gradients of single "
        "steps have a mean, so write averaging=mean");
  CHECK(
      error_of("[outer]\npolicy=asynchronous\naveraging=radial_directional\n") ==
      "runs/a.cfg:3: outer.averaging=radial_directional does not go with outer.policy=asynchronous; a module steps at "
      "each outer gradient there, so write averaging=mean");
  CHECK(error_of("[outer]\npolicy=asynchronous\nweighting=tokens\n") ==
        "runs/a.cfg:3: outer.weighting=tokens does not go with outer.policy=asynchronous; a module steps at each outer "
        "gradient there, so write shard_size or equal");
  CHECK(error_of("[outer]\nprune_by=sign\n") ==
        "runs/a.cfg:2: outer.prune_by=sign does not go with outer.prune=0; nothing is pruned, so leave it out");
  CHECK(error_of("[inner]\nsteps=1\n[outer]\npolicy=gradients\nprune=0.5\n") ==
        "runs/a.cfg:5: outer.prune=0.5 does not go with outer.policy=gradients; outer gradients are pruned, so write "
        "prune=0");
  CHECK(error_of("[outer]\npolicy=quorum\ndrop=0.5\n[evaluate]\nevery=0\n") ==
        "runs/a.cfg:3: outer.drop=0.5 does not go with outer.policy=quorum; a path that gives nothing trains on in "
        "rounds "
        "of outer gradients, so write drop=0");
  CHECK(error_of("[outer]\noptimizer=delayed_nesterov\n") ==
        "runs/a.cfg:2: outer.optimizer=delayed_nesterov does not go with outer.policy=synchronous; all paths of a "
        "module step it together there, so write nesterov");
  CHECK(error_of("[outer]\nmax_staleness=3\n") ==
        "runs/a.cfg:2: outer.max_staleness=3 does not go with outer.policy=synchronous; only "
        "outer.policy=asynchronous, hierarchical or quorum reads it");
  CHECK(error_of("[outer]\ndelay_compensation=0.5\n") ==
        "runs/a.cfg:2: outer.delay_compensation=0.5 does not go with outer.policy=synchronous; only "
        "outer.policy=asynchronous or hierarchical reads it");
  CHECK(error_of("[outer]\nstaleness_weight=polynomial\n") ==
        "runs/a.cfg:2: outer.staleness_weight=polynomial does not go with outer.policy=synchronous; only "
        "outer.policy=asynchronous, hierarchical or quorum reads it");
  CHECK(error_of("[outer]\npolicy=asynchronous\nquorum=2\n") ==
        "runs/a.cfg:3: outer.quorum=2 does not go with outer.policy=asynchronous; only outer.policy=quorum reads it");
  CHECK(error_of("[outer]\ngrace=5s\n") ==
        "runs/a.cfg:2: outer.grace=5s does not go with outer.policy=synchronous; only "
        "outer.policy=asynchronous, hierarchical or quorum reads it");
  CHECK_NOTHROW(parse_run_text("[outer]\npolicy=asynchronous\ngrace=5s\n", "runs/a.cfg", {}));
  CHECK(
      error_of("[inner]\ndylu=on\n") ==
      "runs/a.cfg:2: inner.dylu=on does not go with outer.policy=synchronous; in rounds all paths train equally long, "
      "so write asynchronous, hierarchical or quorum");
  for (const char* policy : {"asynchronous", "quorum"}) {
    CHECK_NOTHROW(parse_run_text("[inner]\ndylu=on\n[outer]\npolicy=" + std::string(policy) + "\n", "runs/a.cfg", {}));
  }
  CHECK(error_of("[inner]\nsteps=4097\ndylu=on\n[outer]\npolicy=asynchronous\nsteps=4096\n") ==
        "runs/a.cfg:3: inner.dylu=on does not go with outer.steps=4096; outer.steps x inner.steps is to be below "
        "16777216 then");
  CHECK(error_of("[outer]\npolicy=quorum\nquorum=5\n") ==
        "runs/a.cfg:3: outer.quorum=5 is above the 4 paths of a module, with topology.levels=2x4; write at most so "
        "many");
  CHECK_NOTHROW(parse_run_text("[outer]\npolicy=quorum\nquorum=4\n", "runs/a.cfg", {}));
  CHECK(error_of("[outer]\npolicy=asynchronous\nbuffer=5\n") ==
        "runs/a.cfg:3: outer.buffer=5 is above the 4 paths of a module, with topology.levels=2x4; write at most so "
        "many");
  CHECK(error_of("[outer]\npolicy=quorum\nbuffer=2\n") ==
        "runs/a.cfg:3: outer.buffer=2 does not go with outer.policy=quorum; only outer.policy=asynchronous "
        "or hierarchical reads it");
  CHECK(
      error_of("[outer]\npolicy=asynchronous\nbuffer=2\noptimizer=delayed_nesterov\n") ==
      "runs/a.cfg:4: outer.optimizer=delayed_nesterov does not go with outer.buffer=2; it moves at each contribution, "
      "so write auto or nesterov");
  CHECK_NOTHROW(parse_run_text("[outer]\npolicy=asynchronous\nbuffer=4\n", "runs/a.cfg", {}));
  CHECK(error_of("[outer]\ndelay=3\n") ==
        "runs/a.cfg:2: outer.delay=3 does not go with outer.optimizer=auto; only delayed_nesterov reads it");
  CHECK(error_of("[outer]\npolicy=asynchronous\nc=0.3\n") ==
        "runs/a.cfg:3: outer.c=0.3 is above 1/N for N=4, with outer.delay=0; write at most 1/N; outer.delay=0 takes a "
        "module's paths as N");
  CHECK_NOTHROW(parse_run_text("[outer]\npolicy=asynchronous\nc=0.25\n", "runs/a.cfg", {}));
  CHECK(error_of("[liveness]\nlimit=2s\n") ==
        "runs/a.cfg:2: liveness.period=3s is not below liveness.limit=2s; a node needs time for a sign of life before "
        "it counts as lost");
  CHECK(
      error_of("[liveness]\ndeadline=5s\n") ==
      "runs/a.cfg:2: liveness.limit=10s is not below liveness.deadline=5s; a lost node must be noticed before the run "
      "gives up");
}

TEST_CASE("a key of AdamW is refused where nothing is stepped by it", "[config]") {
  for (const char* key : {"beta1=0.5", "beta2=0.5", "epsilon=0.5", "weight_decay=0.5"}) {
    INFO(key);
    const std::string line = std::string(key) + "\n";
    CHECK(error_of("[outer]\n" + line) == "runs/a.cfg:2: outer." + std::string(key) +
                                              " does not go with outer.optimizer=auto; only adamw reads it, and not "
                                              "with outer.policy=gradients");
    CHECK_THAT(error_of("[outer]\noptimizer=nesterov\n" + line), Catch::Contains("outer.optimizer=nesterov"));
    CHECK_THAT(error_of("[inner]\nsteps=1\n[outer]\npolicy=gradients\noptimizer=adamw\n" + line),
               Catch::Contains("and not with outer.policy=gradients"));
    CHECK_NOTHROW(parse_run_text("[outer]\noptimizer=adamw\n" + line, "runs/a.cfg", {}));
    CHECK_NOTHROW(
        parse_run_text("[topology]\nlevels=shared:4\nregions=2\n[outer]\npolicy=hierarchical\n"
                       "global_optimizer=adamw\n" +
                           line,
                       "runs/a.cfg", {}));
  }
}

TEST_CASE("paths stay where they are unless a schedule says in rounds who takes their tasks", "[config]") {
  CHECK(error_of("[run]\nplace=stay\n") ==
        "runs/a.cfg:2: run.place=stay does not go with run.schedule=earliest_finish; in rounds that says who takes a "
        "task, so write first_free");
  CHECK_NOTHROW(parse_run_text("[run]\nplace=stay\nschedule=first_free\n", "runs/a.cfg", {}));
  CHECK_NOTHROW(parse_run_text("[run]\nplace=stay\n[outer]\npolicy=asynchronous\n", "runs/a.cfg", {}));
}

TEST_CASE("regions and what merges them are refused where they do not fit", "[config]") {
  const std::string regions = "[topology]\nlevels=shared:4\nregions=2\n";
  const std::string policy = "[outer]\npolicy=hierarchical\n";
  CHECK_NOTHROW(parse_run_text(regions + policy, "runs/a.cfg", {}));
  CHECK(error_of(regions) ==
        "runs/a.cfg:3: topology.regions=2 does not go with outer.policy=synchronous; several regions are what "
        "outer.policy=hierarchical merges, so write both or neither");
  CHECK(error_of(policy) ==
        "runs/a.cfg:2: topology.regions=1 does not go with outer.policy=hierarchical; several regions are what "
        "outer.policy=hierarchical merges, so write both or neither");
  for (const char* key : {"merge_every=2", "merge_weight=0.5", "global_optimizer=sgd", "global_learning_rate=1",
                          "global_momentum=0.5", "global_delay=2"}) {
    INFO(key);
    CHECK(error_of("[outer]\npolicy=asynchronous\n" + std::string(key) + "\n") ==
          "runs/a.cfg:3: outer." + std::string(key) +
              " does not go with outer.policy=asynchronous; only outer.policy=hierarchical reads it");
    CHECK_NOTHROW(parse_run_text(regions + policy + key + "\n", "runs/a.cfg", {}));
  }
  CHECK(error_of(regions + policy + "global_optimizer=sgd\nglobal_delay=2\n") ==
        "runs/a.cfg:7: outer.global_delay=2 does not go with outer.global_optimizer=sgd; only delayed_nesterov reads "
        "it");
  CHECK(error_of(regions + policy + "[routing]\nreshard_at=2\n") ==
        "runs/a.cfg:7: routing.reshard_at=2 needs rounds, and there are none with outer.policy=hierarchical; leave it "
        "empty");
  CHECK(error_of(regions + policy + "drop=0.5\n") ==
        "runs/a.cfg:6: outer.drop=0.5 does not go with outer.policy=hierarchical; a path that gives nothing trains on "
        "in rounds of outer gradients, so write drop=0");
  CHECK(error_of("[topology]\nlevels=flat:4\nregions=2\n" + policy) ==
        "runs/a.cfg:3: topology: no paths of several regions share a module, so there is nothing to merge; write "
        "regions=1");
  CHECK(error_of("[topology]\nlevels=shared:4\nregions=5\n" + policy) ==
        "runs/a.cfg:3: [topology] regions=5 is more than the 4 paths");
  CHECK(error_of("[outer]\nmerge_weight=1.5\n") ==
        "runs/a.cfg:2: merge_weight=1.5 in [outer] is out of range; write a number above 0 to 1");
}

TEST_CASE("how many paths train over a run is told in parts of it", "[config]") {
  const auto error = [](const std::string& value) {
    return error_of("[routing]\nactive_paths=" + value + "\n[outer]\nsteps=3\n");
  };
  const std::string rest =
      " is no list of how many paths train; write numbers from 1 to 8, the paths that there are, such as 1,2 or 1..2, "
      "at "
      "most 3 of them, as many as outer steps";
  for (const char* value : {"0", "9", "4,", "1..", "4..9", "1...2", "four", "1,2,3,4", "1.5"}) {
    CHECK(error(value) == "runs/a.cfg:2: routing.active_paths: \"" + std::string(value) + "\"" + rest);
  }
  CHECK_NOTHROW(parse_run_text("[routing]\nactive_paths=1..4,8\n", "runs/a.cfg", {}));
  CHECK(
      error_of("[routing]\nactive_paths=4\nsample_paths=0.5\n") ==
      "runs/a.cfg:2: routing.active_paths=4 does not go with routing.sample_paths=0.5; the first paths train there, so "
      "write sample_paths=1");
  CHECK(
      error_of("[routing]\nactive_paths=4\n[outer]\npolicy=quorum\n[evaluate]\nevery=0\n") ==
      "runs/a.cfg:2: routing.active_paths=4 needs rounds, and there are none with outer.policy=quorum; leave it empty");
}

TEST_CASE("what is charged must fit, too", "[config]") {
  CHECK(error_of("[charge]\nhead_size=7\n") ==
        "runs/a.cfg:2: charge.head_size=7 is odd; rotary positions turn pairs, so write an even one");
  CHECK(error_of("[charge]\nkey_value_heads=5\n") ==
        "runs/a.cfg:2: charge.heads=16 is no multiple of charge.key_value_heads=5; every key and value head serves as "
        "many heads");
  CHECK(error_of("[model]\nblocks=4\n[charge]\nblocks=2\n") ==
        "runs/a.cfg:4: charge.blocks=2 is below model.blocks=4; charge at least as many, so that every module has a "
        "size");
}

TEST_CASE("a topology that does not fit the model has its line in the error", "[config]") {
  CHECK_THAT(error_of("[topology]\n\nlevels=2x4x2\n[model]\nblocks=2\n"), Catch::StartsWith("runs/a.cfg:3: "));
  CHECK_THAT(error_of("[topology]\nlevels=2by4\n"), Catch::StartsWith("runs/a.cfg:2: "));
  CHECK_THAT(error_of("[topology]\nlevels=2x4\npath_specific=blocks:12\n"), Catch::StartsWith("runs/a.cfg:3: "));
}

TEST_CASE("product k-means takes a grid, which a table is not", "[config]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "table.txt", "0 0\n1 0\n1 1\n");
  const auto file = folder.path() / "a.cfg";
  write_file(file, "[topology]\nlevels=table.txt\n[routing]\nmethod=product_k_means\n");
  CHECK_THROWS_WITH(read_run_file(file), Catch::Contains("a.cfg:4: routing.method=product_k_means takes a full grid") &&
                                             Catch::Contains("topology.levels=table.txt"));
  write_file(file, "[topology]\nlevels=2x2\n[routing]\nmethod=product_k_means\n");
  CHECK_NOTHROW(read_run_file(file));
}

TEST_CASE("a topology's table is looked for beside the run file, and bounds the overlap", "[config]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "table.txt", "0 0\n1 0\n1 1\n");
  write_file(folder.path() / "a.cfg", "[topology]\nlevels=table.txt\n[routing]\noverlap=3\n");
  CHECK(read_run_file(folder.path() / "a.cfg").topology.levels == "table.txt");
  const std::vector<std::string> set{"routing.overlap=4"};
  CHECK_THROWS_AS(read_run_file(folder.path() / "a.cfg", set), ConfigError);
}

TEST_CASE("with inner.memory as many rows go through a path at a time as fit, down to a power of two", "[config]") {
  const auto rows = [](const std::string& inner) {
    return parse_run_text("[data]\ntrain=a.jsonl\n[inner]\n" + inner, "runs/a.cfg").inner.micro_batch;
  };
  // The paper's path in bf16: 2.51 GiB of state; a row 0.39 GiB, and 0.06 of logits, of all rows at most 0.5.
  CHECK(rows("precision=bf16\n") == 0);
  CHECK(rows("precision=bf16\nmemory=16GiB\n") == 32);
  CHECK(rows("precision=bf16\nmemory=15GiB\n") == 16);
  CHECK(rows("precision=bf16\nmemory=16GiB\nmicro_batch=auto\n") == 32);
  CHECK(rows("precision=bf16\nmemory=16GiB\nmicro_batch=3\n") == 3);
  CHECK(rows("precision=bf16\nmemory=16GiB\nbatch=20\n") == 0);
  CHECK(rows("precision=bf16\nmemory=3GiB\n") == 1);
}

TEST_CASE("a step that does not fit inner.memory is refused with what would make it fit", "[config]") {
  const std::string fp32 = " does not hold a step of one row, which takes 3.3GiB; ";
  CHECK(error_of("[inner]\nmemory=16\n") ==
        "runs/a.cfg:2: inner.memory=16 is no number of bytes; write one with its unit: 72GiB");
  CHECK(error_of("[inner]\nmemory=16GiB\nprecision=bf16\nmicro_batch=64\n") ==
        "runs/a.cfg:4: inner.micro_batch=64 is more rows than fit, with 27.8GiB where there is inner.memory=16GiB; "
        "write micro_batch=auto, or at most 33");
  CHECK(error_of("[inner]\nmemory=3GiB\n") == "runs/a.cfg:2: inner.memory=3GiB" + fp32 + "write inner.precision=bf16");
  CHECK(error_of("[inner]\nmemory=2.9GiB\n") ==
        "runs/a.cfg:2: inner.memory=2.9GiB" + fp32 + "write inner.recompute=on");
  CHECK(error_of("[inner]\nmemory=1GiB\n") ==
        "runs/a.cfg:2: inner.memory=1GiB" + fp32 + "take a smaller path, or a device with more memory");
  // 13 million parameters whose logits take 2 GiB in fp32, and 0.5 in bf16.
  CHECK(error_of("[model]\nblocks=1\nhidden=64\nvocabulary=200000\nsequence=8192\n[topology]\nlevels=flat:8\n"
                 "[inner]\nmemory=1.5GiB\n") ==
        "runs/a.cfg:9: inner.memory=1.5GiB does not hold a step of one row, which takes 2.4GiB; write "
        "inner.precision=bf16");
}
