#include "core/prepare/stage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

#include "core/base/descriptor.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilesFile = "files.txt";

[[noreturn]] void fail(const fs::path& what, const std::string& doing, int error) {
  throw DataError(what.string() + ": cannot " + doing + ": " + std::strerror(error) +
                  "; check the cache folder's space and permissions");
}

/// Of a file or folder. A folder that is locked has a living maker.
Descriptor opened(const fs::path& path) { return Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }

/// "making-tokens-HASH-": the start of the names of folders in which a stage is being made.
std::string making_prefix(const std::string& stage) { return "making-" + stage + "-"; }

/// Removes what killed makers of this stage left. A file system without locks on folders keeps them.
void remove_abandoned(const fs::path& cache, const std::string& stage) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(cache, ignored)) {
    if (entry.path().filename().string().starts_with(making_prefix(stage))) found.push_back(entry.path());
  }
  for (const fs::path& folder : found) {
    const Descriptor lock = opened(folder);
    if (lock && lock.lock()) fs::remove_all(folder, ignored);
  }
}

void sync(const fs::path& path) {
  const Descriptor file = opened(path);
  if (!file || !file.sync()) fail(path, "sync", errno);
}

/// A folder of its maker's own, removed again unless it was published.
class MakingFolder {
 public:
  MakingFolder(const fs::path& cache, const std::string& stage) {
    do {  // between its making and its lock, another program may take it for abandoned
      path_ = make(cache, stage);
      lock_ = opened(path_);
      lock_.wait_for_lock();
    } while (!fs::exists(path_));
  }
  MakingFolder(const MakingFolder&) = delete;
  MakingFolder& operator=(const MakingFolder&) = delete;
  ~MakingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

  /// Gives it the stage's name, unless another program was faster: then its bytes are as good.
  void publish(const fs::path& name) const {
    for (const auto& entry : fs::directory_iterator(path_)) sync(entry.path());
    sync(path_);
    if (::rename(path_.c_str(), name.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST) {
      fail(name, "rename into place", errno);
    }
    sync(name.parent_path());
  }

 private:
  static fs::path make(const fs::path& cache, const std::string& stage) {
    std::string name = (cache / (making_prefix(stage) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) fail(cache, "make a folder in it", errno);
    constexpr auto kOthersRead =
        fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;
    std::error_code gone;  // another program may have taken it for abandoned by now: whoever asks next sees that
    fs::permissions(name, kOthersRead, fs::perm_options::add, gone);
    return name;
  }

  fs::path path_;
  Descriptor lock_;
};

std::string file_hash(const fs::path& file) { return hash_hex(MappedFile(file).bytes()); }

/// One line "HASH NAME" for every file of the stage, by name.
std::string list_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string list;
  for (const fs::path& file : files) list += file_hash(file) + " " + file.filename().string() + "\n";
  return list;
}

void verify(const fs::path& folder, const std::string& list) {
  const std::string remedy = "; remove the folder " + folder.string() + " and prepare again";
  std::istringstream lines(list);
  bool any = false;
  for (std::string hash, name; lines >> hash >> name; any = true) {
    const fs::path file = folder / name;
    if (!fs::is_regular_file(file)) throw DataError(file.string() + ": missing" + remedy);
    if (file_hash(file) != hash) throw DataError(file.string() + ": damaged: its bytes are not those written" + remedy);
  }
  if (!any || !lines.eof()) throw DataError((folder / kFilesFile).string() + ": damaged" + remedy);
}

std::string name_of(const StageRequest& request) { return request.name + "-" + stage_hash(request); }

using Make = std::function<void(const fs::path& folder)>;

void make_stage(const fs::path& cache, const StageRequest& request, const fs::path& folder, const Make& make) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) fail(cache, "make the folder", error.value());
  const std::string name = name_of(request);
  remove_abandoned(cache, name);
  const MakingFolder making(cache, name);
  try {
    make(making.path());
  } catch (const DataError&) {
    if (fs::exists(folder)) return;  // another program has made it meanwhile, and removed what it was made of
    throw;
  }
  write_file(making.path() / kKeysFile, request.keys);
  write_file(making.path() / kFilesFile, list_files(making.path()));
  making.publish(folder);
}

/// Reads what is in the stage's folder.
void read_stage(Stage& stage) {
  if (!fs::is_regular_file(stage.folder / kFilesFile)) {
    throw DataError((stage.folder / kFilesFile).string() + ": missing; remove the folder and prepare again");
  }
  const std::string list = read_text(stage.folder / kFilesFile);
  verify(stage.folder, list);
  stage.contents = hash_hex(list);
}

}  // namespace

std::string stage_hash(const StageRequest& request) { return hash_hex(request.name + "\n" + request.keys); }

bool has_stage(const fs::path& cache, const StageRequest& request) { return fs::exists(cache / name_of(request)); }

void remove_stage(const fs::path& cache, const StageRequest& request) {
  const std::string name = name_of(request);
  const fs::path aside = cache / (making_prefix(name) + "removed");  // whoever is killed here leaves no half stage
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  fs::rename(cache / name, aside, ignored);
  fs::remove_all(aside, ignored);
}

Stage open_stage(const fs::path& cache, const StageRequest& request,
                 const std::function<void(const fs::path& folder)>& make) {
  Stage stage;
  stage.hash = stage_hash(request);
  stage.folder = cache / name_of(request);
  if (!fs::exists(stage.folder)) make_stage(cache, request, stage.folder, make);
  try {
    read_stage(stage);
  } catch (const DataError&) {
    if (fs::exists(stage.folder)) throw;
    make_stage(cache, request, stage.folder, make);  // another program has just removed it
    read_stage(stage);
  }
  return stage;
}

}  // namespace dipaco
