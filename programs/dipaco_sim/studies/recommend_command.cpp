#include "programs/dipaco_sim/studies/recommend_command.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "backends/sim/fleet/moved_scenario.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "programs/dipaco_sim/shared/in_processes.hpp"
#include "programs/dipaco_sim/studies/recommendation.hpp"
#include "programs/dipaco_sim/studies/sweep_survey.hpp"

namespace dipaco {
namespace {

/// Of all runs, one in so many is enough, and not fewer than so many points' worth.
constexpr std::size_t kPart = 5;
constexpr std::size_t kFewestPoints = 10;

std::size_t most_runs(const Arguments& arguments, const SweepQuestion& question, std::size_t all) {
  const auto seeds = static_cast<std::size_t>(question.repeat);
  const auto asked = arguments.integer("runs", question.repeat, static_cast<std::int64_t>(std::max(all, seeds)));
  if (asked) return static_cast<std::size_t>(*asked);
  return std::max(all / kPart, std::min(all, kFewestPoints * seeds));
}

/// best.cfg and best.xml: the run file and the scenario of the best choice.
void leave_best(const SweepQuestion& question, const Recommendation& found, const SweepFolder& folder,
                const StopSignal& stop) {
  SweepQuestion best = question;
  for (const std::string& setting : found.best_settings()) {
    if (changes_scenario(setting)) {
      best.words.changes.push_back(parse_change(setting));
    } else {
      best.shared.set.push_back(setting);
    }
  }
  const auto own =
      in_a_process([&] { return dump_config(run_file_of(load_scenario(best.words), best.shared)); }, stop.requested());
  folder.write("best.cfg", own);
  folder.write("best.xml", moved_scenario(ScenarioFile(question.words.scenario), best.words.changes,
                                          std::filesystem::absolute(folder.path())));
}

/// Figures that are the smaller the less is trained.
bool grows_with_training(const std::string& figure) {
  constexpr std::array<std::string_view, 8> kGrowing{"simulated_s", "usd", "machine_usd", "egress_usd",
                                                     "energy_usd",  "kwh", "wan_bytes",   "lan_bytes"};
  return std::ranges::find(kGrowing, figure) != kGrowing.end();
}

/// Says on stderr where the least of the objective would be the least training.
void note_less_training(const Wish& wish, const SweepGround& ground) {
  if (wish.most || !grows_with_training(wish.objective) || ground.training_keys.empty()) return;
  if (std::ranges::any_of(wish.conditions, is_learned, &analysis::Condition::figure)) return;
  std::string keys;
  for (const std::string& key : ground.training_keys) keys += (keys.empty() ? "" : ", ") + key;
  std::cerr << "note: the choices of " << keys << " train for different amounts of tokens, and the least training is "
            << "the shortest and the cheapest, whatever it learns. Leave " << keys
            << " out, or ask with learning on for "
            << "--subject 'validation_perplexity<N': what a model that good costs\n";
}

/// How the best choice is run.
std::string command_of(const SweepQuestion& question, const SweepFolder& folder) {
  std::string command = "dipaco-sim " + for_shell((folder.path() / "best.xml").string()) + " --run " +
                        for_shell((folder.path() / "best.cfg").string());
  for (const std::string& setting : question.words.cfg) command += " --cfg " + for_shell(setting);
  for (const std::string& name : question.words.without) command += " --without " + for_shell(name);
  return command + (question.shared.learn ? "" : " --learn off");
}

void print(const SweepQuestion& question, const Recommendation& found, const SweepFolder& folder) {
  const auto best = found.best_table();
  const auto front = found.front_table();
  const std::string command = command_of(question, folder);
  if (question.shared.json) {
    nlohmann::ordered_json all{{"settings", found.best_settings()}, {"missed", found.missed()}, {"runs", found.runs()}};
    all["best"] = analysis::as_json(best);
    all["front"] = analysis::as_json(front);
    all["command"] = command;
    std::cout << all.dump(2) << "\n";
    return;
  }
  std::cout << analysis::as_text(best);
  if (!front.rows.empty()) std::cout << "\n" << analysis::as_text(front);
  std::cout << "\nthe best of " << found.runs() << " runs:";
  for (const std::string& setting : found.best_settings()) std::cout << " " << setting;
  std::cout << "\n  " << command << "\n";
}

}  // namespace

ProgramInfo recommend_info() {
  ProgramInfo info{
      .name = "dipaco-sim recommend",
      .purpose = "Finds the choice of some keys' values with the least of a figure.",
      .usage = "SCENARIO.xml --over KEY=VALUES --objective FIGURE",
      .example = "dipaco-sim recommend my.xml --over zone:a.workers=1..4+1 --objective usd",
      .options = sweep_options(
          {{.name = "objective", .value = "FIGURE", .help = "hours, usd, -goodput: - for the largest"},
           {.name = "subject", .value = "CONDITION", .help = "such as usd<2000: what must hold", .repeatable = true},
           {.name = "runs", .value = "N", .help = "at most; not given: a fifth of all"}}),
      .words = 1,
      .libraries = core_libraries()};
  take_scenario(info);
  return info;
}

ExitStatus run_recommend(const Arguments& arguments, const StopSignal& stop) {
  const SweepQuestion question = read_question(arguments);
  if (question.axes.empty()) throw ConfigError("nothing to choose from; add --over KEY=VALUES");
  const Wish wish = parse_wish(arguments.text("objective"), arguments.all("subject"));
  check_learns("--objective", wish.objective, question);
  for (const auto& condition : wish.conditions) check_learns("--subject", condition.figure, question);
  const SweepGround ground = survey(question, stop);
  note_less_training(wish, ground);
  const auto jobs = jobs_of(question, ground.seed);
  const SweepFolder folder = folder_of(question, ground);
  Recommendation found(question, wish, folder, jobs, most_runs(arguments, question, jobs.size()));
  found.go(stop);
  if (const auto why = found.why_none_ended()) {
    throw RunError(static_cast<int>(ExitStatus::no_progress), "no run has ended; the first: " + on_one_line(*why));
  }
  leave_best(question, found, folder, stop);
  print(question, found, folder);
  const auto missed = found.missed();
  for (const std::string& what : missed) std::cerr << "not met by the nearest: " << what << "\n";
  return missed.empty() ? ExitStatus::done : ExitStatus::not_met;
}

}  // namespace dipaco
