#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"

namespace dipaco::analysis {

/// A large message on its way.
struct TransferRow {
  std::int64_t from = 0;  ///< node
  std::int64_t to = 0;
  double begin = 0;
  double end = 0;
  double bytes = 0;
};

/// What a worker does beside its tasks: it waits, is down, or does a job.
struct LifeRow {
  std::int64_t worker = 0;
  double begin = 0;
  double end = 0;
  std::string what;  ///< "wait", "down", or a job's name
};

/// What trace.json says of a run, as far as it goes; events.csv has all transfers of a long one.
struct Trace {
  struct Place {
    std::string site;
    std::string host;  ///< "" where the run has none
  };
  std::map<std::int64_t, Place> nodes;
  std::vector<LifeRow> life;
  std::vector<TransferRow> transfers;
  std::optional<double> life_until;       ///< seconds up to which `life` is whole; nullopt: to the end
  std::optional<double> transfers_until;  ///< the same of `transfers`

  /// Two nodes of different sites. REQUIRES both in `nodes`
  bool between_sites(const TransferRow& transfer) const;
};

/// Reads trace.json of a run's folder and, where that was cut, events.csv if it is there. Without trace.json nothing is
/// known: both times are 0. @throws DataError naming the file where it is broken
Trace read_trace(const std::filesystem::path& folder);

}  // namespace dipaco::analysis
