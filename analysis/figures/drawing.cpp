#include "analysis/figures/drawing.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco::analysis {
namespace {

/// Runs gnuplot on these files of the folder. What it has to say goes to stderr.
/// @return what waitpid says of its end
int run_gnuplot(std::vector<std::string> words, const std::filesystem::path& folder) {
  words.insert(words.begin(), "gnuplot");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // stdout has the report
  pid_t gnuplot = 0;
  const int failed = ::posix_spawnp(&gnuplot, "gnuplot", &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw ConfigError(
        "--figures needs gnuplot, which is not here; install it (Debian: gnuplot-nox), or leave out "
        "--figures");
  }
  int status = 0;
  while (::waitpid(gnuplot, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void draw(std::span<const Picture> pictures, const std::filesystem::path& folder) {
  if (pictures.empty()) return;
  std::vector<std::string> names;
  for (const Picture& picture : pictures) {
    names.push_back(picture.chart.id + ".gnuplot");
    write_file(folder / names.back(), std::string_view(gnuplot_script(picture)));
  }
  if (run_gnuplot(names, folder) != 0) {
    throw DataError(folder.string() + ": gnuplot could not draw what it was given; see its words above");
  }
}

}  // namespace dipaco::analysis
