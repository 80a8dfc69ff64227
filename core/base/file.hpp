#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// The whole file. @throws DataError naming the file and the system's reason, if it is a folder or cannot be opened or
/// read.
std::vector<std::byte> read_file(const std::filesystem::path& file);
std::string read_text(const std::filesystem::path& file);

/// Writes `bytes` to `file`.part, syncs it, renames it to `file` and syncs the folder: `file` is never half-written.
/// Makes missing folders. REQUIRES that no other writer writes the same `file` at the same time.
/// @throws DataError naming the file and the system's reason (a full disk, for one); `file` is then as it was, unless
///         syncing its folder is what failed
void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& file, std::string_view text);

/// Adds `bytes` to the end of `file` and syncs it. Makes the file and its folders where missing. A process that is
/// killed meanwhile may leave only some of the bytes.
/// @throws DataError naming the file and the system's reason; the file is cut back to what it was, where that can be
///         done
void append_file(const std::filesystem::path& file, std::span<const std::byte> bytes);

/// Renames `aside` to `file`, in the same folder, and syncs the folder. REQUIRES that `aside` has been synced.
/// @throws DataError naming the file and the system's reason
void move_into_place(const std::filesystem::path& aside, const std::filesystem::path& file);

/// A file's bytes mapped read-only into memory. Move-only; the bytes live as long as the object.
class MappedFile {
 public:
  /// @throws DataError if the file is a folder or cannot be opened or mapped. An empty file gives no bytes.
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
