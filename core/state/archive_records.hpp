#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

// Records of the journal (docs/file-formats.md); their order in Record is part of the format.

/// Losses of a task's inner steps from `first` on.
struct LossRecord {
  PathId path{};
  OuterStep outer_step{};
  std::int64_t first = 0;
  std::vector<double> losses;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, first, losses);
  }
};

/// Norm of the outer gradient that made this version.
struct NormRecord {
  ModuleId module;
  Version version{};
  double norm = 0;
  template <class A>
  void fields(A& a) {
    a(module, version, norm);
  }
};

/// An attempt whose state was not finite, and the losses of its own steps: those of the task are of other attempts.
struct RefusedAttemptRecord {
  PathId path{};
  OuterStep outer_step{};
  Epoch epoch = 0;
  std::vector<double> losses;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, epoch, losses);
  }
};

using ArchiveRecord = std::variant<LossRecord, NormRecord, Evaluated, RefusedAttemptRecord>;

/// The journal that is there, without a torn end.
struct ArchiveJournal {
  std::vector<ArchiveRecord> records;  ///< in the order in which they were written
  std::uint64_t size = 0;              ///< in bytes
};

/// Reads the journal, cuts off a torn end, of which nothing follows, or begins one. @throws DataError where it is
/// damaged
ArchiveJournal open_archive_journal(Storage& storage, const std::string& key);

std::vector<std::byte> encode_archive_record(ArchiveRecord record);

}  // namespace dipaco
