#include "backends/sim/network/turns.hpp"

namespace dipaco {

bool Turns::ask(Transfer& transfer) {
  if (now_ == nullptr) now_ = &transfer;
  if (now_ != &transfer) waiting_.push_back(&transfer);
  return now_ == &transfer;
}

Transfer* Turns::pass(const Transfer& transfer) {
  if (now_ != &transfer) return nullptr;
  now_ = nullptr;
  if (waiting_.empty()) return nullptr;
  now_ = waiting_.front();
  waiting_.pop_front();
  return now_;
}

void Turns::leave(const Transfer& transfer) {
  if (now_ == &transfer) now_ = nullptr;
  std::erase(waiting_, &transfer);
}

}  // namespace dipaco
