// dipaco-sim: what runs come to on SimGrid platforms.

#include <string_view>

#include "programs/dipaco_sim/calibrate_command.hpp"
#include "programs/dipaco_sim/data_parallel_command.hpp"
#include "programs/dipaco_sim/fleet_command.hpp"
#include "programs/dipaco_sim/simulate_command.hpp"
#include "programs/dipaco_sim/studies/bisect_command.hpp"
#include "programs/dipaco_sim/studies/recommend_command.hpp"
#include "programs/dipaco_sim/studies/sensitivity_command.hpp"
#include "programs/dipaco_sim/studies/sweep_command.hpp"
#include "programs/dipaco_sim/worth_command.hpp"

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "worth") return dipaco::run_program(dipaco::worth_info(), argc - 1, argv + 1, dipaco::run_worth);
  if (word == "bisect") return dipaco::run_program(dipaco::bisect_info(), argc - 1, argv + 1, dipaco::run_bisect);
  if (word == "calibrate")
    return dipaco::run_program(dipaco::calibrate_info(), argc - 1, argv + 1, dipaco::run_calibrate);
  if (word == "data-parallel")
    return dipaco::run_program(dipaco::data_parallel_info(), argc - 1, argv + 1, dipaco::run_data_parallel);
  if (word == "fleet") return dipaco::run_program(dipaco::fleet_info(), argc - 1, argv + 1, dipaco::run_fleet);
  if (word == "recommend")
    return dipaco::run_program(dipaco::recommend_info(), argc - 1, argv + 1, dipaco::run_recommend);
  if (word == "sensitivity")
    return dipaco::run_program(dipaco::sensitivity_info(), argc - 1, argv + 1, dipaco::run_sensitivity);
  if (word == "sweep") return dipaco::run_program(dipaco::sweep_info(), argc - 1, argv + 1, dipaco::run_sweep);
  return dipaco::run_program(dipaco::sim_info(), argc, argv, dipaco::simulate_scenario);
}
