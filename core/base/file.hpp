#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// The whole file. @throws DataError if it cannot be opened or read.
std::vector<std::byte> read_file(const std::filesystem::path& file);
std::string read_text(const std::filesystem::path& file);

/// Writes `bytes` beside `file`, syncs it, renames it to `file` and syncs the folder: `file` is never half-written.
/// Makes missing folders. @throws DataError naming the file and the system's reason (a full disk, for one).
void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& file, std::string_view text);

/// Adds `bytes` to the end of `file`, which is made where missing, and syncs it. A process that is killed in it leaves
/// a part of them. @throws DataError, where it can with the file as it was
void append_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

/// Renames `aside`, whose bytes are synced, to `file` in the same folder and syncs the folder. @throws DataError
void move_into_place(const std::filesystem::path& aside, const std::filesystem::path& file);

/// A file's bytes mapped read-only into memory. Move-only; the bytes live as long as the object.
class MappedFile {
 public:
  /// @throws DataError if the file cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace dipaco
