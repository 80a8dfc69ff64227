#include "backends/gloo/links/reordering.hpp"

#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {

void Reordering::put(std::uint64_t number, Received message) {
  if (number < next_ || early_.contains(number)) throw LinkError("a message came twice");
  early_.emplace(number, std::move(message));
  while (!early_.empty() && early_.begin()->first == next_) {
    const auto next = early_.extract(early_.begin());
    ++next_;
    deliver_(next.mapped());
  }
}

}  // namespace dipaco
