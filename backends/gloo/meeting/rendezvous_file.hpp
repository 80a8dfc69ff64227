#pragma once

#include <filesystem>
#include <string>

#include "backends/gloo/meeting/rendezvous_board.hpp"

namespace dipaco {

/// A file in a folder that all machines share. The folder is not made: where the file system is not mounted, an entry
/// would go to the machine's own disk.
class FileBoard : public Board {
 public:
  FileBoard(std::filesystem::path folder, std::string entry);
  std::optional<std::vector<std::byte>> read() override;
  void write(std::span<const std::byte> entry) override;
  void remove() override;
  void try_writing() override;

 private:
  std::filesystem::path folder_;
  std::string entry_;
};

}  // namespace dipaco
