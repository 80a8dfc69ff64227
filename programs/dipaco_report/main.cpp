#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
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

ExitStatus print_report(const Arguments& arguments, const StopSignal&) {
  if (arguments.words().empty()) {
    throw ConfigError(std::string("no DIR; usage: dipaco-report ") + kUsage + ", DIR being a folder that a run left");
  }
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
