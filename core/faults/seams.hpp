#pragma once

#include <memory>

#include "core/compute/compute.hpp"
#include "core/faults/board.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The seams of one incarnation of a node, on which the faults of a board strike: each call first lets those strike
/// whose moment it is, or has come since. Where none does, the calls are those of the seams given. A fault that ends
/// the node leaves the call by FaultActions::end, with an exception that is no std::exception.
///
/// A fault while computing strikes in the middle of the inner steps; one of a send before the message has left; one of
/// a receive with the message that was got, or at its time while nothing comes.
class FaultySeams {
 public:
  /// @param role  of the node; all arguments must outlive this
  FaultySeams(Role role, FaultBoard& board, FaultActions& actions, Transport& transport, Compute& compute,
              Storage& storage);
  ~FaultySeams();
  FaultySeams(const FaultySeams&) = delete;
  FaultySeams& operator=(const FaultySeams&) = delete;

  Transport& transport();
  Compute& compute();
  Storage& storage();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dipaco
