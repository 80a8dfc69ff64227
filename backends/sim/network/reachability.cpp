#include "backends/sim/network/reachability.hpp"

namespace dipaco {

bool Reachability::blocked(const Pair& pair) const {
  if (pair.from == pair.to) return false;
  if (frozen_out_.contains(pair.from) || frozen_out_.contains(pair.to)) return true;
  if (!pair.local() && !links_.open(pair.route)) return true;
  return cuts_.between(pair.from, pair.to);
}

}  // namespace dipaco
