#include "backends/gloo/meeting/rendezvous_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "core/base/descriptor.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {
namespace {

Descriptor open_folder(const std::filesystem::path& folder) {
  Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) return fd;
  const int error = errno;
  throw BoardError("cannot open the folder: " + std::string(std::strerror(error)) +
                   (error == ENOENT || error == ENOTDIR ? "; make it, on a file system that all machines share"
                                                        : "; check its permissions"));
}

}  // namespace

FileBoard::FileBoard(std::filesystem::path folder, std::string entry)
    : folder_(std::move(folder)), entry_(std::move(entry)) {}

std::optional<std::vector<std::byte>> FileBoard::read() {
  // Opened each time: a network file system asks its server then whether the folder has anything new.
  const Descriptor folder = open_folder(folder_);
  // Not blocking: it may be a pipe.
  const Descriptor file(::openat(folder.get(), entry_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) {
    throw BoardError("cannot read " + entry_ + " in it: " + std::strerror(errno) + "; check its permissions");
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::vector<std::byte> bytes(kLargestEntry + 1);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw BoardError("cannot read " + entry_ + " in it: " + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (done > kLargestEntry) return std::nullopt;
  bytes.resize(done);
  return bytes;
}

void FileBoard::write(std::span<const std::byte> entry) {
  const Descriptor folder = open_folder(folder_);
  try {
    write_file(folder_ / entry_, entry);
  } catch (const DataError& error) {
    throw BoardError(error.what());
  }
}

void FileBoard::remove() {
  const Descriptor folder = open_folder(folder_);
  if (::unlinkat(folder.get(), entry_.c_str(), 0) == 0 || errno == ENOENT) return;
  throw BoardError("cannot remove " + entry_ + " in it: " + std::strerror(errno) + "; remove it by hand");
}

void FileBoard::try_writing() {
  const Descriptor folder = open_folder(folder_);
  std::string name = (folder_ / (entry_ + ".XXXXXX")).string();
  const Descriptor file(::mkstemp(name.data()));
  if (!file) {
    throw BoardError("cannot write into the folder: " + std::string(std::strerror(errno)) +
                     "; let this user write there, or name another folder");
  }
  ::unlink(name.c_str());
}

}  // namespace dipaco
