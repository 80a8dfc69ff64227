#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/lifeline.hpp"
#include "backends/gloo/links/stream_set.hpp"
#include "backends/gloo/links/streams/stall.hpp"
#include "backends/gloo/links/streams/stall_watch.hpp"

namespace dipaco {

struct RenewalOptions {
  bool initiator = false;  ///< of the link: it is the one that connects
  Seconds limit{10};       ///< no stream counts as lost that stands for less
  Seconds period{1};       ///< between looks
  std::shared_ptr<Pauses> pauses{};
};

struct RenewalHooks {
  std::function<void(std::uint32_t stream)> connect;  ///< the initiator: opens this stream anew
  std::function<void(FrameKind, std::vector<std::byte>)> send;
  std::function<void(const Stall&)> stalled;           ///< for the log: a stream goes on over another connection
  std::function<void(const std::string& why)> failed;  ///< the link cannot go on
};

/// Has those streams of a link made anew that stand still or whose connection broke, and tells the sender of a link's
/// large messages what has come. The receiving side decides: it alone sees what arrives, whoever has acknowledged it on
/// the way. A stream is cut when another connection is there for it, so a line that lets nothing through cuts nothing.
/// On the links' thread.
class Renewals {
 public:
  /// @param streams  must outlive this
  Renewals(StreamSet& streams, RenewalOptions options, RenewalHooks hooks);

  /// To be called every period. @param heard  frames that came from the other side so far
  OthersSeen look(Seconds now, std::uint64_t heard);
  /// A stream's connection is no more, and its thread waits for another.
  void broke(std::uint32_t stream);
  /// A stream goes on over another connection. @param on_the_way  as of StreamHooks::went_on
  void went_on(std::uint32_t stream, bool on_the_way);

  /// The initiator: the other side asks for another connection. @throws LinkError where there is no such stream
  void asked(const RenewStream& which);
  /// It could not be had.
  void not_connected(std::uint32_t stream, const std::string& why);
  /// The stream moves again.
  void not_needed(std::uint32_t stream);
  /// The receiving side: there is a connection for a stream. Cuts the one that it had.
  /// @returns nullopt where it needs no other: it moves again. @throws LinkError where there is no such stream
  std::optional<GoOn> cut(std::uint32_t stream);
  /// Both sides: a stream goes on over this connection. @throws LinkError where there is no such stream
  void go_on(std::uint32_t stream, int socket, const GoOn& from);

  /// The receiving side: says how much has come, unless that is said or more is asked for. Each look does, too.
  void tell_came();
  /// The sending side: so much has come. @throws LinkError where there are no such streams
  void came(const Came& came);

 private:
  struct State {
    bool broken = false;
    bool connecting = false;  ///< initiator
    std::optional<Seconds> asked_at{};
    std::optional<Seconds> broke_at{};
    GoOn goes_on{};
  };

  Stream& at(std::uint32_t stream);
  std::vector<StallWatch::Sight> sights();
  Seconds waits(std::uint32_t stream) const;
  void look_at(std::uint32_t stream);

  StreamSet& streams_;
  RenewalOptions options_;
  RenewalHooks hooks_;
  StallWatch watch_;
  Seconds now_{};
  std::uint64_t moves_ = 0;  ///< of all streams
  std::vector<State> states_;
  Came told_;
};

}  // namespace dipaco
