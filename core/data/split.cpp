#include "core/data/split.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace dipaco {
namespace {

// What a document's draw is for: draws of different uses are independent. The seed is fixed, so that a document's use
// is the same in every run.
constexpr std::uint64_t kSplitSeed = 0;
constexpr std::uint64_t kValidation = 0;
constexpr std::uint64_t kRouter = 1;
constexpr std::uint64_t kHoldout = 2;

double draw_of(const DocumentRecord& document, std::uint64_t use) {
  return draw_uniform(kSplitSeed, Draw::split, document.hash, use);
}

bool is_validation(const DocumentRecord& document, const DataOptions& options) {
  if (!options.validation.empty()) return document.validation != 0;
  return draw_of(document, kValidation) < options.validation_fraction;
}

/// Sorts by the draw for `use`; equal documents stay in their order.
void sort_by_draw(std::vector<DocumentId>& ids, const TokenFile& tokens, std::uint64_t use) {
  const auto key = [&](DocumentId id) {
    return std::tuple(draw_of(tokens.document(id), use), tokens.document(id).hash, id);
  };
  std::sort(ids.begin(), ids.end(), [&](DocumentId a, DocumentId b) { return key(a) < key(b); });
}

/// Keeps the `count` documents of the lowest draws, in the order of the file.
void keep_lowest(std::vector<DocumentId>& ids, const TokenFile& tokens, std::uint64_t use, std::size_t count) {
  if (ids.size() <= count) return;
  sort_by_draw(ids, tokens, use);
  ids.resize(count);
  std::sort(ids.begin(), ids.end());
}

}  // namespace

Splits split_documents(const TokenFile& tokens, const DataOptions& options, double router_fraction,
                       std::size_t router_minimum) {
  Splits splits;
  const auto documents = tokens.documents();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const DocumentRecord& document = documents[i];
    const DocumentId id{static_cast<std::uint32_t>(i)};
    if (document.tokens <= tokens.prefix()) {
      ++splits.dropped;
    } else if (is_validation(document, options)) {
      splits.validation.push_back(id);
    } else if (draw_of(document, kRouter) < router_fraction) {
      splits.router.push_back(id);
    } else {
      splits.train.push_back(id);
    }
  }
  if (splits.train.empty()) {
    throw DataError("no training document among " + std::to_string(documents.size()) + " has more than the " +
                    std::to_string(tokens.prefix()) +
                    " tokens of the prefix; give more or longer documents, or lower " +
                    "data.validation_fraction and routing.router_fraction");
  }
  if (options.validation_documents > 0) {
    keep_lowest(splits.validation, tokens, kValidation, static_cast<std::size_t>(options.validation_documents));
  }
  if (splits.router.size() < router_minimum) {
    std::vector<DocumentId> more = splits.train;
    keep_lowest(more, tokens, kRouter, router_minimum - splits.router.size());
    splits.router.insert(splits.router.end(), more.begin(), more.end());
    std::sort(splits.router.begin(), splits.router.end());
  }
  return splits;
}

std::vector<DocumentId> unlearned_router_documents(const Splits& splits) {
  std::vector<DocumentId> some;
  std::ranges::set_difference(splits.router, splits.train, std::back_inserter(some));
  return 10 * some.size() < splits.router.size() ? splits.router : some;
}

bool in_holdout(const DocumentRecord& document, const DataOptions& options) {
  return draw_of(document, kHoldout) < options.holdout_fraction;
}

}  // namespace dipaco
