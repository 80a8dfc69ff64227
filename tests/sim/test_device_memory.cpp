#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/sim/device_fit.hpp"
#include "core/base/error.hpp"

using namespace dipaco;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kGib = 1 << 30;

/// Workers with these memories, each said in a line of its own; the first node is no worker.
Placement with_memories(const std::vector<std::optional<DeviceMemory>>& memories) {
  Placement placement;
  placement.nodes.push_back({.role = Role::store, .host = "files", .memory = DeviceMemory{1, {1}, 9}});
  for (std::size_t k = 0; k < memories.size(); ++k) {
    placement.nodes.push_back({.role = Role::worker, .host = "w" + std::to_string(k), .memory = memories[k]});
  }
  return placement;
}

/// The paper's path, 512 rows a batch.
RunConfig paper(const std::string& precision = "bf16", std::int64_t micro_batch = 0) {
  RunConfig config;
  config.inner.precision = precision;
  config.inner.micro_batch = micro_batch;
  return config;
}

DeviceMemory of(std::int64_t devices, std::uint64_t gib, int line = 3) { return {devices, {gib * kGib}, line}; }

}  // namespace

TEST_CASE("a path that fits is not spoken of, nor one where nobody says what memory there is", "[sim]") {
  CHECK(check_device_memory(paper(), with_memories({of(8, 80), std::nullopt}), "x.xml").empty());
}

TEST_CASE("without a micro-batch a device takes as many rows at a time as fit, and that is said", "[sim]") {
  // 2.51 GiB of state, 0.5 of logits, 0.387 a row: 51 rows of 64
  const auto notes = check_device_memory(paper(), with_memories({of(8, 23), of(8, 23)}), "x.xml");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] ==
        "w0 and 1 more: a batch's 64 rows a device would take 27.8 GiB, and it has 23.0 GiB: it takes 51 at a "
        "time");
}

TEST_CASE("a micro-batch that does not fit is refused with one that does", "[sim]") {
  CHECK_THROWS_WITH(check_device_memory(paper("bf16", 512), with_memories({of(8, 23)}), "x.xml"),
                    Contains("x.xml:3: the path does not fit w0: with 64 rows at a time in bf16 it takes 27.8 GiB of a "
                             "device's memory, which has 23.0 GiB; write inner.micro_batch=408"));
  CHECK(check_device_memory(paper("bf16", 408), with_memories({of(8, 23)}), "x.xml").empty());
}

TEST_CASE("a path of which not even one row fits is refused with what would make it fit", "[sim]") {
  CHECK_THROWS_WITH(check_device_memory(paper("fp32"), with_memories({of(1, 3, 7)}), "x.xml"),
                    Contains("x.xml:7: the path does not fit w0: with one row at a time in fp32 it takes 3.3 GiB") &&
                        Contains("write inner.precision=bf16 ("));
  CHECK_THROWS_WITH(check_device_memory(paper(), with_memories({of(1, 2)}), "x.xml"),
                    Contains("take a smaller path, or a device with more memory"));
}

TEST_CASE("with a charged model its memory counts", "[sim]") {
  RunConfig config = paper();
  config.model.hidden = 64;
  CHECK(check_device_memory(config, with_memories({of(1, 8)}), "x.xml").size() == 1);
  config.charge = ChargeOptions{ModelOptions{.blocks = 20, .hidden = 2048, .heads = 32}, config.inner};
  CHECK_THROWS_WITH(check_device_memory(config, with_memories({of(1, 19)}), "x.xml"),
                    Contains("with one row at a time in bf16") && Contains("write inner.recompute=on"));
  // The learned model's precision and micro-batch are not the charged one's.
  config.charge = ChargeOptions{ModelOptions{}, config.inner};
  config.inner.precision = "fp32";
  config.inner.micro_batch = 512;
  CHECK(check_device_memory(config, with_memories({of(1, 8)}), "x.xml").size() == 1);
}
