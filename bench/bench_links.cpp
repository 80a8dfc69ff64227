// How fast a large message crosses a network: by a link, by a bare TCP socket, by bare Gloo. Two processes:
//
//   bench_links receive KIND ADDRESS:PORT BYTES TIMES [SECRET]
//   bench_links send    KIND ADDRESS:PORT BYTES TIMES [SECRET]     prints the seconds of the fastest time
//   bench_links sodium  BYTES                                      prints bytes a second of libsodium on one core
//
// KIND is tcp, gloo, sealed (Gloo with libsodium), linkN with N streams, or bothN, where the receiver sends as much at
// the same time; SECRET a file. A time is from before the send to the answer that all has come.

#include <gloo/transport/unbound_buffer.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/gloo/links/streams/pair.hpp"
#include "backends/gloo/meeting/local_address.hpp"
#include "backends/gloo/meeting/rendezvous_url.hpp"
#include "backends/gloo/network/network.hpp"

namespace dipaco {
namespace {

using Clock = std::chrono::steady_clock;

struct Job {
  bool sends = false;
  std::string kind;
  Endpoint where;
  std::size_t bytes = 0;
  int times = 0;
  std::optional<Secret> secret;
};

/// Seconds of the fastest call of `once`.
template <class Once>
double fastest(int times, Once once) {
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < times; ++k) {
    const auto begin = Clock::now();
    once();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

tcp::socket meet(asio::io_context& io, const Job& job) {
  const tcp::endpoint where(asio::ip::make_address(job.where.host), job.where.port);
  tcp::socket socket(io);
  if (!job.sends) {
    tcp::acceptor(io, where).accept(socket);
    return socket;
  }
  boost::system::error_code failed;
  do {
    ::usleep(20'000);
    socket.connect(where, failed);
  } while (failed);
  return socket;
}

double by_tcp(const Job& job) {
  asio::io_context io;
  tcp::socket socket = meet(io, job);
  std::vector<char> data(job.bytes);
  char answer = 0;
  return fastest(job.times, [&] {
    if (job.sends) {
      asio::write(socket, asio::buffer(data));
      asio::read(socket, asio::buffer(&answer, 1));
    } else {
      asio::read(socket, asio::buffer(data));
      asio::write(socket, asio::buffer(&answer, 1));
    }
  });
}

/// Bare Gloo on a socket that is connected already, in one piece: its own meeting needs a port of its own choice.
double by_gloo(const Job& job) {
  asio::io_context io;
  tcp::socket socket = meet(io, job);
  const auto device = make_gloo_device();
  GlooLink link(device, socket.release(), [](const GlooLink& /*over*/) {});
  std::vector<char> data(job.bytes);
  char answer = 0;
  const auto large = link.buffer(data.data(), data.size());
  const auto small = link.buffer(&answer, 1);
  std::uint64_t slot = 0;
  const double seconds = fastest(job.times, [&] {
    const std::uint64_t first = slot++;
    const std::uint64_t second = slot++;
    if (job.sends) {
      large->send(GlooLink::kPeer, first);
      small->recv(GlooLink::kPeer, second);
      large->waitSend();
      small->waitRecv();
    } else {
      large->recv(GlooLink::kPeer, first);
      large->waitRecv();
      small->send(GlooLink::kPeer, second);
      small->waitSend();
    }
  });
  if (!job.sends) ::usleep(200'000);  // the last answer is on its way
  return seconds;
}

/// One chunk and its tag, and how it is sealed: with one key and one nonce, as nobody listens.
class SealedChunk {
 public:
  explicit SealedChunk(GlooLink& link) : buffer_(link.buffer(bytes_.data(), bytes_.size())) {}

  void send(std::span<const unsigned char> plain, std::uint64_t slot) {
    if (under_way_) buffer_->waitSend();
    crypto_aead_chacha20poly1305_ietf_encrypt(bytes_.data(), nullptr, plain.data(), plain.size(), nullptr, 0, nullptr,
                                              kNonce, kKey);
    buffer_->send(GlooLink::kPeer, slot, 0, plain.size() + kTag);
    under_way_ = true;
  }
  void expect(std::size_t size, std::uint64_t slot) { buffer_->recv(GlooLink::kPeer, slot, 0, size + kTag); }
  void open(std::span<unsigned char> plain) {
    buffer_->waitRecv();
    const int failed = crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, bytes_.data(),
                                                                 plain.size() + kTag, nullptr, 0, kNonce, kKey);
    if (failed != 0) throw std::runtime_error("a chunk is not what was sealed");
  }
  void wait_sent() {
    if (std::exchange(under_way_, false)) buffer_->waitSend();
  }

 private:
  static constexpr std::size_t kTag = crypto_aead_chacha20poly1305_ietf_ABYTES;
  static constexpr unsigned char kKey[crypto_aead_chacha20poly1305_ietf_KEYBYTES] = {};
  static constexpr unsigned char kNonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES] = {};
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(kChunk + kTag);
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer_;
  bool under_way_ = false;
};

/// Bare Gloo and bare libsodium, in chunks as long as the links': one is sealed or opened while others are on their
/// way.
double by_sealed_gloo(const Job& job) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
  asio::io_context io;
  tcp::socket socket = meet(io, job);
  const auto device = make_gloo_device();
  GlooLink link(device, socket.release(), [](const GlooLink& /*over*/) {});
  std::vector<unsigned char> data(job.bytes, 1);
  std::deque<SealedChunk> chunks;
  for (int i = 0; i < 4; ++i) chunks.emplace_back(link);
  char answer = 0;
  const auto small = link.buffer(&answer, 1);
  const std::size_t count = (data.size() + kChunk - 1) / kChunk;
  const auto piece = [&](std::size_t i) {
    return std::span(data).subspan(i * kChunk, std::min(kChunk, data.size() - i * kChunk));
  };
  std::uint64_t slot = 0;
  const double seconds = fastest(job.times, [&] {
    const std::uint64_t first = std::exchange(slot, slot + count + 1);
    if (job.sends) {
      small->recv(GlooLink::kPeer, first + count);
      for (std::size_t i = 0; i < count; ++i) chunks[i % chunks.size()].send(piece(i), first + i);
      for (SealedChunk& chunk : chunks) chunk.wait_sent();
      small->waitRecv();
    } else {
      const auto expect = [&](std::size_t i) {
        if (i < count) chunks[i % chunks.size()].expect(piece(i).size(), first + i);
      };
      for (std::size_t i = 0; i < chunks.size(); ++i) expect(i);
      for (std::size_t i = 0; i < count; ++i) {
        chunks[i % chunks.size()].open(piece(i));
        expect(i + chunks.size());
      }
      small->send(GlooLink::kPeer, first + count);
      small->waitSend();
    }
  });
  if (!job.sends) ::usleep(200'000);  // the last answer is on its way
  return seconds;
}

NetworkOptions options_of(const Job& job) {
  NetworkOptions options;
  options.secret = job.secret;
  options.listen = job.where;
  options.session.streams = static_cast<std::uint32_t>(std::stoi(job.kind.substr(4)));
  options.self.role = Role::worker;
  options.key = make_token();
  return options;
}

/// One message, or one each way, and the answer.
void exchange(const Job& job, Transport& transport, const Message& large) {
  const bool both = job.kind.starts_with("both");
  const Message small = make_message(ModuleReady{{0, 0}, Version{1}});
  const auto receive = [&] {
    const auto came = transport.receive(Seconds(120));
    if (!came || !std::holds_alternative<Envelope>(*came)) throw std::runtime_error("the link is lost");
    return std::get<Envelope>(*came).from;
  };
  if (job.sends) {
    if (both) transport.send(kCoordinator, small);  // it is to begin, too
    transport.send(kCoordinator, large);
    receive();
    if (both) transport.send(kCoordinator, small);
    if (both) receive();
  } else {
    const NodeId from = receive();
    if (both) transport.send(from, large);
    for (int k = 0; both && k < 2; ++k) receive();
    transport.send(from, small);
  }
}

double by_link(const Job& job) {
  const auto folder = std::filesystem::temp_directory_path() / ("bench-links-" + std::to_string(::getpid()));
  std::optional<Registry> registry;
  NetworkOptions options = options_of(job);
  if (job.sends) {
    options.listen = {address_towards(job.where.host), 0};
    options.find_coordinator = [where = job.where] { return std::optional(where); };
  } else {
    registry.emplace(folder);
    options.self.role = Role::coordinator;
    options.registry = &*registry;
  }
  Network network(std::move(options));
  network.join();
  const auto transport = network.transport();
  const auto floats = std::make_shared<const std::vector<float>>(job.bytes / sizeof(float), 1.0F);
  const Message large = make_message(ModuleValues{{0, 0}, Version{1}, 1, {floats, floats->size()}});
  const double seconds = fastest(job.times, [&] { exchange(job, *transport, large); });
  if (job.sends) network.leave(Seconds(5));
  if (!job.sends) network.finish(Seconds(5));
  std::filesystem::remove(folder);
  return seconds;
}

/// Of a message as long as the links', sealed chunk by chunk as they do.
double sodium_speed(std::size_t bytes) {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
  const std::vector<unsigned char> plain(bytes, 1);
  std::vector<unsigned char> sealed(kChunk + crypto_aead_chacha20poly1305_ietf_ABYTES);
  const unsigned char key[crypto_aead_chacha20poly1305_ietf_KEYBYTES] = {};
  const unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES] = {};
  const double seconds = fastest(10, [&] {
    for (std::size_t done = 0; done < bytes; done += kChunk) {
      crypto_aead_chacha20poly1305_ietf_encrypt(sealed.data(), nullptr, plain.data() + done,
                                                std::min(kChunk, bytes - done), nullptr, 0, nullptr, nonce, key);
    }
  });
  return static_cast<double>(bytes) / seconds;
}

int run(const std::vector<std::string>& words) {
  if (words.at(0) == "sodium") {
    std::cout << sodium_speed(std::stoull(words.at(1))) << std::endl;
    return 0;
  }
  Job job{.sends = words.at(0) == "send",
          .kind = words.at(1),
          .where = parse_rendezvous("tcp://" + words.at(2)).server,
          .bytes = std::stoull(words.at(3)),
          .times = std::stoi(words.at(4)),
          .secret = std::nullopt};
  if (words.size() > 5) job.secret = Secret::from_file(words[5]);
  const double seconds = job.kind == "tcp"      ? by_tcp(job)
                         : job.kind == "gloo"   ? by_gloo(job)
                         : job.kind == "sealed" ? by_sealed_gloo(job)
                                                : by_link(job);
  if (job.sends) std::cout << seconds << std::endl;
  return 0;
}

}  // namespace
}  // namespace dipaco

int main(int argc, char** argv) {
  try {
    return dipaco::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "bench_links: " << error.what() << std::endl;
    return 1;
  }
}
