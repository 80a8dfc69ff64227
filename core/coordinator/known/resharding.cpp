#include "core/coordinator/known/resharding.hpp"

#include <optional>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/plan/job_cost.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/state/path_values.hpp"
#include "core/state/phase_files.hpp"

namespace dipaco {
namespace {

constexpr const char* kRouterKey = "model/router";

std::string sizes_key(std::int32_t phase) { return "shard_sizes/" + std::to_string(phase); }

/// |D_i|; 1 each where nothing is learned.
std::vector<double> sizes_of(const std::vector<Shard>& shards, const TokenFile* tokens) {
  std::vector<double> sizes;
  for (const Shard& shard : shards) sizes.push_back(tokens == nullptr ? 1 : size_of(shard, *tokens));
  return sizes;
}

std::size_t documents_in(const TokenFile* tokens) { return tokens == nullptr ? 0 : tokens->documents().size(); }

/// Of a phase that is forgotten; nullopt where there is none.
std::optional<std::vector<double>> read_sizes(const Storage& storage, std::int32_t phase, std::int32_t paths) {
  const std::string key = sizes_key(phase);
  const auto bytes = storage.get(key);
  if (!bytes) return std::nullopt;
  const Checkpoint checkpoint = decode_checkpoint(*bytes, key);
  std::vector<double> sizes;
  for (std::int32_t path = 0; path < paths; ++path) {
    sizes.push_back(static_cast<double>(checkpoint.integer(std::to_string(path), key)));
  }
  return sizes;
}

}  // namespace

Resharding::Resharding(const RunPlan& plan, Storage& storage, Archive& archive)
    : plan_(plan),
      storage_(storage),
      archive_(archive),
      progress_(storage, {plan.topology.paths(), router_documents(plan), routed_documents(plan)}) {
  std::int32_t phase = 1;
  while (phase < plan.timetable.phases() && read_phase(phase)) ++phase;
  progress_.begin(phase);
  if (!progress_.router().empty() && progress_.all_routed()) finish(phase);  // it was stopped just before
}

/// False where its shards were never ready.
bool Resharding::read_phase(std::int32_t phase) {
  const std::string key = shards_key(phase);
  const auto bytes = storage_.get(key);
  if (!bytes) {
    const auto sizes = read_sizes(storage_, phase, plan_.topology.paths());
    if (sizes) sizes_[phase] = *sizes;
    return sizes.has_value();
  }
  auto shards = decode_shards(*bytes, documents_in(plan_.learner->prepared().tokens.get()), key);
  if (std::ssize(shards) != plan_.topology.paths()) {
    throw DataError(key + ": " + std::to_string(shards.size()) + " shards for " +
                    std::to_string(plan_.topology.paths()) + " paths; it is another run's");
  }
  sizes_[phase] = sizes_of(shards, plan_.learner->prepared().tokens.get());
  shards_[phase] = std::move(shards);
  return true;
}

void Resharding::forget_before(std::int32_t phase) {
  check(ready(phase), "the last shards are kept");
  while (!shards_.empty() && shards_.begin()->first < phase) {
    const std::int32_t past = shards_.begin()->first;
    Checkpoint checkpoint;
    checkpoint.facts["kind"] = "shard_sizes";
    for (std::size_t path = 0; path < sizes_.at(past).size(); ++path) {
      checkpoint.facts[std::to_string(path)] = std::to_string(static_cast<std::int64_t>(sizes_.at(past)[path]));
    }
    storage_.put(sizes_key(past), encode(checkpoint));  // before the others go: it says that they were there
    storage_.remove(shards_key(past));
    shards_.erase(past);
  }
}

ShardDocuments Resharding::documents(std::int32_t phase, PathId path) const {
  const Shard& shard = shards_.at(phase)[static_cast<std::size_t>(index(path))];
  return {phase, path, shard.train, shard.holdout, shard.validation};
}

std::string Resharding::hash() const {
  if (shards_.empty()) return "";
  const auto router = storage_.get(kRouterKey);
  if (!router) {
    throw DataError(std::string(kRouterKey) +
                    ": it was written before its shards and is gone; put it back, or begin the run anew");
  }
  return routing_hash(*router, encode_shards(shards_.rbegin()->second));
}

bool Resharding::scored(PathId path, std::int32_t version, const Values& nats) {
  return makes(plan_.timetable.phase_of(OuterStep{version})) && progress_.score(path, floats_of(nats));
}

bool Resharding::fitted(const RouterFitted& fitted) { return makes(fitted.phase) && progress_.fit(fitted.router); }

bool Resharding::routed(const DocumentsRouted& routed) {
  if (!makes(routed.phase) || !progress_.route(routed.first, floats_of(routed.paths))) return false;
  if (progress_.all_routed()) finish(routed.phase);
  return true;
}

std::vector<Job> Resharding::jobs() const {
  if (next_phase() >= plan_.timetable.phases() || !progress_.all_scored()) return {};
  const std::int32_t version = number(plan_.timetable.begin(next_phase()));
  if (progress_.router().empty()) return {{.kind = Job::Kind::fit, .version = version}};
  std::vector<Job> jobs;
  for (const std::int32_t first : progress_.unrouted()) {
    jobs.push_back({.kind = Job::Kind::route, .version = version, .first = first});
  }
  return jobs;
}

Body Resharding::request(const Job& job) const {
  const std::int32_t phase = plan_.timetable.phase_of(OuterStep{job.version});
  if (job.kind == Job::Kind::fit) {
    const bool known = archive_.shards(phase).has_value();
    return FitRouter{phase, make_values(known ? std::vector<float>() : progress_.labels(), progress_.labels().size())};
  }
  check(job.kind == Job::Kind::route, "scores are asked for by evaluations");
  return RouteDocuments{phase, job.first, progress_.count(job.first), progress_.router()};
}

void Resharding::finish(std::int32_t phase) {
  const auto known = archive_.shards(phase);
  if (known) {
    shards_[phase] = *known;
  } else {
    const auto& before = phase == 1 ? plan_.learner->prepared().shards : shards_.at(phase - 1);
    shards_[phase] = plan_.learner->make_shards(progress_.routes(), before);
    archive_.keep(phase, progress_.router(), shards_[phase]);
  }
  const auto bytes = std::as_bytes(std::span(progress_.router()));
  storage_.put(kRouterKey, bytes);
  storage_.put("model/shards", encode_shards(shards_[phase]));
  storage_.put(shards_key(phase), encode_shards(shards_[phase]));  // the last: it says that all is there
  sizes_[phase] = sizes_of(shards_[phase], plan_.learner->prepared().tokens.get());
  progress_.begin(phase + 1);
}

}  // namespace dipaco
