#pragma once

#include <cstdint>
#include <string>

namespace dipaco {

/// How documents find their path (§2.4). Keys of [routing].
struct RoutingOptions {
  std::string method = "k_means";  ///< or random
  std::int64_t prefix = 32;        ///< tokens that the router sees and that are out of the loss
  std::int64_t overlap = 1;        ///< a training document goes to its so many nearest shards (§2.4.4)
  double router_fraction = 0.005;  ///< of the documents, kept for the router (§2.4)
};

}  // namespace dipaco
