#include "programs/dipaco/init/init_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "core/data/corpus.hpp"
#include "programs/dipaco/init/chosen_run.hpp"
#include "programs/dipaco/init/run_file_text.hpp"
#include "programs/dipaco/init/text_survey.hpp"
#include "programs/dipaco/init/trial.hpp"
#include "programs/shared/progress.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100'000;
constexpr std::int64_t kMostMinutes = 1'000'000;

[[noreturn]] void refuse_existing(const fs::path& file) {
  throw ConfigError("--out " + file.string() + ": is there already, and is not written over; name another file, or " +
                    "remove it first");
}

/// `name` as the run file in `folder` has to write it: relative to that, unless links lead there, behind which .. is
/// another folder.
std::string name_in(const fs::path& folder, const std::string& name) {
  const fs::path text = fs::absolute(name).lexically_normal();
  const bool plain = !fs::path(name).is_absolute() && fs::weakly_canonical(folder) == folder &&
                     fs::weakly_canonical(text.parent_path()) == text.parent_path();
  const std::string written = (plain ? text.lexically_proximate(folder) : text).generic_string();
  const bool ends_in_space = trim(written) != written;
  if (ends_in_space || written.find_first_of(",#\n\r") != std::string::npos) {
    throw ConfigError("\"" + written + "\": a run file cannot name a file with " +
                      (ends_in_space ? "a space at its beginning or end" : "a comma, # or line break") +
                      "; rename it, or its folder");
  }
  return written;
}

/// The text's files as data.train has them.
std::string train_value(const std::vector<std::string>& names, const fs::path& out) {
  std::string value;
  const fs::path folder = fs::absolute(out).lexically_normal().parent_path();
  if (!fs::is_directory(folder)) {
    throw ConfigError("--out " + out.string() + ": there is no folder " + folder.string() +
                      "; make it, or name another file");
  }
  for (const std::string& name : names) value += (value.empty() ? "" : ",") + name_in(folder, name);
  return value;
}

/// "wx": one who has written the same file meanwhile is not written over either.
void write_new(const fs::path& file, const std::string& text) {
  std::FILE* const out = std::fopen(file.c_str(), "wx");
  if (out == nullptr && errno == EEXIST) refuse_existing(file);
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out != nullptr && std::fclose(out) == 0;
  if (!written || !closed) throw DataError(file.string() + ": cannot be written: " + std::strerror(errno));
}

TrainingMachine this_machine(const SharedOptions& shared, std::int64_t minutes) {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {
      .cores = shared.threads, .memory = {pages * page_bytes}, .allowed = Seconds(60.0 * static_cast<double>(minutes))};
}

}  // namespace

ProgramInfo init_program() {
  return {.name = "dipaco init",
          .purpose = "Writes a run file for your own text, with a comment on each choice.",
          .usage = "TEXT... [options]      (.jsonl, .jsonl.gz or .txt)",
          .example = "dipaco init my.jsonl --out my.cfg --minutes 30",
          .options = with_shared(
              {{.name = "out", .value = "FILE.cfg", .help = "the run file", .initial = "my.cfg"},
               {.name = "minutes", .value = "N", .help = "that training may take on this machine", .initial = "60"}},
              {Shared::threads, Shared::progress}),
          .words = kMostFiles,
          .libraries = core_libraries()};
}

ExitStatus run_init(const Arguments& arguments, const StopSignal& stop) {
  const SharedOptions shared = read_shared(arguments);
  const auto& names = arguments.words();
  if (names.empty()) throw ConfigError("no text; name .jsonl, .jsonl.gz or .txt files: dipaco init my.jsonl");
  const fs::path out = arguments.text("out");
  const auto minutes = arguments.integer("minutes", 1, kMostMinutes);
  std::error_code ignored;
  if (out.empty()) throw ConfigError("--out has no value; write --out FILE.cfg");
  if (fs::exists(fs::symlink_status(out, ignored))) refuse_existing(out);
  const std::string train = train_value(names, out);
  Progress progress(std::cerr, shared.progress, stderr_columns);
  const TextFacts text =
      survey_text(find_files(train, fs::absolute(out).lexically_normal().parent_path()), [&](std::int64_t documents) {
        progress.show("documents read", documents, 0);
        if (stop.requested()) throw Interrupted("nothing is written; give the same command again");
      });
  const TrainingMachine machine = this_machine(shared, *minutes);
  Trials trials;
  ChosenRun chosen =
      choose_run(text, machine,
                 {.alone = [&](const RunConfig& config) { return trials.measure(config); },
                  .side_by_side = [&](const RunConfig& config,
                                      std::int64_t cores) { return trials.side_by_side(config, cores); }});
  progress.finish();
  chosen.config.data.train = train;
  const std::string run_file = run_file_text(chosen, text, machine);
  parse_run_text(run_file, out);
  write_new(out, run_file);
  std::cout << out.string() << ": " << chosen.config.topology.levels << " paths of " << human_count(chosen.parameters)
            << " parameters, about " << human_seconds(chosen.training) << "\n"
            << "The time is by steps that were measured just now, on all cores at once, beside what else ran; it is\n"
            << "longer while other programs take more of the machine.\n"
            << "Train them here with\n  dipaco-run --backend loopback --run " << for_shell(out.string()) << "\n";
  return ExitStatus::done;
}

}  // namespace dipaco
