#pragma once

#include <deque>

namespace dipaco {

struct Transfer;

/// Whose turn it is among the large messages from one node to another, which go one after the other.
class Turns {
 public:
  /// True where it is the transfer's turn, also if it was before. Else the transfer waits behind the others.
  bool ask(Transfer& transfer);
  /// The transfer whose turn it is; null: nobody's.
  Transfer* now() const { return now_; }
  /// The transfer has arrived. Returns the one whose turn it is now; null where none waits or it was not its turn.
  Transfer* pass(const Transfer& transfer);
  /// The transfer is cancelled, wherever it stands. If it was its turn, it is nobody's now.
  void leave(const Transfer& transfer);

 private:
  Transfer* now_ = nullptr;
  std::deque<Transfer*> waiting_;
};

}  // namespace dipaco
