#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/gloo/links/sealing/secret.hpp"
#include "backends/gloo/meeting/endpoint.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Where nodes find the coordinator. Neither call blocks: a thread of its own does what may take a while, and its
/// destructor waits for that. Whoever can write there without the secret can hide the coordinator, and no more.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  /// Of the coordinator: it listens there. Stays published, whoever overwrites or removes it, while this object lives;
  /// what is there then remains.
  virtual void publish(const Endpoint& endpoint) = 0;
  /// At the run's end: what was published is removed when this object goes, unless another has been published since by
  /// somebody else.
  virtual void withdraw() = 0;
  /// Where the coordinator was when somebody looked last, some tenths of a second ago; nullopt: nobody says so.
  virtual std::optional<Endpoint> find() = 0;
};

struct RendezvousOptions {
  std::string run_name{};
  const Secret* secret = nullptr;                  ///< is not used after construction
  bool publishes = false;                          ///< of the coordinator: it must be possible
  Seconds period{0.2};                             ///< between looks
  Seconds idle{5};                                 ///< nobody has called find() for so long: nobody looks
  Seconds timeout{2};                              ///< of one exchange with a Redis server
  std::function<void(const std::string&)> note{};  ///< for the log, on a thread of the rendezvous
};

/// @param url  tcp://HOST:PORT: the coordinator listens there; file:///DIR: an entry in a folder that all machines
/// share;
///             redis://HOST[:PORT][/DB]: an entry on a Redis server. IPv6 numbers stand in brackets.
/// @throws ConfigError where it is none of these, or cannot be reached now; later outages are waited out
std::unique_ptr<Rendezvous> make_rendezvous(const std::string& url, const RendezvousOptions& options);

/// Where the coordinator has to listen so that others find it, or nullopt where it tells them.
/// @throws ConfigError where it is no rendezvous
std::optional<Endpoint> listens_at(const std::string& url);

}  // namespace dipaco
