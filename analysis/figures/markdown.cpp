#include "analysis/figures/markdown.hpp"

#include <utility>

#include "analysis/figures/sweep_pictures.hpp"
#include "analysis/page/activity.hpp"
#include "analysis/page/pages.hpp"
#include "analysis/page/progress.hpp"
#include "analysis/page/sweep_page.hpp"
#include "analysis/page/traffic.hpp"
#include "analysis/report.hpp"

namespace dipaco::analysis {
namespace {

void add(std::vector<Picture>& pictures, const Chart& chart) {
  if (!chart.series.empty()) pictures.push_back({.chart = thinned(chart)});
}

std::vector<Picture> run_pictures(std::span<const PageRun> runs) {
  std::vector<Picture> pictures;
  for (const Chart& chart : progress_charts(runs)) add(pictures, chart);
  if (runs.size() > 1) return pictures;
  const PageRun& run = runs.front();
  const double duration = run.run.duration().value_or(0);
  const ChartAxis time = time_axis(runs);
  if (duration > 0) {
    Chart activity = activity_chart(activities(run.run, run.trace), duration, time);
    add_sentence(activity.note, how_far_known(run.trace.life_until));
    add(pictures, activity);
  }
  add(pictures, site_rates_chart(run.trace, duration, time));
  add(pictures, link_use_chart(run.run, time));
  return pictures;
}

/// As Markdown has it between < and >, which it would end at.
std::string link_target(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    if (letter == '<') {
      text += "%3C";
    } else if (letter == '>') {
      text += "%3E";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string shown(const std::vector<Picture>& pictures, const std::filesystem::path& folder) {
  if (folder.empty()) return "";
  if (pictures.empty()) return "\nNo figures: they are drawn over an axis with two values that are numbers.\n";
  std::string text = "\n## Figures\n";
  for (const Picture& picture : pictures) {
    const auto file = folder / (picture.chart.id + ".svg");
    text += "\n![" + picture.chart.title + "](<" + link_target(file.generic_string()) + ">)\n";
    if (!picture.chart.note.empty()) text += "\n" + picture.chart.note + "\n";
  }
  return text;
}

PicturedReport of_sweep(const std::string& folder) {
  const SweepFile sweep = read_sweep(folder);
  const auto points = points_of(sweep.runs);
  const auto figures = shown_figures(points, sweep.runs);
  PicturedReport report{.text = as_markdown(points_table(sweep, points, figures, front_of(points, figures))),
                        .pictures = sweep_pictures(sweep, points)};
  const Table failures = failures_table(sweep);
  if (!failures.rows.empty()) report.text += "\n" + as_markdown(failures);
  return report;
}

PicturedReport of_runs(std::span<const std::string> folders, bool pictured) {
  std::vector<Run> runs;
  for (const std::string& folder : folders) runs.push_back(read_run(folder));
  PicturedReport made{.text = report(runs, Format::markdown), .pictures = {}};
  if (!pictured) return made;
  const auto names = run_names(runs);
  std::vector<PageRun> shown_runs;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    shown_runs.push_back({names[k], std::move(runs[k]), read_trace(folders[k])});
  }
  made.pictures = run_pictures(shown_runs);
  return made;
}

}  // namespace

PicturedReport markdown_report(std::span<const std::string> folders, const std::filesystem::path& pictures) {
  const bool sweep = sweep_among(folders);
  PicturedReport made = sweep ? of_sweep(folders.front()) : of_runs(folders, !pictures.empty());
  made.text += shown(made.pictures, pictures);
  return made;
}

}  // namespace dipaco::analysis
