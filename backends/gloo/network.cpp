#include "backends/gloo/network.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Connections that may be open without having said what they are. One more ends the oldest: a node says it in an
/// instant, so whoever opens hundreds and says nothing keeps no node out.
constexpr std::size_t kMostStrangers = 256;
/// Whoever tries again and again does not fill a disk with what is said about it.
constexpr Seconds kBetweenStrangers{30};

}  // namespace

class GlooTransport : public Transport {
 public:
  explicit GlooTransport(Network& network) : network_(network), self_(network.self()) {}
  NodeId self() const override { return self_.id; }
  std::int32_t incarnation() const override { return self_.incarnation; }
  void send(NodeId to, Message message) override {
    asio::post(network_.io_, [&network = network_, to, message = std::move(message)]() mutable {
      network.send(to, std::move(message));
    });
  }
  std::optional<Incoming> receive(Seconds timeout) override { return network_.inbox_.take(timeout); }

 private:
  Network& network_;
  Member self_;
};

Network::Network(NetworkOptions options)
    : options_(std::move(options)),
      work_(asio::make_work_guard(io_)),
      acceptor_(io_),
      rejoin_(io_),
      device_(make_gloo_device()),
      run_(options_.run),
      spare_arrays_(std::make_shared<SpareArrays>(options_.session.inbox)) {
  listen();
  options_.self.host = endpoint_.host;
  options_.self.port = endpoint_.port;
  if (options_.registry != nullptr) {
    run_ = options_.registry->run();
    self_ = kCoordinator;
    options_.self.id = self_;
    options_.self.site = options_.registry->site(options_.self.site_name);
    options_.self.up = true;
    offset_ = options_.registry->age() - steady();
    for (const Member& member : options_.registry->members()) members_[member.id] = member;
    members_[self_] = options_.self;
  }
  asio::co_spawn(io_, accept_all(), asio::detached);
  if (options_.registry == nullptr) asio::co_spawn(io_, keep_joined(), asio::detached);
  thread_ = std::jthread([this] { io_.run(); });
}

Network::~Network() {
  asio::post(io_, [this] {
    for (auto& [node, peer] : peers_) {
      if (peer.session != nullptr) peer.session->end();
    }
    io_.stop();
  });
  thread_.join();
  peers_.clear();
}

void Network::listen() {
  const Endpoint& wanted = options_.listen;
  const PortRange ports = wanted.port == 0 ? options_.ports : PortRange{wanted.port, wanted.port};
  try {
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(wanted.host, std::to_string(ports.first));
    tcp::endpoint address = found.begin()->endpoint();
    refuse_open(address);
    while (!try_to_listen(address)) {
      if (address.port() == ports.last) throw boost::system::system_error(asio::error::address_in_use);
      address.port(address.port() + 1);
    }
    const auto bound = acceptor_.local_endpoint();
    endpoint_ = {options_.reached_at.empty() ? bound.address().to_string() : options_.reached_at, bound.port()};
  } catch (const boost::system::system_error& error) {
    if (wanted.port == 0 && ports.first != 0 && error.code() == asio::error::address_in_use) {
      throw ConfigError("cannot listen on " + wanted.host + ": all ports of " + std::to_string(ports.first) + "-" +
                        std::to_string(ports.last) + " are taken; give a wider range by --listen-ports");
    }
    throw ConfigError("cannot listen on " + wanted.host + ":" + std::to_string(ports.first) + ": " +
                      error.code().message() + "; choose another port, or another --interface");
  }
}

/// What counts is where it listens in the end, whoever chose that and however: the programs refuse it earlier.
void Network::refuse_open(const tcp::endpoint& address) const {
  if (options_.secret || options_.insecure || address.address().is_loopback()) return;
  throw ConfigError("without a secret nobody listens on " + address.address().to_string() +
                    ", where other machines can connect; give all processes the same --secret-file, or --insecure in a "
                    "network that you trust, or listen on 127.0.0.1");
}

bool Network::try_to_listen(const tcp::endpoint& address) {
  boost::system::error_code failed;
  acceptor_.open(address.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(address, failed);
  if (!failed) acceptor_.listen(tcp::acceptor::max_listen_connections, failed);  // another may have bound it, too
  if (!failed) return true;
  acceptor_.close();
  if (failed != asio::error::address_in_use) throw boost::system::system_error(failed);
  return false;
}

void Network::note(const std::string& text) const {
  if (options_.note) options_.note(text);
}

Seconds Network::now() const {
  const std::lock_guard lock(mutex_);
  return steady() + offset_;
}

Member Network::self() const {
  const std::lock_guard lock(mutex_);
  Member self = options_.self;
  self.id = self_;
  if (const auto known = members_.find(self_); known != members_.end()) self.site = known->second.site;
  return self;
}

SiteId Network::site_of(NodeId node) const {
  const std::lock_guard lock(mutex_);
  const auto known = members_.find(members_.contains(node) ? node : self_);
  return known == members_.end() ? SiteId{0} : known->second.site;
}

std::vector<Member> Network::members() const {
  const std::lock_guard lock(mutex_);
  std::vector<Member> members;
  for (const auto& [id, member] : members_) members.push_back(member);
  return members;
}

std::unique_ptr<Transport> Network::transport() { return std::make_unique<GlooTransport>(*this); }

Awaitable<void> Network::accept_all() {
  while (true) {
    boost::system::error_code failed;
    const auto socket = std::make_shared<tcp::socket>(io_);
    co_await acceptor_.async_accept(*socket, asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) co_return;
    if (failed) {  // no file descriptor left, for one: it may have one again soon
      asio::steady_timer pause(io_, std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::use_awaitable);
    } else {
      if (strangers_.size() >= kMostStrangers) strangers_.extract(strangers_.begin()).mapped()->close(failed);
      asio::co_spawn(io_, serve(socket), asio::detached);
    }
  }
}

Awaitable<void> Network::serve(std::shared_ptr<tcp::socket> socket) {
  boost::system::error_code ignored;
  const auto end = socket->remote_endpoint(ignored);
  const std::string from = end.address().to_string() + ":" + std::to_string(end.port());
  const std::uint64_t number = connections_++;
  strangers_.emplace(number, socket);
  try {
    const Secret* secret = options_.secret ? &*options_.secret : nullptr;
    const Seconds limit = options_.session.limit;
    auto connection = co_await Connection::begin(std::move(socket), Handshake::Side::responder, secret, limit);
    const Frame frame = co_await connection->read(limit);
    strangers_.erase(number);
    const std::string source = "the first frame of " + from;
    if (frame.kind == FrameKind::join && options_.registry != nullptr) {
      serve_join(std::move(connection), decode_payload<Join>(frame.payload, source));
    } else if (frame.kind == FrameKind::open_link) {
      serve_link(std::move(connection), decode_payload<OpenLink>(frame.payload, source));
    } else if (frame.kind == FrameKind::open_stream) {
      co_await serve_stream(std::move(connection), decode_payload<OpenStream>(frame.payload, source));
    } else {
      throw LinkError("it asks for what this node does not do");
    }
  } catch (const std::exception& error) {
    note_stranger("a connection from " + from + " ended before it was a link: " + error.what());
  }
  strangers_.erase(number);
}

void Network::note_stranger(const std::string& text) {
  ++unnoted_;
  if (noted_at_ >= Seconds(0) && steady() < noted_at_ + kBetweenStrangers) return;
  note(text + (unnoted_ > 1 ? " (and " + std::to_string(unnoted_ - 1) + " more since the last such note)" : ""));
  noted_at_ = steady();
  unnoted_ = 0;
}

void Network::serve_link(std::shared_ptr<Connection> connection, const OpenLink& asked) {
  Peer& peer = peers_[asked.from];
  const bool other_run = asked.run != run_ || asked.to != self_;
  const bool current = peer.session != nullptr && peer.session->name().link != asked.replaces;
  // Where both try at once, the lower number's link is it.
  const bool ours_first = peer.session == nullptr && peer.opening && self_ < asked.from;
  if (other_run || current || ours_first) throw LinkError("there is a link with that node, or will be");
  Frame answer{FrameKind::link_open, encode_payload(LinkOpen{true})};
  install({self_, asked.from, asked.link, false}, std::move(connection), std::move(answer))->start();
}

Awaitable<void> Network::serve_stream(std::shared_ptr<Connection> connection, OpenStream asked) {
  std::shared_ptr<Session> session;
  for (const auto& [node, peer] : peers_) {
    if (peer.session != nullptr && peer.session->name().link == asked.link) session = peer.session;
  }
  if (session == nullptr || session->name().initiator) throw LinkError("it names a link that is not there");
  co_await connection->write(FrameKind::stream_open, encode_payload(LinkOpen{true}));
  const SessionKeys keys = connection->keys();
  session->add_stream(asked, std::make_unique<Stream>(device_, connection->release(), keys, session->way(asked),
                                                      session->stream_failed()));
}

void Network::take_frame(NodeId from, Frame frame) {
  const std::string source = "a frame of node " + std::to_string(index(from));
  if (from == kCoordinator && frame.kind == FrameKind::member) {
    know(decode_payload<Member>(frame.payload, source));
  } else if (from == kCoordinator && frame.kind == FrameKind::run_over) {
    inbox_.end();
  } else if (options_.registry != nullptr && frame.kind == FrameKind::report) {
    if (!options_.report) return;
    const std::uint64_t kept = options_.report(from, frame.payload);
    peers_[from].session->send(FrameKind::report_kept, encode_payload(ReportKept{kept}));
  } else if (from == kCoordinator && frame.kind == FrameKind::report_kept) {
    reports_.erase(reports_.begin(), reports_.upper_bound(decode_payload<ReportKept>(frame.payload, source).number));
  } else {
    throw LinkError("it sends what it has no business to send");
  }
}

}  // namespace dipaco
