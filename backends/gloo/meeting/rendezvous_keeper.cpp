#include "backends/gloo/meeting/rendezvous_keeper.hpp"

#include <utility>

namespace dipaco {

EntryKeeper::EntryKeeper(std::unique_ptr<Board> board, EntryFormat format, std::string name,
                         std::function<void(const std::string&)> note)
    : board_(std::move(board)), format_(std::move(format)), name_(std::move(name)), note_(std::move(note)) {}

std::optional<Endpoint> EntryKeeper::look() {
  const auto entry = board_->read();
  return entry ? format_.open(*entry) : std::nullopt;
}

std::optional<Endpoint> EntryKeeper::look_and_mend(const std::optional<Endpoint>& wanted,
                                                   const std::optional<Endpoint>& known) {
  auto found = known;
  try {
    found = mend(wanted);
    if (std::exchange(lost_, false)) note("it is there again");
  } catch (const BoardError& error) {
    if (!std::exchange(lost_, true)) note(std::string(error.what()) + " (tried again until it works)");
  }
  return found;
}

std::optional<Endpoint> EntryKeeper::mend(const std::optional<Endpoint>& wanted) {
  const auto found = look();
  if (!wanted || found == wanted) {
    written_ = found;
    return found;
  }
  board_->write(format_.seal(*wanted));
  if (written_ == wanted && !std::exchange(mended_, true)) {
    note(
        "somebody has overwritten or removed the coordinator's entry; it is mended each time. Is there another "
        "coordinator of this run?");
  }
  written_ = wanted;
  return wanted;
}

/// Where a coordinator comes between the look and the removal, it mends its entry.
void EntryKeeper::remove(const Endpoint& withdrawn) {
  try {
    if (look() == withdrawn) board_->remove();
  } catch (const BoardError& error) {
    note(std::string("the coordinator's entry stays there: ") + error.what());
  }
}

void EntryKeeper::note(const std::string& text) const {
  if (note_) note_("rendezvous " + name_ + ": " + text);
}

}  // namespace dipaco
