#include "backends/gloo/meeting/rendezvous.hpp"

#include <utility>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "backends/gloo/meeting/rendezvous_file.hpp"
#include "backends/gloo/meeting/rendezvous_polled.hpp"
#include "backends/gloo/meeting/rendezvous_redis.hpp"
#include "backends/gloo/meeting/rendezvous_url.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// The coordinator listens where everybody knows.
class KnownPlace : public Rendezvous {
 public:
  explicit KnownPlace(Endpoint place) : place_(std::move(place)) {}
  void publish(const Endpoint& /*endpoint*/) override {}
  void withdraw() override {}
  std::optional<Endpoint> find() override { return place_; }

 private:
  Endpoint place_;
};

std::unique_ptr<Board> make_board(const RendezvousUrl& url, const std::string& entry, Seconds timeout) {
  if (url.kind == RendezvousUrl::Kind::file) return std::make_unique<FileBoard>(url.folder, entry);
  return std::make_unique<RedisBoard>(RedisPlace{url.server, url.database, entry}, timeout);
}

}  // namespace

std::unique_ptr<Rendezvous> make_rendezvous(const std::string& url, const RendezvousOptions& options) {
  const RendezvousUrl parsed = parse_rendezvous(url);
  if (parsed.kind == RendezvousUrl::Kind::tcp) return std::make_unique<KnownPlace>(parsed.server);
  EntryFormat format(options.run_name, options.secret);
  try {
    auto board = make_board(parsed, format.name(), options.timeout);
    return std::make_unique<PolledRendezvous>(std::move(board), std::move(format), url, options);
  } catch (const BoardError& error) {
    throw ConfigError("--rendezvous " + url + ": " + error.what());
  }
}

std::optional<Endpoint> listens_at(const std::string& url) {
  const RendezvousUrl parsed = parse_rendezvous(url);
  if (parsed.kind != RendezvousUrl::Kind::tcp) return std::nullopt;
  return parsed.server;
}

}  // namespace dipaco
