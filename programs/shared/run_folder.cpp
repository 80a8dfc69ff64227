#include "programs/shared/run_folder.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/config/run_file.hpp"

namespace dipaco {
namespace {

constexpr const char* kMark = "run";
constexpr std::chrono::seconds kPatience{2};

[[noreturn]] void fail(const std::filesystem::path& file, const char* doing, int error) {
  throw DataError(file.string() + ": cannot " + doing + ": " + std::strerror(error) + "; check the path");
}

std::string fact(const Checkpoint& checkpoint, const std::string& name, const std::string& source) {
  const auto found = checkpoint.facts.find(name);
  if (found == checkpoint.facts.end()) throw DataError(source + ": it lacks \"" + name + "\"; begin the run anew");
  return found->second;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path folder, Use use) : path_(std::move(folder)) {
  const std::string name = path_.string();
  const bool resumed = use == Use::resume;
  if (resumed && !std::filesystem::is_directory(path_)) {
    throw ConfigError(name + ": there is no such folder; --resume takes the --out folder of an earlier run");
  }
  if (resumed && !std::filesystem::exists(path_ / "run.cfg")) {
    throw ConfigError(name + "/run.cfg is missing; --resume takes the --out folder of an earlier run");
  }
  lock();
  const bool unfinished = std::filesystem::exists(state() / kMark);
  if (!resumed && unfinished) {
    throw ConfigError(name + " holds a run that has not finished; go on with --resume " + name + ", or remove " +
                      state().string() + " to begin anew");
  }
  finished_ = resumed && !unfinished && std::filesystem::exists(path_ / "summary.json");
  if (!resumed || finished_) return;
  if (!unfinished) {
    throw ConfigError(state().string() + " has nothing to go on from; begin the run anew with --out " + name);
  }
  read_mark();
}

void RunFolder::lock() {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) fail(path_, "make the folder", error.value());
  const auto file = path_ / "lock";
  lock_ = Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_) fail(file, "write", errno);
  // A process that was killed a moment ago may not be gone yet.
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!lock_.lock() && errno == EWOULDBLOCK && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (lock_.lock()) return;
  if (errno != EWOULDBLOCK) fail(file, "lock", errno);
  throw ConfigError(path_.string() + " is in use by another process; wait for its end, or name another folder");
}

void RunFolder::read_mark() {
  const auto file = state() / kMark;
  const std::string source = file.string();
  const Checkpoint checkpoint = decode_checkpoint(read_file(file), source);
  mark_ = {.backend = fact(checkpoint, "backend", source),
           .name = fact(checkpoint, "name", source),
           .learn = fact(checkpoint, "learn", source) == "on",
           .scenario = fact(checkpoint, "scenario", source),
           .cfg = fact(checkpoint, "cfg", source),
           .files = fact(checkpoint, "files", source)};
}

void RunFolder::note_begin(const RunMark& mark) {
  std::filesystem::remove_all(state());
  Checkpoint checkpoint;
  checkpoint.facts = {{"kind", "run"},
                      {"backend", mark.backend},
                      {"name", mark.name},
                      {"learn", mark.learn ? "on" : "off"},
                      {"scenario", mark.scenario},
                      {"cfg", mark.cfg},
                      {"files", mark.files}};
  write_file(state() / kMark, encode(checkpoint));
}

void RunFolder::note_end() {
  std::filesystem::remove(state() / kMark);  // first: a state without it is rubbish
  std::filesystem::remove_all(state());
}

namespace {

/// @throws ConfigError with the keys where `now` is another configuration than that of the run file `file`
void check_same(const std::string& folder, const std::filesystem::path& file, const RunConfig& now, bool exact,
                const char* remedy) {
  const RunConfig then = read_run_file(file, {}, *now.parts);
  const RunConfig same_form =
      parse_run_text(dump_config(now), file, {}, *now.parts);  // names of files are absolute in both
  std::vector<std::string> differences = config_differences(then, same_form);
  if (differences.empty() && exact) differences = differing_keys(then, same_form);
  if (differences.empty()) return;
  std::string list;
  for (const std::string& difference : differences) list += (list.empty() ? "" : "; ") + difference;
  throw ConfigError(folder + " was begun with another configuration (" + list + "); " + remedy);
}

}  // namespace

void show_finished(const RunFolder& folder, const SharedOptions& shared) {
  const auto file = folder.path() / "run.cfg";
  check_same(folder.path().string(), file, resolve_config(shared, file), false,
             "it has finished; begin a run in another folder");
  const std::string summary = read_text(folder.path() / "summary.json");
  if (summary.find("\"finished\": false") != std::string::npos) {
    throw ConfigError(folder.path().string() + ": the run has ended for want of progress, and would again; its " +
                      "summary.json says why; begin it anew without --resume");
  }
  std::cerr << "note: the run in " << folder.path().string() << " has finished: nothing is left to do\n";
  if (shared.json) std::cout << summary;
}

RunConfig resume_config(const RunFolder& folder, SharedOptions& shared, bool exact) {
  const auto file = folder.path() / "run.cfg";
  const std::string name = folder.path().string();
  if (!shared.out.empty()) throw ConfigError("--resume " + name + " names the folder; leave out --out");
  if (folder.mark().learn && !shared.learn) throw ConfigError(name + ": the run learns; leave out --learn off");
  shared.learn = folder.mark().learn;
  RunConfig now = resolve_config(shared, file);
  now.name = folder.mark().name;
  check_same(name, file, now, exact, "resume it with its own, or begin a run in another folder");
  return now;
}

}  // namespace dipaco
