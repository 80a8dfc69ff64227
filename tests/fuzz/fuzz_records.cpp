// Records of journals. An input's first byte says of which: the coordinator's, a phase's progress, an archive's.

#include <utility>
#include <variant>

#include "core/coordinator/known/phase_progress.hpp"
#include "core/state/archive_records.hpp"
#include "core/state/ledger.hpp"
#include "core/state/records.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

constexpr std::size_t kJournals = 3;

template <class Record>
Record read_and_write(Input input) {
  Record record = decode_record<Record>(input, "input");
  const std::vector<std::byte> again = encode_record(record);
  check(encode_record(decode_record<Record>(again, "again")) == again, "a record that was read can be written again");
  return record;
}

template <class Record, std::size_t... Kind>
void add_seeds(std::size_t journal, std::vector<Seed>& all, std::index_sequence<Kind...> /*kinds*/) {
  for (Seed seed : {encode_record(Record(std::in_place_index<Kind>))...}) {
    seed.insert(seed.begin(), static_cast<std::byte>(journal));
    all.push_back(std::move(seed));
  }
}

template <class Record>
void add_seeds(std::size_t journal, std::vector<Seed>& all) {
  add_seeds<Record>(journal, all, std::make_index_sequence<std::variant_size_v<Record>>());
}

}  // namespace

void try_input(Input input) {
  if (input.empty()) return;
  const auto journal = static_cast<std::size_t>(input.front()) % kJournals;
  may_refuse([&] {
    if (journal == 0) {
      LedgerState state;
      state.apply(read_and_write<LedgerRecord>(input.subspan(1)));
      check(!state.records().empty(), "a state has records");
    } else if (journal == 1) {
      read_and_write<PhaseRecord>(input.subspan(1));
    } else {
      read_and_write<ArchiveRecord>(input.subspan(1));
    }
  });
}

std::vector<Seed> seeds() {
  std::vector<Seed> all;
  add_seeds<LedgerRecord>(0, all);
  add_seeds<PhaseRecord>(1, all);
  add_seeds<ArchiveRecord>(2, all);
  return all;
}

}  // namespace dipaco::fuzz
