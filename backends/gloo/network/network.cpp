#include "backends/gloo/network/network.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <utility>

namespace dipaco {

class GlooTransport : public Transport {
 public:
  explicit GlooTransport(Network& network) : network_(network), self_(network.self()) {}
  NodeId self() const override { return self_.id; }
  std::int32_t incarnation() const override { return self_.incarnation; }
  void send(NodeId to, Message message) override {
    asio::post(network_.shared_.io, [&switchboard = network_.switchboard_, to, message = std::move(message)]() mutable {
      switchboard.send(to, std::move(message));
    });
  }
  InMotion in_motion() const override { return network_.in_motion(); }
  std::optional<Incoming> receive(Seconds timeout) override { return network_.shared_.inbox.take(timeout); }

 private:
  Network& network_;
  Member self_;
};

InMotion Network::in_motion() const {
  constexpr std::chrono::seconds kLongest{1};
  const auto answer = std::make_shared<std::promise<InMotion>>();
  auto future = answer->get_future();
  asio::post(shared_.io, [this, answer] { answer->set_value(switchboard_.in_motion()); });
  return future.wait_for(kLongest) == std::future_status::ready ? future.get() : InMotion{};
}

Network::Network(NetworkOptions options)
    : shared_(std::move(options)), switchboard_(shared_), work_(asio::make_work_guard(shared_.io)) {
  shared_.options.self.host = endpoint().host;
  shared_.options.self.port = endpoint().port;
  shared_.inbox.tell_urgent(shared_.options.urgent);
  if (shared_.options.registry != nullptr) coordinate();
  switchboard_.start();
  thread_ = std::jthread([this] { shared_.io.run(); });
}

void Network::coordinate() {
  Registry& registry = *shared_.options.registry;
  Member& self = shared_.options.self;
  self.id = kCoordinator;
  self.site = registry.site(self.site_name);
  self.up = true;
  shared_.clock.set(registry.age() - steady());
  for (const Member& member : registry.members()) shared_.members.know(member, now());
  shared_.members.know(self, now());
  shared_.members.join(kCoordinator, registry.run());
}

Network::~Network() {
  asio::post(shared_.io, [this] {
    switchboard_.end_all();
    shared_.io.stop();
  });
  thread_.join();
}

void Network::join() {
  if (auto* const admittance = switchboard_.admittance()) admittance->wait();
}

std::unique_ptr<Transport> Network::transport() { return std::make_unique<GlooTransport>(*this); }

Member Network::self() const {
  Member self = shared_.options.self;
  self.id = shared_.members.self();
  if (const auto known = shared_.members.find(self.id)) self.site = known->site;
  return self;
}

bool Network::is_cut_off(Seconds limit) const {
  const auto* const admittance = switchboard_.admittance();
  return admittance != nullptr && admittance->is_cut_off(limit);
}

void Network::send_report(std::uint64_t number, std::vector<std::byte> bytes) {
  asio::post(shared_.io, [this, number, bytes = std::move(bytes)]() mutable {
    switchboard_.send_report(number, std::move(bytes));
  });
}

void Network::notice() {
  shared_.inbox.put(Notice{});
  if (auto* const admittance = switchboard_.admittance()) admittance->leave();
}

void Network::leave(Seconds limit) {
  asio::post(shared_.io, [this] { switchboard_.leave(); });
  switchboard_.wait_while_busy(limit);
}

void Network::finish(Seconds limit) {
  switchboard_.expect_busy();  // until the links' thread has looked who is owed a word
  asio::post(shared_.io, [this] { switchboard_.end_run(); });
  switchboard_.wait_while_busy(limit);
}

}  // namespace dipaco
