#include "core/base/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/descriptor.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* doing, int error) {
  const char* remedy = error == ENOENT   ? "; check the path"
                       : error == ENOSPC ? "; free some space and run again"
                       : error == EACCES ? "; check its permissions"
                                         : "";
  throw DataError(file.string() + ": cannot " + doing + ": " + std::strerror(error) + remedy);
}

std::size_t size_of(const Descriptor& fd, const std::filesystem::path& file) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail(file, "read", errno);
  if (S_ISDIR(status.st_mode)) fail(file, "read", EISDIR);
  return static_cast<std::size_t>(status.st_size);
}

void write_all(const Descriptor& fd, std::span<const std::byte> bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(file, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || !fd.sync()) fail(folder, "sync", errno);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Makes the folder where it is missing, and those above it, so that they outlive a power cut.
void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return;
  const auto above = folder_of(folder);
  if (above != folder) make_folder(above);
  std::filesystem::create_directory(folder, error);
  if (error) fail(folder, "make the folder", error.value());
  sync_folder(above);
}

/// The folder that `file` is in, made where missing.
std::filesystem::path make_folder_of(const std::filesystem::path& file) {
  auto folder = folder_of(file);
  make_folder(folder);
  return folder;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail(file, "open", errno);
  std::vector<std::byte> bytes(size_of(fd, file));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, "read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string read_text(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  make_folder_of(file);
  const std::filesystem::path aside = file.string() + ".part";
  try {
    const Descriptor fd(::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) fail(aside, "write", errno);
    write_all(fd, bytes, aside);
    if (!fd.sync()) fail(aside, "sync", errno);
  } catch (const DataError&) {
    ::unlink(aside.c_str());  // a full disk has better use for its space
    throw;
  }
  move_into_place(aside, file);
}

void move_into_place(const std::filesystem::path& aside, const std::filesystem::path& file) {
  const auto folder = make_folder_of(file);
  if (::rename(aside.c_str(), file.c_str()) != 0) fail(file, "rename into place", errno);
  sync_folder(folder);
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  write_file(file, std::as_bytes(std::span(text.data(), text.size())));
}

void append_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  const auto folder = make_folder_of(file);
  const Descriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) fail(file, "write", errno);
  const std::size_t before = size_of(fd, file);
  try {
    write_all(fd, bytes, file);
    if (!fd.sync()) fail(file, "sync", errno);
  } catch (const DataError&) {
    // As well as it can: what was not synced must not be taken for kept by who reads the file next.
    static_cast<void>(::ftruncate(fd.get(), static_cast<off_t>(before)) == 0 && fd.sync());
    throw;
  }
  if (before == 0) sync_folder(folder);  // the file may be new, and its name is the folder's
}

MappedFile::MappedFile(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail(file, "open", errno);
  const std::size_t size = size_of(fd, file);
  if (size == 0) return;
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (start == MAP_FAILED) fail(file, "map", errno);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace dipaco
