#include "core/coordinator/known/resharding.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/prepare/shard_file.hpp"
#include "core/state/path_values.hpp"
#include "core/state/phase_files.hpp"

namespace dipaco {
namespace {

constexpr const char* kRouterKey = "model/router";
constexpr std::int32_t kRoutedAtATime = 4096;  // documents of a job

std::string sizes_key(std::int32_t phase) { return "shard_sizes/" + std::to_string(phase); }

std::vector<double> sizes_of(const std::vector<Shard>& shards, const TokenFile& tokens) {
  std::vector<double> sizes;
  for (const Shard& shard : shards) sizes.push_back(size_of(shard, tokens));
  return sizes;
}

}  // namespace

Resharding::Resharding(const RunPlan& plan, Storage& storage, Archive& archive)
    : plan_(plan), storage_(storage), archive_(archive) {
  for (std::int32_t phase = 1; phase < plan.timetable.phases(); ++phase) {
    const std::string key = shards_key(phase);
    const auto bytes = storage.get(key);
    if (!bytes) {
      if (!read_sizes(phase)) return;
      continue;
    }
    auto shards = decode_shards(*bytes, plan.learner->prepared().tokens->documents().size(), key);
    if (std::ssize(shards) != plan.topology.paths()) {
      throw DataError(key + ": " + std::to_string(shards.size()) + " shards for " +
                      std::to_string(plan.topology.paths()) + " paths; it is another run's");
    }
    sizes_[phase] = sizes_of(shards, *plan.learner->prepared().tokens);
    shards_[phase] = std::move(shards);
  }
}

/// Of a phase that is forgotten; false where there is none.
bool Resharding::read_sizes(std::int32_t phase) {
  const std::string key = sizes_key(phase);
  const auto bytes = storage_.get(key);
  if (!bytes) return false;
  const Checkpoint checkpoint = decode_checkpoint(*bytes, key);
  for (std::int32_t path = 0; path < plan_.topology.paths(); ++path) {
    sizes_[phase].push_back(static_cast<double>(checkpoint.integer(std::to_string(path), key)));
  }
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

std::string Resharding::state() const {
  if (std::ssize(scored_) < plan_.topology.paths()) {
    return std::to_string(scored_.size()) + " of " + std::to_string(plan_.topology.paths()) +
           " paths have scored the router documents";
  }
  if (router_.empty()) return "the router is not fitted";
  return std::to_string(routes_.size()) + " parts of the documents have their paths";
}

std::vector<Job> Resharding::scored(PathId path, std::int32_t version, const Values& nats) {
  const std::int32_t phase = plan_.timetable.phase_of(OuterStep{version});
  if (!makes(phase) || !scored_.insert(path).second) return {};
  const std::size_t documents = plan_.learner->router_documents().size();
  if (scored_.size() == 1) {
    least_.assign(documents, std::numeric_limits<float>::infinity());
    labels_.assign(documents, -1);
  }
  if (nats.data != nullptr) {
    check(nats.data->size() == documents, "each router document has a score");
    const auto number = static_cast<float>(index(path));
    for (std::size_t i = 0; i < documents; ++i) {
      const std::pair mine((*nats.data)[i], number);
      if (labels_[i] >= 0 && std::pair(least_[i], labels_[i]) <= mine) continue;  // the lower path of equals
      std::tie(least_[i], labels_[i]) = mine;
    }
  }
  if (std::ssize(scored_) < plan_.topology.paths()) return {};
  return {{.kind = Job::Kind::fit, .version = version}};
}

std::vector<Job> Resharding::fitted(const RouterFitted& fitted) {
  if (!makes(fitted.phase) || !router_.empty() || std::ssize(scored_) < plan_.topology.paths()) return {};
  router_ = fitted.router;
  std::vector<Job> jobs;
  for (std::int32_t first = 0; first < plan_.learner->routed_documents(); first += kRoutedAtATime) {
    jobs.push_back({.kind = Job::Kind::route, .version = number(plan_.timetable.begin(fitted.phase)), .first = first});
  }
  return jobs;
}

void Resharding::routed(const DocumentsRouted& routed) {
  if (!makes(routed.phase) || router_.empty()) return;
  routes_.emplace(routed.first, routed.paths);
  const std::int32_t documents = plan_.learner->routed_documents();
  if (std::ssize(routes_) == (documents + kRoutedAtATime - 1) / kRoutedAtATime) finish(routed.phase);
}

std::int32_t Resharding::count(std::int32_t first) const {
  return std::min(kRoutedAtATime, plan_.learner->routed_documents() - first);
}

Body Resharding::request(const Job& job) const {
  const std::int32_t phase = plan_.timetable.phase_of(OuterStep{job.version});
  if (job.kind == Job::Kind::fit) {
    const bool known = archive_.shards(phase).has_value();
    return FitRouter{phase, make_values(known ? std::vector<float>() : labels_, labels_.size())};
  }
  check(job.kind == Job::Kind::route, "scores are asked for by evaluations");
  return RouteDocuments{phase, job.first, count(job.first), router_};
}

void Resharding::finish(std::int32_t phase) {
  const auto known = archive_.shards(phase);
  if (known) {
    shards_[phase] = *known;
  } else {
    std::vector<float> routes;
    for (const auto& [first, paths] : routes_) routes.insert(routes.end(), paths.data->begin(), paths.data->end());
    const auto& before = phase == 1 ? plan_.learner->prepared().shards : shards_.at(phase - 1);
    shards_[phase] = plan_.learner->make_shards(routes, before);
    archive_.keep(phase, router_, shards_[phase]);
  }
  const auto bytes = std::as_bytes(std::span(router_));
  storage_.put(kRouterKey, bytes);
  storage_.put("model/shards", encode_shards(shards_[phase]));
  storage_.put(shards_key(phase), encode_shards(shards_[phase]));  // the last: it says that all is there
  sizes_[phase] = sizes_of(shards_[phase], *plan_.learner->prepared().tokens);
  scored_.clear();
  router_.clear();
  routes_.clear();
}

}  // namespace dipaco
