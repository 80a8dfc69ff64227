#pragma once

#include "analysis/run_files.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// Seconds of the critical path by what they went into and where, and between which sites the message went that was
/// waited for: what a shorter run would have to shorten.
Table critical_path_table(const Run& run);

/// The workers whose tasks module steps waited for: in how many of these each was last, how long after the one before,
/// and in which stage of its task it mostly lost the time, over which way.
Table last_table(const Run& run);

/// The same by the workers' sites; empty where one site was last in all.
Table last_sites_table(const Run& run);

/// The same by the stage in which the last task lost most, and by the way between sites that it waited for there.
Table last_causes_table(const Run& run);

}  // namespace dipaco::analysis
