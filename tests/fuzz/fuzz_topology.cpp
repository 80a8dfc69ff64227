// Topologies: an input is `levels`, a line end and `path_specific`; and whole, a table file.

#include "core/model/topology.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  const std::string_view text = as_text(input);
  const auto end = text.find('\n');
  const std::string levels(text.substr(0, end));
  const std::string specific(end == std::string_view::npos ? "" : text.substr(end + 1));
  may_refuse([&] { static_cast<void>(make_topology({levels, specific}, {}, "/nowhere")); });
  const InputFile table(input);
  may_refuse([&] { static_cast<void>(make_topology({table.path().filename().string(), ""}, {}, "/proc/self/fd")); });
}

std::vector<Seed> seeds() {
  return {as_seed("2x4\nblocks:0,5;embedding"), as_seed("flat:8"), as_seed("shared:3\nhead"),
          as_seed("2x2\nblocks:0-3")};
}

}  // namespace dipaco::fuzz
