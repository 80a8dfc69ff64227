#pragma once

#include <string>

#include "programs/dipaco/init/chosen_run.hpp"
#include "programs/dipaco/init/text_survey.hpp"

namespace dipaco {

/// The run file, with a comment on each choice. `chosen.config.data.train` is written as it stands.
std::string run_file_text(const ChosenRun& chosen, const TextFacts& text, const TrainingMachine& machine);

}  // namespace dipaco
