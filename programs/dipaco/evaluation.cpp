#include "programs/dipaco/evaluation.hpp"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kMostShares = 16;  // paths, on a person's screen

std::string percent(double share) { return format_fixed(100 * share, 1) + " %"; }

void print_shares(std::ostream& out, const RouteShares& shares) {
  const auto [least, most] = std::minmax_element(shares.documents.begin(), shares.documents.end());
  const auto share = [&](auto at) { return shares.share(static_cast<std::int32_t>(at - shares.documents.begin())); };
  out << "paths          " << shares.documents.size() << ", each with " << percent(share(least)) << " to "
      << percent(share(most)) << " of the documents\n";
  if (shares.documents.size() <= kMostShares) {
    out << "documents      ";
    for (std::size_t path = 0; path < shares.documents.size(); ++path) {
      out << (path > 0 ? " " : "") << shares.documents[path];
    }
    out << ", path by path\n";
  }
  out << "entropy        " << format_fixed(shares.entropy(), 3) << " nats, as of "
      << format_fixed(shares.effective_paths(), 1) << " equal paths\n";
}

void print_switching(std::ostream& out, const Switching& switching) {
  out << "window         " << switching.window << " tokens\n"
      << "switches       " << human_count(switching.switches) << "\n"
      << "recomputed     " << human_count(switching.recomputed) << " positions, "
      << percent(switching.recomputed_share()) << " of all that paths ran\n"
      << "router         " << human_count(switching.routed) << " positions besides\n";
}

void print_domains(std::ostream& out, const std::map<std::string, Score>& domains) {
  if (domains.empty()) return;
  out << "\n   documents      tokens  perplexity  bits per byte  domain\n";
  for (const auto& [domain, part] : domains) {
    const auto bits = part.bits_per_byte();
    out << std::setw(12) << part.documents << std::setw(12) << human_count(part.tokens) << std::setw(12)
        << format_fixed(part.perplexity(), 2) << std::setw(15) << (bits ? format_fixed(*bits, 3) : "-") << "  "
        << (domain.empty() ? "(none)" : on_one_line(domain)) << "\n";
  }
}

}  // namespace

double Switching::recomputed_share() const {
  const std::int64_t all = positions + recomputed;
  return all == 0 ? 0 : static_cast<double>(recomputed) / static_cast<double>(all);
}

std::string score_text(const Score& score) {
  const auto bits = score.bits_per_byte();
  return format_fixed(score.perplexity(), 2) + (bits ? ", " + format_fixed(*bits, 3) + " bits per byte" : "");
}

void print_text(std::ostream& out, const Evaluation& evaluation) {
  const Score& score = evaluation.score;
  out << "perplexity     " << score_text(score) << "\n"
      << "dense start    " << score_text(evaluation.dense_start) << ", of the same documents\n";
  if (const auto& dense = evaluation.dense_equal_steps) {
    out << "dense trained  " << format_fixed(*dense, 2) << ", after as many steps as a path\n";
  }
  out << "scored         " << human_count(score.tokens) << " tokens of " << human_count(score.documents)
      << " documents\n";
  if (evaluation.dropped > 0) out << "dropped        " << evaluation.dropped << " documents, too short\n";
  print_shares(out, evaluation.shares);
  if (evaluation.switching) print_switching(out, *evaluation.switching);
  print_domains(out, evaluation.domains);
}

void print_json(std::ostream& out, const Evaluation& evaluation) {
  const Score& score = evaluation.score;
  nlohmann::json all{{"documents", score.documents},
                     {"dropped_documents", evaluation.dropped},
                     {"effective_paths", evaluation.shares.effective_paths()},
                     {"path_documents", evaluation.shares.documents},
                     {"paths", evaluation.shares.documents.size()},
                     {"perplexity", score.perplexity()},
                     {"router_entropy_nats", evaluation.shares.entropy()},
                     {"tokens", score.tokens}};
  if (const auto bits = score.bits_per_byte()) all["bits_per_byte"] = *bits;
  all["dense_start_perplexity"] = evaluation.dense_start.perplexity();
  if (const auto bits = evaluation.dense_start.bits_per_byte()) all["dense_start_bits_per_byte"] = *bits;
  if (const auto& dense = evaluation.dense_equal_steps) all["dense_equal_steps_perplexity"] = *dense;
  if (const auto& switching = evaluation.switching) {
    all["recomputed_share"] = switching->recomputed_share();
    all["recomputed_tokens"] = switching->recomputed;
    all["router_tokens"] = switching->routed;
    all["switches"] = switching->switches;
    all["window"] = switching->window;
  }
  for (const auto& [domain, part] : evaluation.domains) {
    auto& mine = all["domains"][domain];
    mine = {{"documents", part.documents}, {"perplexity", part.perplexity()}, {"tokens", part.tokens}};
    if (const auto bits = part.bits_per_byte()) mine["bits_per_byte"] = *bits;
  }
  out << all.dump(2) << "\n";
}

}  // namespace dipaco
