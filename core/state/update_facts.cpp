#include "core/state/update_facts.hpp"

#include <sstream>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// The items of `prefix`.0, `prefix`.1, ... that there are.
template <class Read>
void read_items(const Checkpoint& checkpoint, const std::string& prefix, const std::string& source, const Read& read) {
  for (std::size_t k = 0;; ++k) {
    const std::string name = prefix + "." + std::to_string(k);
    const auto found = checkpoint.facts.find(name);
    if (found == checkpoint.facts.end()) return;
    std::istringstream in(found->second);
    if (!read(in)) throw DataError(source + ": " + name + ": no contribution; restore the file, or begin the run anew");
  }
}

}  // namespace

void add_update(Checkpoint& checkpoint, const Update& update, const std::vector<SettledPath>& settled) {
  auto& facts = checkpoint.facts;
  facts["norm"] = format_number(update.norm);
  facts["scale"] = format_number(update.scale);
  std::size_t k = 0;
  for (const Applied& one : update.applied) {
    std::string text = std::to_string(index(one.path));
    for (const std::int32_t number : {one.outer_step, one.base.number, one.base.owner, one.inner_steps}) {
      text += " " + std::to_string(number);
    }
    facts["applied." + std::to_string(k++)] = text + " " + format_number(one.weight);
  }
  k = 0;
  for (const Dropped& one : update.dropped) {
    facts["dropped." + std::to_string(k++)] =
        std::to_string(index(one.path)) + " " + std::to_string(one.outer_step) + " " + one.why;
  }
  std::string& all = facts["settled"];
  for (const auto& [path, outer_step] : settled) {
    all += (all.empty() ? "" : " ") + std::to_string(index(path)) + " " + std::to_string(outer_step);
  }
}

Update read_update(const Checkpoint& checkpoint, const std::string& source) {
  Update update{.scale = checkpoint.number("scale", source), .norm = checkpoint.number("norm", source)};
  read_items(checkpoint, "applied", source, [&](std::istringstream& in) {
    std::int32_t path = 0;
    Applied one;
    if (!(in >> path >> one.outer_step >> one.base.number >> one.base.owner)) return false;
    if (!(in >> one.inner_steps >> one.weight)) return false;
    one.path = PathId{path};
    update.applied.push_back(one);
    return true;
  });
  read_items(checkpoint, "dropped", source, [&](std::istringstream& in) {
    std::int32_t path = 0;
    Dropped one;
    if (!(in >> path >> one.outer_step)) return false;
    in.get();
    std::getline(in, one.why, '\0');
    one.path = PathId{path};
    update.dropped.push_back(one);
    return true;
  });
  return update;
}

std::vector<SettledPath> read_settled(const Checkpoint& checkpoint, const std::string& source) {
  std::vector<SettledPath> settled;
  const auto found = checkpoint.facts.find("settled");
  if (found == checkpoint.facts.end()) {
    throw DataError(source +
                    ": it does not say which contributions are in it: an older version of this program wrote "
                    "it; finish the run with that, or begin it anew");
  }
  std::istringstream in(found->second);
  std::int32_t path = 0;
  std::int32_t outer_step = 0;
  while (!(in >> std::ws).eof()) {
    if (!(in >> path >> outer_step)) {
      throw DataError(source + ": settled: no path and outer step; restore the file, or begin the run anew");
    }
    settled.push_back({PathId{path}, outer_step});
  }
  return settled;
}

}  // namespace dipaco
