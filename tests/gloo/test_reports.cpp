// What a coordinator of processes records of the others' coming and going.

#include <catch2/catch.hpp>
#include <deque>
#include <utility>

#include "backends/gloo/reports.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {
namespace {

/// Receives what a test has laid ready.
class ReadyTransport : public Transport {
 public:
  explicit ReadyTransport(std::deque<Incoming> incoming) : incoming_(std::move(incoming)) {}
  NodeId self() const override { return kCoordinator; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId, Message) override {}
  std::optional<Incoming> receive(Seconds) override {
    if (incoming_.empty()) return std::nullopt;
    Incoming next = std::move(incoming_.front());
    incoming_.pop_front();
    return next;
  }

 private:
  std::deque<Incoming> incoming_;
};

std::vector<std::pair<EventKind, NodeId>> recorded(bool attendance) {
  const Incoming heard = Envelope{NodeId{2}, Seconds(0), make_message(ModuleReady{{0, 0}, Version{1}})};
  const Incoming lost = PeerLost{NodeId{2}};
  ReadyTransport ready({heard, lost, lost, PeerLost{NodeId{3}}, heard, heard, lost});
  const Traffic traffic;
  std::vector<std::pair<EventKind, NodeId>> events;
  Reporter reporter(0, traffic, [&](const Report& report) {
    for (const Event& event : report.events) events.emplace_back(event.kind, event.node);
  });
  ReportingTransport transport(
      ready, reporter, [] { return Seconds(1); }, attendance);
  while (transport.receive(Seconds(0))) {
  }
  reporter.deliver();
  return events;
}

}  // namespace

TEST_CASE("a coordinator records who goes, and who is heard again, once each", "[gloo]") {
  using enum EventKind;
  CHECK(recorded(true) ==
        std::vector<std::pair<EventKind, NodeId>>{
            {node_down, NodeId{2}}, {node_down, NodeId{3}}, {node_up, NodeId{2}}, {node_down, NodeId{2}}});
  CHECK(recorded(false).empty());
}

}  // namespace dipaco
