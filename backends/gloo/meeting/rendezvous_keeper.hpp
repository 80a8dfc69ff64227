#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/gloo/meeting/rendezvous_board.hpp"
#include "backends/gloo/meeting/rendezvous_entry.hpp"

namespace dipaco {

/// The coordinator's entry on a board: reads it, and mends it where somebody else has changed it. Notes, once each,
/// that the board is away or there again, and that the entry had to be mended. Of one thread.
class EntryKeeper {
 public:
  /// @param name  of the board, for the log
  EntryKeeper(std::unique_ptr<Board> board, EntryFormat format, std::string name,
              std::function<void(const std::string&)> note);

  /// @throws BoardError
  void try_writing() { board_->try_writing(); }
  /// What the board says; none where that is no entry of this run's. @throws BoardError
  std::optional<Endpoint> look();
  /// What the board says now, or `known` where it is away. @param wanted  is to be there, whatever else is now
  std::optional<Endpoint> look_and_mend(const std::optional<Endpoint>& wanted, const std::optional<Endpoint>& known);
  /// Takes the entry off the board, unless another one is there.
  void remove(const Endpoint& withdrawn);

 private:
  std::optional<Endpoint> mend(const std::optional<Endpoint>& wanted);
  void note(const std::string& text) const;

  std::unique_ptr<Board> board_;
  EntryFormat format_;
  std::string name_;
  std::function<void(const std::string&)> note_;
  std::optional<Endpoint> written_;
  bool lost_ = false;    ///< the board, and it was noted
  bool mended_ = false;  ///< the entry, and it was noted
};

}  // namespace dipaco
