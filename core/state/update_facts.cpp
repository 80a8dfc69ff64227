#include "core/state/update_facts.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/csv_writer.hpp"
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

bool read_task(std::istream& in, PathId& path, OuterStep& outer_step) {
  std::int32_t place = 0;
  std::int32_t step = 0;
  if (!(in >> place >> step)) return false;
  path = PathId{place};
  outer_step = OuterStep{step};
  return true;
}

/// A space behind each.
std::string words_of(std::initializer_list<std::int32_t> numbers) {
  std::string text;
  for (const std::int64_t each : numbers) {
    append_number(text, each);
    text += ' ';
  }
  return text;
}

}  // namespace

void add_update(Checkpoint& checkpoint, const Update& update, const std::vector<SettledPath>& settled) {
  auto& facts = checkpoint.facts;
  checkpoint.say("norm", format_number(update.norm));
  checkpoint.say("scale", format_number(update.scale));
  std::size_t k = 0;
  std::optional<std::pair<double, std::string>> weight;  // often the same for all
  for (const Applied& one : update.applied) {
    if (!weight || weight->first != one.weight) weight.emplace(one.weight, format_number(one.weight));
    std::string text =
        words_of({index(one.path), number(one.outer_step), one.base.number, one.base.owner, one.inner_steps});
    facts.emplace("applied." + std::to_string(k++), text.append(weight->second));
  }
  k = 0;
  for (const Dropped& one : update.dropped) {
    facts.emplace("dropped." + std::to_string(k++), words_of({index(one.path), number(one.outer_step)}) + one.why);
  }
  std::string all;
  for (const auto& [path, outer_step] : settled) all += words_of({index(path), number(outer_step)});
  if (!all.empty()) all.pop_back();
  checkpoint.say("settled", std::move(all));
}

Update read_update(const Checkpoint& checkpoint, const std::string& source) {
  Update update{.scale = checkpoint.number("scale", source), .norm = checkpoint.number("norm", source)};
  read_items(checkpoint, "applied", source, [&](std::istringstream& in) {
    Applied one;
    if (!read_task(in, one.path, one.outer_step)) return false;
    if (!(in >> one.base.number >> one.base.owner >> one.inner_steps >> one.weight)) return false;
    update.applied.push_back(one);
    return true;
  });
  read_items(checkpoint, "dropped", source, [&](std::istringstream& in) {
    Dropped one;
    if (!read_task(in, one.path, one.outer_step)) return false;
    in.get();
    std::getline(in, one.why, '\0');
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
  while (!(in >> std::ws).eof()) {
    SettledPath one;
    if (!read_task(in, one.path, one.outer_step)) {
      throw DataError(source + ": settled: no path and outer step; restore the file, or begin the run anew");
    }
    settled.push_back(one);
  }
  return settled;
}

}  // namespace dipaco
