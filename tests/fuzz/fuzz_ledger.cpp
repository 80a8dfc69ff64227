// Records of the coordinator's journal.

#include <utility>

#include "core/state/ledger.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

template <std::size_t... Kind>
std::vector<Seed> one_of_each(std::index_sequence<Kind...> /*kinds*/) {
  return {encode(LedgerRecord(std::in_place_index<Kind>))...};
}

}  // namespace

void try_input(Input input) {
  may_refuse([&] {
    const LedgerRecord record = decode_ledger_record(input, "input");
    const std::vector<std::byte> again = encode(record);
    check(encode(decode_ledger_record(again, "again")) == again, "a record that was read can be written again");
    LedgerState state;
    state.apply(record);
    check(!state.records().empty(), "a state has records");
  });
}

std::vector<Seed> seeds() { return one_of_each(std::make_index_sequence<std::variant_size_v<LedgerRecord>>()); }

}  // namespace dipaco::fuzz
