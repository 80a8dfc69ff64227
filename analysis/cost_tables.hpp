#pragma once

#include "analysis/run_files.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

// A column that has nothing in any row is left out, and so is a table that has no rows.

/// What each site costs and draws, and all of them.
Table site_costs_table(const Run& run);

/// The dearest machines, or those that draw most where none has a price.
Table machine_costs_table(const Run& run);

}  // namespace dipaco::analysis
