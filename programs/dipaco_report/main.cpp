#include <filesystem>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/figures/drawing.hpp"
#include "analysis/figures/markdown.hpp"
#include "analysis/page/pages.hpp"
#include "analysis/report.hpp"
#include "core/base/error.hpp"
#include "programs/shared/program.hpp"

namespace dipaco::analysis {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage = "DIR... [options]";

ProgramInfo dipaco_report() {
  return {.name = "dipaco-report",
          .purpose = "Says where the time and the bytes of a run went, of several side by side.",
          .usage = kUsage,
          .example = "dipaco-report out/wan_4dc",
          .options = {{.name = "format",
                       .value = "FORMAT",
                       .help = "text, json, markdown, or html: a page with charts",
                       .choices = {"text", "json", "markdown", "html"},
                       .initial = "text"},
                      {.name = "figures",
                       .value = "FOLDER",
                       .help = "also draw the charts there as SVG, by gnuplot, and show them; for markdown"}},
          .words = std::numeric_limits<std::size_t>::max(),
          .libraries = {{"nlohmann_json", nlohmann::json::meta()["version"]["string"].get<std::string>()}}};
}

/// A run of a case of dipaco-run validate; nullopt: none is there.
std::optional<std::string> real_run_in(const fs::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path run = entry.path() / "real-1";
    if (fs::exists(run / "summary.json")) found.insert(run.string());
  }
  return found.empty() ? std::nullopt : std::optional(*found.begin());
}

/// @throws ConfigError where the folder has many runs and is of no sweep, saying what to read or do
void check_not_of_many(const fs::path& folder) {
  if (fs::exists(folder / "summary.json") || is_sweep(folder)) return;
  if (fs::exists(folder / "validate.csv")) {
    const auto run = real_run_in(folder);
    throw ConfigError(folder.string() + " is of dipaco-run validate: read its validate.csv" +
                      (run ? ", or name one of its runs, such as " + *run : ""));
  }
  if (!fs::exists(folder / "question")) return;
  throw ConfigError(
      folder.string() + " has the runs of a study without a table of them: repeat the command that made " +
      "it, dipaco-sim sensitivity, bisect, recommend or sweep, which prints its answer from what is kept");
}

ExitStatus print_report(const Arguments& arguments, const StopSignal&) {
  if (arguments.words().empty()) {
    throw ConfigError(std::string("no DIR; usage: dipaco-report ") + kUsage + ", DIR being a folder that a run left");
  }
  for (const std::string& folder : arguments.words()) check_not_of_many(folder);
  const std::string format = arguments.text("format");
  const std::string figures = arguments.text("figures");
  if (!figures.empty() && format != "markdown") {
    throw ConfigError("--figures " + figures + " is for --format markdown; the page of --format html draws its own");
  }
  if (format == "html") {
    std::cout << page_of(arguments.words());
    return ExitStatus::done;
  }
  if (format == "markdown") {
    const PicturedReport made = markdown_report(arguments.words(), figures);
    if (!figures.empty()) draw(made.pictures, figures);
    std::cout << made.text;
    return ExitStatus::done;
  }
  std::vector<Run> runs;
  for (const std::string& folder : arguments.words()) {
    if (is_sweep(folder)) throw ConfigError(folder + " is a sweep: add --format html, or read its points.csv");
    runs.push_back(read_run(folder));
  }
  std::cout << report(runs, format == "json" ? Format::json : Format::text);
  return ExitStatus::done;
}

}  // namespace
}  // namespace dipaco::analysis

int main(int argc, char** argv) {
  return dipaco::run_program(dipaco::analysis::dipaco_report(), argc, argv, dipaco::analysis::print_report);
}
