#include "programs/dipaco_sim/studies/sweep_folder.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"

namespace dipaco {
namespace {

std::string hash_of(const std::string& text) { return hash_hex(std::as_bytes(std::span(text))); }

}  // namespace

SweepFolder::SweepFolder(std::filesystem::path folder, const SweepInputs& inputs) : path_(std::move(folder)) {
  const auto file = path_ / "question";
  SweepInputs all = inputs;
  std::string said;
  if (std::filesystem::exists(file)) {
    said = read_text(file);
    const auto then = read_sweep_inputs(said);
    const auto why = then ? difference(*then, inputs) : "another version of dipaco-sim has made them";
    if (why) throw ConfigError(path_.string() + " has the runs of another sweep: " + *why + "; give another --out");
    all.files.add(then->files);  // of values that are not asked for now
  }
  if (text(all) != said) write("question", text(all));
}

void SweepFolder::write(const std::string& name, const std::string& text) const {
  const auto own = path_ / (name + "." + std::to_string(::getpid()));
  write_file(own, text);
  std::error_code error;
  std::filesystem::rename(own, path_ / name, error);
  if (error) throw DataError((path_ / name).string() + ": cannot be written: " + error.message());
}

std::filesystem::path SweepFolder::file_of(const SweepJob& job) const {
  std::string text;
  for (const std::string& setting : job.settings) text += setting + "\n";
  return path_ / "runs" / (hash_of(text).substr(0, 16) + "-" + std::to_string(job.seed) + ".json");
}

bool SweepFolder::has(const SweepJob& job) const { return std::filesystem::exists(file_of(job)); }

void SweepFolder::keep(const SweepJob& job, const std::string& summary, const std::string& error) const {
  nlohmann::json told{{"settings", job.settings}, {"seed", job.seed}};
  if (summary.empty()) {
    told["error"] = error;
  } else {
    told["summary"] = nlohmann::json::parse(summary);
  }
  write((std::filesystem::path("runs") / file_of(job).filename()).string(), told.dump(1) + "\n");
}

std::vector<analysis::SweptRun> SweepFolder::read(const std::vector<SweepJob>& jobs) const {
  std::vector<analysis::SweptRun> runs;
  for (const SweepJob& job : jobs) {
    const auto file = file_of(job);
    if (!std::filesystem::exists(file)) continue;
    const auto told = nlohmann::json::parse(read_text(file), nullptr, false);
    const bool ended = told.is_object() && told.contains("summary") && told["summary"].is_object();
    const bool failed = told.is_object() && told.contains("error") && told["error"].is_string();
    if (ended == failed) throw DataError(file.string() + ": it is no run of a sweep; remove it, and sweep again");
    runs.push_back({.point = job.point,
                    .seed = job.seed,
                    .summary = told.value("summary", nlohmann::json()),
                    .error = told.value("error", "")});
  }
  return runs;
}

}  // namespace dipaco
