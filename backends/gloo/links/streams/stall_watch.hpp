#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// How long connections of this process have stood still and then moved again by themselves. Those of one process share
/// its line, so they share this.
class Pauses {
 public:
  void note(Seconds now, Seconds pause);
  /// Of those that are not forgotten yet: a pause is remembered for a hundred times as long as it lasted.
  Seconds longest(Seconds now) const;

 private:
  struct Pause {
    Seconds lasted{};
    Seconds until{};  ///< it is remembered
  };
  std::vector<Pause> pauses_;  ///< each longer than those behind it
};

/// Tells streams that are lost from those that are slow, by watching them move. One that is owed something stands as
/// long as none of it comes while other things still come from the same peer: if nothing comes at all, the peer is
/// away, which is somebody else's matter. Patience is the limit, or longer, where connections have stood longer than
/// that and moved again. Knows no bandwidth, no socket and no clock.
class StallWatch {
 public:
  /// What is seen of a stream.
  struct Sight {
    bool owed = false;        ///< something is to come on it, and this side has room for it
    std::uint64_t moves = 0;  ///< another number than before: something came
  };

  /// @param limit  no stream stands for less  @param period  between two looks
  StallWatch(Seconds limit, Seconds period, std::shared_ptr<Pauses> pauses)
      : limit_(limit), period_(period), pauses_(std::move(pauses)) {}

  /// @param others  what came from the same peer in any other way: another number than before, something did
  /// @param sights  of the same streams each time
  void look(Seconds now, std::uint64_t others, const std::vector<Sight>& sights);
  /// Another look at one stream, at the time of the last one.
  void look_again(std::size_t stream, std::uint64_t moves);
  /// It goes on over another connection: how long it stood is no pause that ended by itself.
  void renewed(std::size_t stream);
  /// How long the stream has stood at the last look.
  Seconds stood(std::size_t stream) const;
  /// Whether that is too long.
  bool stands(std::size_t stream) const { return stood(stream) >= patience(); }
  /// At the last look.
  Seconds patience() const;

 private:
  struct Watched {
    Sight seen;
    Seconds since{};   ///< it moved last, or was owed first
    Seconds others{};  ///< something else has come last
  };
  void look_at(Watched& watched, const Sight& sight, bool others_moved);

  Seconds limit_;
  Seconds period_;
  std::shared_ptr<Pauses> pauses_;
  Seconds now_{};  ///< the last look; less what this process was away for
  Seconds away_{};
  bool looked_ = false;
  std::uint64_t others_ = 0;
  std::vector<Watched> streams_;
};

}  // namespace dipaco
