#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/roles/presence.hpp"
#include "core/state/archive.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// A node that loses the coordinator and hears of nobody from then on, not even of what it sends in vain.
class DeafNode : public Transport, public Compute {
 public:
  Seams seams() { return {*this, *this, storage_, log_, archive_}; }
  const std::vector<Seconds>& hellos() const { return hellos_; }

  NodeId self() const override { return NodeId{2}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId /*to*/, Message message) override {
    if (std::holds_alternative<Hello>(message.body)) hellos_.push_back(now_);
  }
  std::optional<Incoming> receive(Seconds timeout) override {
    if (!std::exchange(lost_, true)) return PeerLost{kCoordinator};
    now_ += timeout;
    return std::nullopt;
  }
  Seconds now() const override { return now_; }
  InnerSteps run(InnerSteps /*steps*/, Flops /*cost_of_one*/, const Work& /*work*/,
                 std::optional<Seconds> /*reserve*/) override {
    return {};
  }
  bool leaving() const override { return false; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }

 private:
  bool lost_ = false;
  Seconds now_{};
  std::vector<Seconds> hellos_;
  MemoryStorage storage_;
  MemoryEventLog log_;
  NoArchive archive_;
};

}  // namespace

// Where a link was cut while the coordinator was away, a hello could be lost without a word: a store stayed away.
TEST_CASE("a node that has lost the coordinator says hello until it is heard, also if no hello is told to be lost",
          "[roles]") {
  MadeUpRun made("2x2");
  made.config.liveness = {.period = Seconds(3), .limit = Seconds(10), .deadline = Seconds(3600)};
  const RunPlan plan = made.plan();
  DeafNode node;
  Presence presence(plan, node.seams(), {.role = Role::store}, [](Hello& /*hello*/) {});
  CHECK(presence.receive(Seconds(70)) == std::nullopt);
  CHECK(node.hellos() == std::vector{Seconds(3), Seconds(23), Seconds(43), Seconds(63)});
}

}  // namespace dipaco::testing
